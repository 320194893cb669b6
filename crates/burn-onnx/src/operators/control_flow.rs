//! Graphs that run by a condition or several times. If and Loop since version 1, Scan since 8.
//!
//! When the model runs, a graph of an attribute is translated each time with the values at hand. When it is recorded, conditions and
//! numbers of steps have to be known: branches are chosen and loops unrolled.

use super::iota::item;
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::graph::{Dimension, GraphDefinition, ValueType};
use crate::translate::{Node, translate_graph};
use crate::value::{Expr, Host, Tensor, Value};
use burn_ir::DType;
use std::sync::Arc;

fn graph(node: &Node<'_>, name: &str) -> Outcome<Arc<GraphDefinition>> {
    match node.graph_attribute(name)? {
        Some(graph) => Ok(graph),
        None => fail!("attribute `{name}` is missing"),
    }
}

/// The outputs of a graph for values of its inputs.
pub(super) fn call(node: &Node<'_>, b: &mut Builder, graph: &GraphDefinition, inputs: Vec<Value>) -> Outcome<Vec<Value>> {
    require!(
        inputs.len() <= graph.inputs.len(),
        "the graph `{}` takes {} inputs, it would get {}",
        graph.name,
        graph.inputs.len(),
        inputs.len()
    );
    let mut scope = node.scope.inner();
    for (info, value) in graph.inputs.iter().zip(inputs) {
        scope.set(&info.name, value);
    }
    let outputs = translate_graph(graph, &mut scope, b).map_err(|error| error.to_string())?;
    Ok(outputs)
}

/// A condition of one truth value.
fn condition(b: &mut Builder, value: &Value) -> Outcome<bool> {
    let host = b.host(value)?;
    match &host.elements[..] {
        [Expr::Bool(condition)] => Ok(*condition),
        [other] => fail!("the condition must be known when the model is recorded, found {other:?}"),
        other => fail!("the condition must be one truth value, found {}", other.len()),
    }
}

pub(super) fn if_(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
    let branch = if condition(b, node.input(0)?)? { "then_branch" } else { "else_branch" };
    let graph = graph(node, branch)?;
    call(node, b, &graph, Vec::new())
}

/// Values of all steps, along a new axis.
fn stacked(b: &mut Builder, values: &[Value], axis: i64, info: &ValueType) -> Outcome<Value> {
    if values.is_empty() {
        let ValueType::Tensor { dtype, dims: Some(dims) } = info else {
            fail!("no step gave an output whose type is not declared")
        };
        let sizes = dims.iter().map(|dim| match dim {
            Dimension::Known(size) => Expr::from(*size),
            Dimension::Named(_) | Dimension::Unknown => Expr::Int(0),
        });
        let mut sizes: Vec<Expr> = sizes.collect();
        sizes.insert(0, Expr::Int(0));
        return Ok(b.full(&sizes, if *dtype == DType::Bool { false.into() } else { 0.into() }, *dtype)?.into());
    }
    let mut rows = Vec::with_capacity(values.len());
    for value in values {
        let x = b.tensor(value)?;
        let rank = x.rank() as i64 + 1;
        let axis = if axis < 0 { axis + rank } else { axis };
        let Ok(axis) = usize::try_from(axis) else { fail!("axis {axis} does not exist in rank {rank}") };
        require!(axis < rank as usize, "axis {axis} does not exist in rank {rank}");
        rows.push(if x.is_scalar() { (x.as_scalar(false), axis) } else { (b.unsqueeze_dims(&x, &[axis])?, axis) });
    }
    let axis = rows[0].1;
    let rows: Vec<Tensor> = rows.into_iter().map(|(row, _)| row).collect();
    Ok(if rows.len() == 1 { rows[0].clone() } else { b.cat(&rows, axis)? }.into())
}

/// The graph up to a number of times and while its condition holds: values go from step to step, others are collected.
pub(super) fn loop_(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
    let body = graph(node, "body")?;
    let most = match node.optional(0) {
        Some(value) => match b.host(value)?.elements[..] {
            [Expr::Int(most)] => most,
            ref other => fail!("the number of steps must be known when the model is recorded, found {other:?}"),
        },
        None => i64::MAX,
    };
    let mut goes_on = match node.optional(1) {
        Some(value) => condition(b, value)?,
        None => true,
    };
    let mut carried: Vec<Value> = Vec::new();
    for place in 2..node.inputs.len() {
        carried.push(node.input(place)?.clone());
    }
    let count = carried.len();
    require!(body.outputs.len() > count, "the graph of the loop must give a condition and {count} values");
    let mut collected: Vec<Vec<Value>> = vec![Vec::new(); body.outputs.len() - 1 - count];
    let mut step = 0;
    while goes_on && step < most {
        let mut inputs = vec![
            Host::scalar(DType::I64, step.into()).into(),
            Host::scalar(DType::Bool, Expr::Bool(goes_on)).into(),
        ];
        inputs.append(&mut carried);
        let mut outputs = call(node, b, &body, inputs)?.into_iter();
        let Some(next) = outputs.next() else { fail!("the graph of the loop gives no condition") };
        goes_on = condition(b, &next)?;
        carried.extend(outputs.by_ref().take(count));
        for (own, value) in collected.iter_mut().zip(outputs) {
            own.push(value);
        }
        step += 1;
    }
    for (own, info) in collected.iter().zip(&body.outputs[1 + count..]) {
        carried.push(stacked(b, own, 0, &info.value_type)?);
    }
    Ok(carried)
}

/// The graph for each slice of sequences: values go from step to step, others are collected. Version 8 has a batch in front.
pub(super) fn scan(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
    let body = graph(node, "body")?;
    let scanned = usize::try_from(node.int("num_scan_inputs", 0)?).unwrap_or(0);
    if node.opset < 9 {
        return by_batch(node, b, &body, scanned);
    }
    let inputs: Vec<Value> = (0..node.inputs.len()).map(|place| node.input(place).cloned()).collect::<Outcome<_>>()?;
    require!(scanned > 0 && scanned <= inputs.len(), "{scanned} sequences of {} inputs", inputs.len());
    let (states, sequences) = inputs.split_at(inputs.len() - scanned);
    let list = |name: &str, count: usize| -> Outcome<Vec<i64>> {
        let values = node.ints_attribute(name)?.unwrap_or_else(|| vec![0; count]);
        require!(values.len() == count, "attribute `{name}` must have {count} numbers, found {values:?}");
        Ok(values)
    };
    require!(body.outputs.len() >= states.len(), "the graph gives fewer values than it takes");
    let outputs = body.outputs.len() - states.len();
    let options = ScanOptions {
        axes: list("scan_input_axes", scanned)?,
        directions: list("scan_input_directions", scanned)?,
        output_axes: list("scan_output_axes", outputs)?,
        output_directions: list("scan_output_directions", outputs)?,
    };
    scanned_over(node, b, &body, states.to_vec(), sequences, &options)
}

#[derive(Debug)]
struct ScanOptions {
    axes: Vec<i64>,
    /// 1 is backwards.
    directions: Vec<i64>,
    output_axes: Vec<i64>,
    output_directions: Vec<i64>,
}

fn scanned_over(
    node: &Node<'_>,
    b: &mut Builder,
    body: &GraphDefinition,
    mut states: Vec<Value>,
    sequences: &[Value],
    options: &ScanOptions,
) -> Outcome<Vec<Value>> {
    let sequences: Vec<Tensor> = sequences.iter().map(|value| b.tensor(value)).collect::<Outcome<_>>()?;
    let mut axes = Vec::new();
    for (x, &axis) in sequences.iter().zip(&options.axes) {
        axes.push(node.axis(axis, x.rank())?);
    }
    let Some(steps) = sequences[0].dims()[axes[0]].size() else {
        fail!("the number of steps must be known when the model is recorded, found {:?}", sequences[0])
    };
    let count = states.len();
    let mut collected: Vec<Vec<Value>> = vec![Vec::new(); body.outputs.len() - count];
    for step in 0..steps {
        let mut inputs = std::mem::take(&mut states);
        for ((x, &axis), &direction) in sequences.iter().zip(&axes).zip(&options.directions) {
            let place = if direction == 1 { steps - 1 - step } else { step };
            inputs.push(item(b, x, axis, place)?.into());
        }
        let mut outputs = call(node, b, body, inputs)?.into_iter();
        states.extend(outputs.by_ref().take(count));
        for (own, value) in collected.iter_mut().zip(outputs) {
            own.push(value);
        }
    }
    for (place, mut own) in collected.into_iter().enumerate() {
        if options.output_directions[place] == 1 {
            own.reverse();
        }
        states.push(stacked(b, &own, options.output_axes[place], &body.outputs[count + place].value_type)?);
    }
    Ok(states)
}

/// Version 8: each item of the batch is scanned on its own.
fn by_batch(node: &Node<'_>, b: &mut Builder, body: &GraphDefinition, scanned: usize) -> Outcome<Vec<Value>> {
    require!(node.optional(0).is_none(), "sequences of different lengths are not supported");
    let inputs: Vec<Tensor> = (1..node.inputs.len()).map(|place| node.tensor(b, place)).collect::<Outcome<_>>()?;
    require!(scanned > 0 && scanned <= inputs.len(), "{scanned} sequences of {} inputs", inputs.len());
    let Some(items) = inputs[0].dims()[0].size() else { fail!("the size of the batch must be known") };
    let states = inputs.len() - scanned;
    let outputs = body.outputs.len().saturating_sub(states);
    let options = ScanOptions {
        axes: vec![0; scanned],
        directions: node.ints_attribute("directions")?.unwrap_or_else(|| vec![0; scanned]),
        output_axes: vec![0; outputs],
        output_directions: vec![0; outputs],
    };
    let mut all: Vec<Vec<Value>> = vec![Vec::new(); body.outputs.len()];
    for place in 0..items {
        let own: Vec<Value> = inputs.iter().map(|x| Ok(item(b, x, 0, place)?.into())).collect::<Outcome<_>>()?;
        let (first, sequences) = own.split_at(states);
        let values = scanned_over(node, b, body, first.to_vec(), sequences, &options)?;
        for (all, value) in all.iter_mut().zip(values) {
            all.push(value);
        }
    }
    let infos = body.outputs.iter();
    all.iter().zip(infos).map(|(values, info)| stacked(b, values, 0, &info.value_type)).collect()
}
