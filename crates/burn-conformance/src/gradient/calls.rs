//! One or more differentiable calls of every variant of every operation, in `f64`.

use super::quantization;
use crate::cases::{gradients_of, recurrent_grads_of};
use crate::input::{Input, Layout, given, spread};
use crate::{Family, number::Number};
use burn_backend::*;

/// A call, and what is special about it.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: String,
    pub op: Operation<Input>,
    /// Whether gradients flow through it.
    pub differentiable: bool,
    /// Both operands are one tensor.
    pub alias: bool,
    /// An operand that no gradient reaches: the result does not depend on it, or by comparisons only.
    pub without_gradient: Option<usize>,
}

pub const F: DType = DType::F64;

pub fn call(name: impl Into<String>, op: Operation<Input>) -> Call {
    Call {
        name: format!("{} {}", op.name(), name.into()),
        op,
        differentiable: true,
        alias: false,
        without_gradient: None,
    }
}

pub fn constant(name: impl Into<String>, op: Operation<Input>) -> Call {
    Call { differentiable: false, ..call(name, op) }
}

/// Distinct values away from zero and from each other by more than a difference quotient reaches.
fn x(shape: impl Into<Shape>) -> Input {
    spread(shape, F, -1.9, 2.0)
}

fn positive(shape: impl Into<Shape>) -> Input {
    spread(shape, F, 0.4, 1.9)
}

fn indices(values: &[i128], shape: impl Into<Shape>) -> Input {
    given(values, shape, DType::I64)
}

fn mask(values: &[i128], shape: impl Into<Shape>) -> Input {
    given(values, shape, DType::Bool)
}

/// The calls of `family`; none for what is no [`Operation`].
pub fn calls(family: Family) -> Vec<Call> {
    use Family::*;
    match family {
        Unary => UnaryOp::ALL.map(unary).into(),
        Binary => BinaryOp::ALL.into_iter().flat_map(binary).collect(),
        BinaryScalar => BinaryOp::ALL.into_iter().flat_map(binary_scalar).collect(),
        Compare => CompareOp::ALL
            .map(|op| constant("", Operation::Compare { op, lhs: x([4]), rhs: positive([4]) }))
            .into(),
        CompareScalar => CompareOp::ALL
            .map(|op| constant("", Operation::CompareScalar { op, lhs: x([4]), rhs: Scalar::Int(0) }))
            .into(),
        Clamp | Cast | MaskWhere | MaskFill => elementwise(family),
        Reshape | Permute | Expand | Flip | Slice | SliceAssign | Cat | RepeatDim => layout(family),
        Reduce => ReduceOp::ALL.into_iter().flat_map(reduce).collect(),
        Cumulative => CumulativeOp::ALL.into_iter().flat_map(cumulative).collect(),
        ArgReduce | ReduceWithIndices | Sort | SortWithIndices | TopK => order(family),
        Gather | Scatter | Select | SelectAssign => indexed(family),
        Matmul => matmul(),
        Factorize | Lu | Solve | SolveTriangular => linalg(family),
        Conv | ConvTranspose | ConvWeightGrad => conv(family),
        Pool | PoolGrad | MaxPoolWithIndices | AdaptiveAvgPool | AdaptiveAvgPoolGrad => pool(family),
        Fft => fft(),
        Softmax => vec![
            call("rows", Operation::Softmax { x: x([3, 4]), dim: 1 }),
            call("columns", Operation::Softmax { x: x([3, 4]), dim: 0 }),
        ],
        LogSoftmax => vec![
            call("rows", Operation::LogSoftmax { x: x([3, 4]), dim: 1 }),
            call("columns", Operation::LogSoftmax { x: x([3, 4]), dim: 0 }),
        ],
        LayerNorm => layer_norm(),
        LayerNormGrad => layer_norm_grad(),
        Attention | AttentionGrad => attention(family),
        Interpolate | InterpolateGrad => interpolate(family),
        Quantize | Dequantize | QuantizedMatmul | IntegerMatmul => quantization::calls(family),
        Recurrent | RecurrentGrad => {
            RecurrentKind::ALL.into_iter().flat_map(|kind| recurrent(family, kind)).collect()
        }
        DTypes | Creation | Random | Argwhere | Dropped | Threads | Calls => Vec::new(),
    }
}

fn layer_norm() -> Vec<Call> {
    let list = |given: bool, list: Input| given.then_some(list);
    let of = |weight, bias| {
        let (weight, bias) = (list(weight, positive([4])), list(bias, spread([4], F, -0.7, 0.5)));
        Operation::LayerNorm(Box::new(LayerNormArgs { x: x([3, 4]), weight, bias, epsilon: 1e-3 }))
    };
    vec![call("plain", of(false, false)), call("scaled", of(true, false)), call("affine", of(true, true))]
}

fn layer_norm_grad() -> Vec<Call> {
    let of = |weight| {
        let (grad, x) = (spread([3, 4], F, 1.7, -0.9), x([3, 4]));
        Operation::LayerNormGrad(Box::new(LayerNormGradArgs { grad, x, weight, epsilon: 1e-3 }))
    };
    vec![call("plain", of(None)), call("scaled", of(Some(positive([4]))))]
}

fn attention(family: Family) -> Vec<Call> {
    let hidden = [0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0].map(i128::from);
    // The third query sees nothing.
    let masks = [
        ("plain", None, false),
        ("causal", None, true),
        ("hidden", Some(mask(&hidden, [1, 1, 3, 4])), false),
        ("added", Some(spread([1, 2, 3, 4], F, -0.9, 1.1)), true),
    ];
    let calls = masks.map(|(name, mask, causal)| {
        let (query, key) = (x([1, 2, 3, 2]), spread([1, 1, 4, 2], F, -1.2, 1.5));
        let value = spread([1, 1, 4, 3], F, 1.7, -0.9);
        let args = AttentionArgs { query, key, value, mask, causal, scale: 0.6 };
        if family == Family::Attention {
            return call(name, Operation::Attention(Box::new(args)));
        }
        let grad = spread([1, 2, 3, 3], F, 1.3, -1.1);
        call(name, Operation::AttentionGrad(Box::new(gradients_of(args, grad))))
    });
    calls.into()
}

fn recurrent(family: Family, kind: RecurrentKind) -> Vec<Call> {
    let (time, batch, size) = (3, 2, 2);
    let state = |low, high| spread([batch, size], F, low, high);
    let runs = [(None, false), (None, true), (Some(vec![3, 1]), false), (Some(vec![2, 3]), true)];
    // The slope of a state that is zero has no difference quotient.
    let is_kinked = kind == RecurrentKind::Relu && family == Family::RecurrentGrad;
    let (low, low_weight) = if is_kinked { (0.5, 0.1) } else { (-1.3, -0.8) };
    let call_of = |(lengths, reverse): (Option<Vec<usize>>, bool)| {
        let args = RecurrentArgs {
            kind,
            gates: spread([time, batch, kind.gates() * size], F, low, 1.6),
            weight: spread([size, kind.gates() * size], F, 1.1, low_weight),
            hidden: state(0.2, 0.9),
            cell: (kind == RecurrentKind::Lstm).then(|| state(0.8, -0.7)),
            bias: (kind == RecurrentKind::Gru).then(|| spread([size], F, -0.4, 0.7)),
            lengths,
            reverse,
            keep_activations: true,
        };
        let name = format!("{kind:?}, lengths {:?}, reverse: {reverse}", args.lengths);
        if family == Family::Recurrent {
            return call(name, Operation::Recurrent(Box::new(args)));
        }
        let grad = spread([time + kind.states(), batch, size], F, 1.3, -1.1);
        // The gradient of a ReLU network reads the sign of the hidden states, that of an LSTM does not read them.
        let is_without = matches!(kind, RecurrentKind::Relu | RecurrentKind::Lstm);
        let without_gradient = is_without.then_some(1);
        Call {
            without_gradient,
            ..call(name, Operation::RecurrentGrad(Box::new(recurrent_grads_of(args, grad))))
        }
    };
    runs.into_iter().map(call_of).collect()
}

fn fft() -> Vec<Call> {
    let mut calls = Vec::new();
    for n in [1, 2, 3, 6, 7] {
        let mut add = |name: &str, op, shape: &[usize], dim| {
            calls.push(call(format!("{name} of {n}"), Operation::Fft { op, x: x(shape), dim }));
        };
        for op in [FftOp::Forward, FftOp::Backward] {
            add("last", op, &[2, n, 2], 1);
            add("first", op, &[n, 2, 2], 0);
        }
        add("last", FftOp::Real, &[2, n], 1);
        add("first", FftOp::Real, &[n, 3], 0);
        add("last", FftOp::Half { n }, &[2, n / 2 + 1, 2], 1);
        add("first", FftOp::Half { n }, &[n / 2 + 1, 2, 2], 0);
    }
    calls
}

fn unary(op: UnaryOp) -> Call {
    use UnaryOp::*;
    let signed = |op| call("", Operation::Unary { op, x: x([7]) });
    match op {
        Neg | Abs | Square | Exp | ExpM1 | Sin | Cos | Atan | Sinh | Cosh | Tanh | Asinh | Erf => signed(op),
        Sigmoid | LogSigmoid | Relu | Gelu | Silu | Sign | Floor | Ceil | Round | Trunc => signed(op),
        Log | Log1p | Sqrt | Recip => call("", Operation::Unary { op, x: positive([7]) }),
        Acosh => call("", Operation::Unary { op, x: spread([7], F, 1.2, 3.0) }),
        Tan | Asin | Acos | Atanh => call("", Operation::Unary { op, x: spread([7], F, -0.8, 0.8) }),
        Not => constant("", Operation::Unary { op, x: mask(&[0, 1], [2]) }),
    }
}

fn binary(op: BinaryOp) -> Vec<Call> {
    use BinaryOp::*;
    let left = |shape: &[usize]| match op {
        Pow => positive(shape),
        Add | Sub | Mul | Div | Remainder | Fmod | Atan2 | Hypot | Max | Min => x(shape),
        And | Or | Xor | ShiftLeft | ShiftRight => x(shape),
    };
    let right = |shape: &[usize]| match op {
        Div | Pow | Atan2 | Hypot | Remainder | Fmod => spread(shape, F, 0.7, 1.6),
        Add | Sub | Mul | Max | Min | And | Or | Xor | ShiftLeft | ShiftRight => {
            spread(shape, F, -1.51, 1.77)
        }
    };
    match op {
        Add | Sub | Mul | Div | Remainder | Fmod | Pow | Atan2 | Hypot | Max | Min => {}
        And | Or | Xor => {
            let bools = || mask(&[0, 1, 1], [3]);
            return vec![constant("", Operation::Binary { op, lhs: bools(), rhs: bools() })];
        }
        ShiftLeft | ShiftRight => {
            let counts = || indices(&[0, 1, 2], [3]);
            return vec![constant("", Operation::Binary { op, lhs: counts(), rhs: counts() })];
        }
    }
    let shapes: [(&[usize], &[usize]); 6] =
        [(&[5], &[5]), (&[2, 3], &[3]), (&[3], &[2, 3]), (&[2, 1], &[1, 3]), (&[], &[2, 2]), (&[2, 3], &[1])];
    let mut calls: Vec<Call> = shapes
        .map(|(lhs, rhs)| {
            call(format!("{lhs:?} {rhs:?}"), Operation::Binary { op, lhs: left(lhs), rhs: right(rhs) })
        })
        .into();
    let view = Operation::Binary {
        op,
        lhs: left(&[3, 2]).laid_out(Layout::Transposed),
        rhs: right(&[3, 2]).laid_out(Layout::Stepped),
    };
    calls.push(call("of views", view));
    // Of one tensor twice, those that have a slope there.
    if !matches!(op, Max | Min | Remainder | Fmod) {
        let same = Operation::Binary { op, lhs: positive([4]), rhs: positive([4]) };
        calls.push(Call { alias: true, ..call("with itself", same) });
    }
    calls
}

fn binary_scalar(op: BinaryOp) -> Vec<Call> {
    use BinaryOp::*;
    let scalar = |lhs: Input, rhs: f64| {
        call(format!("by {rhs}"), Operation::BinaryScalar { op, lhs, rhs: Scalar::Float(rhs) })
    };
    match op {
        Add | Sub | Mul | Max | Min => vec![scalar(x([5]), 0.3), scalar(x([5]), -1.7)],
        Div | Remainder | Fmod | Atan2 | Hypot => vec![scalar(x([5]), 0.8), scalar(x([5]), -1.7)],
        Pow => vec![
            scalar(positive([5]), 0.5),
            scalar(positive([5]), -1.3),
            scalar(x([5]), 2.0),
            scalar(x([5]), 3.0),
            scalar(x([5]), 1.0),
            scalar(x([5]), 0.0),
        ],
        And | Or | Xor => {
            let lhs = mask(&[0, 1, 1], [3]);
            vec![constant("", Operation::BinaryScalar { op, lhs, rhs: Scalar::Bool(true) })]
        }
        ShiftLeft | ShiftRight => {
            let lhs = indices(&[0, 1, 2], [3]);
            vec![constant("", Operation::BinaryScalar { op, lhs, rhs: Scalar::Int(1) })]
        }
    }
}

fn elementwise(family: Family) -> Vec<Call> {
    let float = |x| Some(Scalar::Float(x));
    if family == Family::Clamp {
        let bounds = [(float(-0.7), float(0.9)), (float(0.1), None), (None, float(0.1)), (None, None)];
        return bounds
            .map(|(min, max)| call(format!("{min:?} {max:?}"), Operation::Clamp { x: x([6]), min, max }))
            .into();
    }
    if family == Family::Cast {
        return vec![
            call("to f64", Operation::Cast { x: x([4]), dtype: F }),
            constant("to i64", Operation::Cast { x: x([4]), dtype: DType::I64 }),
            constant("to bool", Operation::Cast { x: x([4]), dtype: DType::Bool }),
        ];
    }
    let half = || mask(&[1, 0, 0, 1, 1, 0], [2, 3]);
    if family == Family::MaskFill {
        let value = Scalar::Float(3.0);
        return vec![
            call("", Operation::MaskFill { x: x([2, 3]), mask: half(), value }),
            call("rows", Operation::MaskFill { x: x([2, 3]), mask: mask(&[1, 0, 1], [3]), value }),
        ];
    }
    vec![
        call("", Operation::MaskWhere { mask: half(), on: x([2, 3]), off: positive([2, 3]) }),
        call("broadcast", Operation::MaskWhere { mask: half(), on: x([3]), off: positive([2, 1]) }),
        call(
            "narrow mask",
            Operation::MaskWhere { mask: mask(&[1, 0], [2, 1]), on: x([]), off: positive([2, 3]) },
        ),
    ]
}

fn layout(family: Family) -> Vec<Call> {
    let step = |start, end, step| burn_backend::Slice { start, end, step };
    let op = match family {
        Family::Reshape => {
            Operation::Reshape { x: x([2, 3]).laid_out(Layout::Transposed), shape: [3, 2].into() }
        }
        Family::Permute => Operation::Permute { x: x([2, 3, 2]), axes: [2, 0, 1].into() },
        Family::Expand => {
            return vec![
                call("", Operation::Expand { x: x([2, 1]), shape: [3, 2, 2].into() }),
                call("rank 0", Operation::Expand { x: x([]), shape: [3].into() }),
            ];
        }
        Family::Flip => Operation::Flip { x: x([2, 3]), axes: [0, 1].into() },
        Family::Slice => {
            Operation::Slice { x: x([3, 5]), slices: [step(1, 3, 1), step(0, 5, 2)].into_iter().collect() }
        }
        Family::SliceAssign => {
            let slices = [step(1, 3, 1), step(0, 5, 2)].into_iter().collect();
            Operation::SliceAssign { x: x([3, 5]), slices, value: positive([2, 3]) }
        }
        Family::Cat => Operation::Cat { xs: vec![x([2, 1]), positive([2, 2]), x([2, 3])], dim: 1 },
        Family::RepeatDim => {
            return (0..2)
                .map(|dim| call(format!("{dim}"), Operation::RepeatDim { x: x([2, 3]), dim, times: 3 }))
                .collect();
        }
        _ => unreachable!("no layout"),
    };
    vec![call("", op)]
}

fn reduce(op: ReduceOp) -> Vec<Call> {
    if matches!(op, ReduceOp::Any | ReduceOp::All) {
        return vec![constant("", Operation::Reduce { op, x: mask(&[0, 1], [2]), dims: [0].into() })];
    }
    let over = |dims: &[usize]| {
        let op = Operation::Reduce { op, x: x([2, 3, 2]), dims: Dims::from(dims) };
        call(format!("over {dims:?}"), op)
    };
    let mut calls = vec![over(&[0]), over(&[1]), over(&[2]), over(&[0, 2]), over(&[0, 1, 2]), over(&[])];
    if op == ReduceOp::Prod {
        for zeros in [vec![1], vec![0, 2]] {
            let mut array = x([2, 3]).array();
            zeros.iter().for_each(|&at| array.values[at] = Number::Float(0.0));
            let op = Operation::Reduce { op, x: Input::new(array.to_data()), dims: [1].into() };
            calls.push(call(format!("with zeros at {zeros:?}"), op));
        }
    }
    calls
}

fn cumulative(op: CumulativeOp) -> Vec<Call> {
    let along = |dim| call(format!("along {dim}"), Operation::Cumulative { op, x: x([3, 4]), dim });
    let mut calls = vec![along(0), along(1)];
    if op == CumulativeOp::Prod {
        let mut array = x([2, 4]).array();
        array.values[1] = Number::Float(0.0);
        let op = Operation::Cumulative { op, x: Input::new(array.to_data()), dim: 1 };
        calls.push(call("with a zero", op));
    }
    calls
}

fn order(family: Family) -> Vec<Call> {
    let index = DType::I64;
    let ops = |dim: usize, flag: bool| match family {
        Family::ArgReduce => {
            Operation::ArgReduce { op: Extremum::ALL[usize::from(flag)], x: x([3, 4]), dim, index }
        }
        Family::ReduceWithIndices => {
            Operation::ReduceWithIndices { op: Extremum::ALL[usize::from(flag)], x: x([3, 4]), dim, index }
        }
        Family::Sort => Operation::Sort { x: x([3, 4]), dim, descending: flag },
        Family::SortWithIndices => Operation::SortWithIndices { x: x([3, 4]), dim, descending: flag, index },
        _ => Operation::TopK { x: x([3, 4]), k: 2, dim, largest: flag, index },
    };
    let all = [(0, false), (0, true), (1, false), (1, true)];
    let differentiable = family != Family::ArgReduce;
    all.map(|(dim, flag)| Call { differentiable, ..call(format!("along {dim}, {flag}"), ops(dim, flag)) })
        .into()
}

fn indexed(family: Family) -> Vec<Call> {
    let at = || indices(&[2, 0, 1, 1, 1, 0], [3, 2]);
    let list = || indices(&[2, 0, 2, 1], [4]);
    match family {
        Family::Gather => vec![
            call("along 0", Operation::Gather { x: x([3, 4]), dim: 0, indices: at() }),
            call("along 1", Operation::Gather { x: x([3, 4]), dim: 1, indices: at() }),
        ],
        Family::Select => vec![
            call("along 0", Operation::Select { x: x([3, 2]), dim: 0, indices: list() }),
            call("along 1", Operation::Select { x: x([2, 3]), dim: 1, indices: list() }),
        ],
        // Some places are written twice: of assigned values, the last one counts.
        Family::Scatter => IndexUpdate::ALL
            .map(|update| {
                let (x, indices, value) = (x([3, 4]), at(), positive([3, 2]));
                call(format!("{update:?}"), Operation::Scatter { x, dim: 0, indices, value, update })
            })
            .into(),
        _ => IndexUpdate::ALL
            .map(|update| {
                let (x, indices, value) = (x([3, 2]), list(), positive([4, 2]));
                call(format!("{update:?}"), Operation::SelectAssign { x, dim: 0, indices, value, update })
            })
            .into(),
    }
}

fn matmul() -> Vec<Call> {
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[2, 3], &[3, 2]),
        (&[2, 2, 3], &[2, 3, 2]),
        (&[2, 2, 3], &[3, 2]),
        (&[2, 3], &[2, 3, 2]),
        (&[2, 1, 1, 3], &[2, 3, 2]),
        (&[1, 3], &[3, 1]),
    ];
    let mut calls: Vec<Call> = shapes
        .map(|(lhs, rhs)| {
            call(format!("{lhs:?} {rhs:?}"), Operation::Matmul { lhs: x(lhs), rhs: positive(rhs) })
        })
        .into();
    let (lhs, rhs) = (x([2, 3]).laid_out(Layout::Transposed), positive([3, 2]).laid_out(Layout::Transposed));
    calls.push(call("of views", Operation::Matmul { lhs, rhs }));
    let same = Operation::Matmul { lhs: x([3, 3]), rhs: x([3, 3]) };
    calls.push(Call { alias: true, ..call("with itself", same) });
    calls
}

/// Small elements beside a diagonal of distinct ones: values far from each other, pivots that stay where they are.
fn matrices(shape: impl Into<Shape>) -> Input {
    let array = spread(shape, F, -0.45, 0.4).array();
    let rank = array.shape().rank();
    let along = |i: &[usize]| if i[rank - 2] == i[rank - 1] { 1.1 + 0.9 * i[rank - 1] as f64 } else { 0.0 };
    let at = |i: &[usize]| Number::Float(array.at(i).to_f64() + along(i));
    Input::new(crate::array::Array::build(array.shape().clone(), F, at).to_data())
}

fn linalg(family: Family) -> Vec<Call> {
    let square: [&[usize]; 3] = [&[1, 1], &[3, 3], &[2, 3, 3]];
    let oblong: [&[usize]; 3] = [&[4, 2], &[2, 4], &[2, 3, 2]];
    let systems: [(&[usize], &[usize]); 4] =
        [(&[3, 3], &[3, 2]), (&[2, 3, 3], &[2, 3, 1]), (&[2, 3, 3], &[3, 2]), (&[3, 3], &[2, 3, 2])];
    let shapes =
        |square_only: bool| square.into_iter().chain(oblong.into_iter().filter(move |_| !square_only));
    let mut calls = Vec::new();
    match family {
        Family::Factorize => {
            for op in Factorization::ALL {
                for shape in shapes(op.needs_square()) {
                    let x = matrices(shape);
                    calls.push(call(format!("{shape:?}"), Operation::Factorize { op, x }));
                }
                let x = matrices([3, 3]).laid_out(Layout::Transposed);
                calls.push(call("of a view", Operation::Factorize { op, x }));
            }
        }
        Family::Lu => {
            for shape in shapes(false) {
                // The last row first: the pivots are elsewhere.
                let x = matrices(shape).array();
                let (rows, row) = (x.shape()[x.shape().rank() - 2], x.shape().rank() - 2);
                let turn = |i: &[usize]| x.at(&crate::array::replace(i, row, (i[row] + 1) % rows));
                let x = crate::array::Array::build(x.shape().clone(), F, turn);
                let x = Input::new(x.to_data());
                calls.push(call(format!("{shape:?}"), Operation::Lu { x, index: DType::I64 }));
            }
        }
        Family::Solve => {
            for (a, b) in systems {
                let op = Operation::Solve { a: matrices(a), b: x(b) };
                calls.push(call(format!("{a:?} {b:?}"), op));
            }
            let same = Operation::Solve { a: matrices([3, 3]), b: matrices([3, 3]) };
            calls.push(Call { alias: true, ..call("with itself", same) });
        }
        _ => {
            for triangle in Triangle::ALL {
                for (a, b) in systems {
                    let op = Operation::SolveTriangular { a: matrices(a), b: x(b), triangle };
                    calls.push(call(format!("{a:?} {b:?}, {triangle:?}"), op));
                }
            }
        }
    }
    calls
}

fn conv(family: Family) -> Vec<Call> {
    let options = |list: [&[usize]; 3], groups| {
        let [stride, padding, dilation] = list.map(Dims::from);
        ConvOptions { stride, padding, dilation, groups }
    };
    let geometries: [(Shape, Shape, ConvOptions); 4] = [
        ([2, 2, 5].into(), [3, 2, 3].into(), options([&[1], &[1], &[1]], 1)),
        ([1, 4, 5, 4].into(), [2, 2, 2, 3].into(), options([&[2, 1], &[1, 1], &[2, 1]], 2)),
        ([1, 2, 4, 4].into(), [2, 1, 3, 3].into(), options([&[1, 1], &[1, 1], &[1, 1]], 2)),
        ([1, 1, 3, 2, 3].into(), [2, 1, 2, 2, 2].into(), options([&[1, 1, 2], &[0, 0, 1], &[1, 1, 1]], 1)),
    ];
    let op = |(shape, weight, options): (Shape, Shape, ConvOptions)| {
        let size = |d: usize| options.output_size(d, shape[d + 2], weight[d + 2]).expect("the kernel fits");
        let out: Shape =
            [shape[0], weight[0]].into_iter().chain((0..options.stride.len()).map(size)).collect();
        let name = format!("{shape:?} {weight:?}");
        let op = match family {
            Family::Conv => {
                let bias = Some(x([weight[0]]));
                Operation::Conv(Box::new(ConvArgs { x: x(shape), weight: positive(weight), bias, options }))
            }
            Family::ConvTranspose => {
                let (grad, other, target) = (x(out), positive(weight), shape);
                Operation::ConvTranspose(Box::new(ConvGradArgs { grad, other, target, options }))
            }
            _ => {
                let (grad, other, target) = (positive(out), x(shape), weight);
                Operation::ConvWeightGrad(Box::new(ConvGradArgs { grad, other, target, options }))
            }
        };
        call(name, op)
    };
    geometries.map(op).into()
}

fn interpolate(family: Family) -> Vec<Call> {
    let sizes: [(Shape, Dims); 3] = [
        ([1, 2, 3].into(), [5].into()),
        ([1, 1, 3, 4].into(), [5, 2].into()),
        ([1, 1, 4, 2].into(), [3, 5].into()),
    ];
    let of = |mode: InterpolateMode| {
        sizes.clone().map(|(shape, size)| {
            let options = Box::new(Interpolation { mode, align_corners: false, factors: vec![] });
            let op = if family == Family::Interpolate {
                Operation::Interpolate { x: x(shape), size, options }
            } else {
                let grad: Shape = shape[..2].iter().chain(size.iter()).copied().collect();
                Operation::InterpolateGrad { grad: x(grad), target: shape, options }
            };
            call(format!("{mode:?}"), op)
        })
    };
    InterpolateMode::ALL.into_iter().flat_map(of).collect()
}

fn pool(family: Family) -> Vec<Call> {
    let adaptive: [(Shape, Dims); 2] = [([1, 2, 5].into(), [3].into()), ([1, 1, 4, 5].into(), [2, 3].into())];
    if family == Family::AdaptiveAvgPool {
        let op = |(shape, size): (Shape, Dims)| call("", Operation::AdaptiveAvgPool { x: x(shape), size });
        return adaptive.map(op).into();
    }
    if family == Family::AdaptiveAvgPoolGrad {
        let op = |(target, size): (Shape, Dims)| {
            let shape: Shape = target[..2].iter().chain(size.iter()).copied().collect();
            call("", Operation::AdaptiveAvgPoolGrad { grad: x(shape), target })
        };
        return adaptive.map(op).into();
    }
    let options = |list: [&[usize]; 4]| {
        let [kernel, stride, padding, dilation] = list.map(Dims::from);
        PoolOptions { kernel, stride, padding, dilation }
    };
    let geometries: [(Shape, PoolOptions); 3] = [
        ([1, 2, 6].into(), options([&[3], &[2], &[1], &[1]])),
        ([1, 1, 4, 5].into(), options([&[2, 2], &[1, 2], &[0, 1], &[1, 1]])),
        ([1, 1, 5, 5].into(), options([&[2, 2], &[2, 1], &[0, 0], &[2, 1]])),
    ];
    let mut calls = Vec::new();
    for (shape, options) in geometries {
        if family == Family::MaxPoolWithIndices {
            let op =
                Operation::MaxPoolWithIndices { x: x(shape), options: Box::new(options), index: DType::I64 };
            calls.push(call("", op));
            continue;
        }
        let size = |d: usize| options.output_size(d, shape[d + 2]).expect("a window fits");
        let out: Shape = shape[..2].iter().copied().chain((0..options.kernel.len()).map(size)).collect();
        for kind in PoolKind::ALL {
            let options = options.clone();
            let op = if family == Family::Pool {
                Operation::Pool(Box::new(PoolArgs { kind, x: x(&shape), options }))
            } else {
                let input = (kind == PoolKind::Max).then(|| x(&shape));
                let (grad, target) = (positive(&out), shape.clone());
                Operation::PoolGrad(Box::new(PoolGradArgs { kind, grad, x: input, target, options }))
            };
            calls.push(call(format!("{kind:?}"), op));
        }
    }
    calls
}
