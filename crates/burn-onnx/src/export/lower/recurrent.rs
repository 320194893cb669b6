//! Recurrent networks over whole sequences.

use super::lowering::Lowering;
use crate::error::{Outcome, require};
use crate::export::graph_writer::{int, text, texts};
use crate::proto::AttributeProto;
use burn_capture::Value;
use burn_ir::{BinaryOp, RecurrentArgs, RecurrentKind, Scalar, TensorData};

/// The input of the network in the form of ONNX, which projects it in the same operator.
struct Projection {
    /// `[time, batch, size]`.
    input: String,
    /// `[1, gates hidden, size]`.
    weight: String,
    /// `[gates hidden]`.
    bias: Option<String>,
}

pub(super) fn lower(
    to: &mut Lowering<'_>,
    args: &RecurrentArgs<Value>,
    results: &[Value],
) -> Outcome<Vec<String>> {
    let activations = results.get(1).is_some_and(|&value| to.is_used(value));
    require!(!activations, "the activations are needed, which ONNX does not give");
    let hidden = to.shape(args.weight)[0];
    let projection = match projection(to, args) {
        Some(projection) => projection,
        None => projected_before(to, args, hidden),
    };
    let recurrent = to.name(args.weight);
    let recurrent = gates_first(to, &recurrent, args.kind);
    let bias = biases(to, args, projection.bias, hidden);
    let lengths = match &args.lengths {
        Some(lengths) => {
            let lengths: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
            to.writer.constant(TensorData::from(&lengths[..]))
        }
        None => String::new(),
    };
    let axis = to.writer.ints(&[0]);
    let state = to.name(args.hidden);
    let state = to.op("Unsqueeze", [&state, &axis]);
    let mut inputs = vec![projection.input, projection.weight, recurrent, bias, lengths, state];
    if let Some(cell) = args.cell {
        let cell = to.name(cell);
        inputs.push(to.op("Unsqueeze", [&cell, &axis]));
    }
    let inputs: Vec<&str> = inputs.iter().map(|input| &input[..]).collect();
    let (operator, attributes) = operator(args, hidden);
    let outputs = to.writer.node_of(operator, &inputs, attributes, 1 + args.kind.states());
    let axis = to.writer.ints(&[1]);
    let steps = to.op("Squeeze", [&outputs[0], &axis]);
    let parts: Vec<&str> =
        [&steps[..]].into_iter().chain(outputs[1..].iter().map(|name| &name[..])).collect();
    let states = to.op_with("Concat", &parts, vec![int("axis", 0)]);
    Ok([states].into_iter().chain(results[1..].iter().map(|_| String::new())).collect())
}

fn operator(args: &RecurrentArgs<Value>, hidden: usize) -> (&'static str, Vec<AttributeProto>) {
    let direction = if args.reverse { "reverse" } else { "forward" };
    let mut attributes = vec![int("hidden_size", hidden as i64), text("direction", direction)];
    let operator = match args.kind {
        RecurrentKind::Tanh => "RNN",
        RecurrentKind::Relu => {
            attributes.push(texts("activations", &["Relu"]));
            "RNN"
        }
        RecurrentKind::Gru => {
            attributes.push(int("linear_before_reset", 1));
            "GRU"
        }
        RecurrentKind::GruResetBefore => "GRU",
        RecurrentKind::Lstm => "LSTM",
    };
    (operator, attributes)
}

/// The gates of ONNX, as indices of ours.
fn order(kind: RecurrentKind) -> &'static [usize] {
    match kind {
        RecurrentKind::Tanh | RecurrentKind::Relu => &[0],
        RecurrentKind::Gru | RecurrentKind::GruResetBefore => &[1, 0, 2],
        RecurrentKind::Lstm => &[0, 3, 1, 2],
    }
}

/// The projection before the network, where it is a linear layer.
fn projection(to: &mut Lowering<'_>, args: &RecurrentArgs<Value>) -> Option<Projection> {
    let reshaped = |to: &Lowering<'_>, value: Value| to.producer(value)?.0.as_reshape().copied();
    let linear = reshaped(to, args.gates)?;
    let sum = to.producer(linear)?.0.as_elementwise().and_then(|op| op.as_binary(BinaryOp::Add));
    let (product, bias) = sum.map_or((linear, None), |(lhs, rhs)| (*lhs, Some(*rhs)));
    let (lhs, rhs) = to.producer(product)?.0.as_matmul()?;
    let input = reshaped(to, *lhs)?;
    let columns = to.shape(args.weight)[1];
    let same_steps = to
        .shapes(input)
        .iter()
        .zip(to.shapes(args.gates))
        .all(|(input, gates)| input.rank() == 3 && input[..2] == gates[..2]);
    let is_vector = bias.is_none_or(|bias| to.shape(bias).num_elements() == columns);
    if !same_steps || to.rank(*rhs) != 2 || !is_vector {
        return None;
    }
    let weight = to.name(*rhs);
    let weight = gates_first(to, &weight, args.kind);
    let bias = bias.map(|bias| {
        let bias = to.name(bias);
        let bias = to.reshape(&bias, &[-1]);
        reordered(to, &bias, args.kind)
    });
    Some(Projection { input: to.name(input), weight, bias })
}

/// The projection of any gates: a product with ones, which puts the gates in order.
fn projected_before(to: &mut Lowering<'_>, args: &RecurrentArgs<Value>, hidden: usize) -> Projection {
    let (columns, order) = (hidden * args.kind.gates(), order(args.kind));
    let mut ones = vec![0.0_f64; columns * columns];
    for row in 0..columns {
        ones[row * columns + order[row / hidden] * hidden + row % hidden] = 1.0;
    }
    let ones = TensorData::new(ones, [1, columns, columns]).convert_dtype(to.dtype(args.gates));
    Projection { input: to.name(args.gates), weight: to.writer.constant(ones), bias: None }
}

/// `[rows, gates hidden]` as `[1, gates hidden, rows]` with the gates in the order of ONNX.
fn gates_first(to: &mut Lowering<'_>, matrix: &str, kind: RecurrentKind) -> String {
    let turned = to.transpose(matrix, [1, 0]);
    let turned = reordered(to, &turned, kind);
    let axis = to.writer.ints(&[0]);
    to.op("Unsqueeze", [&turned, &axis])
}

/// The gates along the first dimension in the order of ONNX.
fn reordered(to: &mut Lowering<'_>, x: &str, kind: RecurrentKind) -> String {
    let order = order(kind);
    if order.len() == 1 {
        return x.into();
    }
    let attributes = vec![int("axis", 0), int("num_outputs", order.len() as i64)];
    let parts = to.writer.node_of("Split", &[x], attributes, order.len());
    let parts: Vec<&str> = order.iter().map(|&gate| &parts[gate][..]).collect();
    to.op_with("Concat", &parts, vec![int("axis", 0)])
}

/// The biases of the projection and those of the recurrent product, `[1, 2 gates hidden]`.
fn biases(
    to: &mut Lowering<'_>,
    args: &RecurrentArgs<Value>,
    projected: Option<String>,
    hidden: usize,
) -> String {
    if projected.is_none() && args.bias.is_none() {
        return String::new();
    }
    let (dtype, gates) = (to.dtype(args.weight), args.kind.gates());
    let zeros = |to: &mut Lowering<'_>, count: usize| {
        to.writer.constant(crate::export::graph_writer::scalar_data(Scalar::Int(0), dtype, &[count]))
    };
    let mut parts = vec![projected.unwrap_or_else(|| zeros(to, gates * hidden))];
    match args.bias {
        // That of the last gate, which the reset gate multiplies.
        Some(bias) => parts.extend([zeros(to, (gates - 1) * hidden), to.name(bias)]),
        None => parts.push(zeros(to, gates * hidden)),
    }
    let parts: Vec<&str> = parts.iter().map(|part| &part[..]).collect();
    let all = to.op_with("Concat", &parts, vec![int("axis", 0)]);
    let axis = to.writer.ints(&[0]);
    to.op("Unsqueeze", [&all, &axis])
}
