//! Operations that compute each element from the elements at the same index.

use super::*;

/// Checks of [`Family::Unary`].
pub struct UnaryChecks;

impl OperationChecks for UnaryChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in DType::ALL {
            let mut inputs = operands(dtype);
            for class in classes(dtype) {
                // Repeated, so that vector kernels meet the values and not only the tails of the loops.
                let values: Vec<Number> =
                    class.values.iter().cycle().take(64.max(class.values.len())).copied().collect();
                inputs.push((class.name.into(), list(&values, dtype)));
                inputs.push((
                    format!("{}, stepped", class.name),
                    list(&class.values, dtype).laid_out(MemoryLayout::Stepped),
                ));
            }
            for op in UnaryOp::ALL.into_iter().filter(|op| op.accepts(dtype)) {
                for (name, input) in &inputs {
                    emit(Case::new(
                        name.clone(),
                        dtype,
                        Operation::Elementwise(Elementwise::Unary { op, x: input.clone() }),
                    ));
                }
                if is_large(op, UnaryOp::ALL, dtype) {
                    emit(Case::new(
                        "large",
                        dtype,
                        Operation::Elementwise(Elementwise::Unary { op, x: ordinary([LARGE], dtype) }),
                    ));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        UnaryOp::ALL.map(|op| Operation::Elementwise(Elementwise::Unary { op, x: x.clone() })).into()
    }

    fn gradients(&self) -> Vec<Call> {
        UnaryOp::ALL.map(gradients_of_unary).into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::Unary { op: calls.random.pick(&UnaryOp::ALL), x })
    }
}

/// Checks of [`Family::Binary`].
pub struct BinaryChecks;

impl OperationChecks for BinaryChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in DType::ALL {
            let pairs: Vec<_> = pairs(dtype).into_iter().chain(special_pairs(dtype)).collect();
            for op in BinaryOp::ALL.into_iter().filter(|op| op.accepts(dtype)) {
                for (name, lhs, rhs) in &pairs {
                    let (lhs, rhs) = (lhs.clone(), rhs.clone());
                    emit(Case::new(
                        name.clone(),
                        dtype,
                        Operation::Elementwise(Elementwise::Binary { op, lhs, rhs }),
                    ));
                }
                if is_large(op, BinaryOp::ALL, dtype) {
                    for (name, lhs, rhs) in large_pairs(dtype, op == BinaryOp::Add) {
                        emit(Case::new(
                            name,
                            dtype,
                            Operation::Elementwise(Elementwise::Binary { op, lhs, rhs }),
                        ));
                    }
                }
                let x = spread([37], dtype, 0.5, 4.0);
                let both = Operation::Elementwise(Elementwise::Binary { op, lhs: x.clone(), rhs: x });
                emit(Case { alias: true, ..Case::new("twice the same tensor", dtype, both) });
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let other = matrix(dtype);
        let column = spec([ROWS, 1], dtype);
        BinaryOp::ALL
            .into_iter()
            .flat_map(|op| {
                [&other, &column].map(|rhs| {
                    Operation::Elementwise(Elementwise::Binary { op, lhs: x.clone(), rhs: rhs.clone() })
                })
            })
            .collect()
    }

    fn gradients(&self) -> Vec<Call> {
        BinaryOp::ALL.into_iter().flat_map(gradients_of_binary).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::Binary {
            op: calls.random.pick(&BinaryOp::ALL),
            rhs: calls.like(&x),
            lhs: x,
        })
    }
}

/// Checks of [`Family::BinaryScalar`].
pub struct BinaryScalarChecks;

impl OperationChecks for BinaryScalarChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in DType::ALL {
            for op in BinaryOp::ALL.into_iter().filter(|op| op.accepts(dtype)) {
                for rhs in scalars(dtype) {
                    for (name, lhs) in left(dtype) {
                        let op = Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs });
                        emit(Case::new(format!("{rhs:?}, {name}"), dtype, op));
                    }
                }
                if is_large(op, BinaryOp::ALL, dtype) {
                    let lhs = ordinary([LARGE], dtype);
                    emit(Case::new(
                        "large",
                        dtype,
                        Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Int(2) }),
                    ));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let value = Scalar::Float(0.5);
        BinaryOp::ALL
            .map(|op| Operation::Elementwise(Elementwise::BinaryScalar { op, lhs: x.clone(), rhs: value }))
            .into()
    }

    fn gradients(&self) -> Vec<Call> {
        BinaryOp::ALL.into_iter().flat_map(gradients_of_binary_scalar).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::BinaryScalar {
            op: calls.random.pick(&BinaryOp::ALL),
            lhs: x,
            rhs: calls.scalar(),
        })
    }
}

/// Checks of [`Family::Clamp`].
pub struct ClampChecks;

impl OperationChecks for ClampChecks {
    fn cases(&self, emit: Emit<'_>) {
        let bounds = [
            (Some(Scalar::Int(1)), Some(Scalar::Int(2))),
            (Some(Scalar::Int(2)), None),
            (None, Some(Scalar::Float(2.0))),
            (None, None),
            // The upper bound has the last word.
            (Some(Scalar::Int(3)), Some(Scalar::Int(1))),
        ];
        for dtype in numbers() {
            for (min, max) in bounds {
                let mut inputs = left(dtype);
                if is_large((min, max), bounds, dtype) {
                    inputs.push(("large".into(), ordinary([LARGE], dtype)));
                }
                for (name, x) in inputs {
                    let op = Operation::Elementwise(Elementwise::Clamp { x, min, max });
                    emit(Case::new(format!("{min:?} to {max:?}, {name}"), dtype, op));
                }
            }
        }
        for dtype in floats() {
            let (min, max) = (Some(Scalar::Float(-1.5)), Some(Scalar::Float(0.1)));
            for (name, x) in left(dtype) {
                emit(Case::new(
                    format!("fractions, {name}"),
                    dtype,
                    Operation::Elementwise(Elementwise::Clamp { x, min, max }),
                ));
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let value = Scalar::Float(0.5);
        vec![Operation::Elementwise(Elementwise::Clamp { x, min: Some(value), max: None })]
    }

    fn gradients(&self) -> Vec<Call> {
        let float = |x| Some(Scalar::Float(x));
        let bounds = [(float(-0.7), float(0.9)), (float(0.1), None), (None, float(0.1)), (None, None)];
        bounds
            .map(|(min, max)| {
                call(
                    format!("{min:?} {max:?}"),
                    Operation::Elementwise(Elementwise::Clamp { x: signed([6]), min, max }),
                )
            })
            .into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let bound = |this: &mut Calls<'_>| this.flag().then(|| this.scalar());
        Operation::Elementwise(Elementwise::Clamp { x, min: bound(calls), max: bound(calls) })
    }
}

/// Checks of [`Family::Cast`].
pub struct CastChecks;

impl OperationChecks for CastChecks {
    fn cases(&self, emit: Emit<'_>) {
        for from in DType::ALL {
            let mut inputs = left(from);
            inputs.push(("large".into(), ordinary([4_099], from)));
            for dtype in DType::ALL {
                for (name, x) in &inputs {
                    let op = Operation::Elementwise(Elementwise::Cast { x: x.clone(), dtype });
                    emit(Case::new(format!("to {dtype}, {name}"), from, op));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        DType::ALL.map(|dtype| Operation::Elementwise(Elementwise::Cast { x: x.clone(), dtype })).into()
    }

    fn gradients(&self) -> Vec<Call> {
        vec![
            call("to f64", Operation::Elementwise(Elementwise::Cast { x: signed([4]), dtype: F })),
            constant(
                "to i64",
                Operation::Elementwise(Elementwise::Cast { x: signed([4]), dtype: DType::I64 }),
            ),
            constant(
                "to bool",
                Operation::Elementwise(Elementwise::Cast { x: signed([4]), dtype: DType::Bool }),
            ),
        ]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::Cast { x, dtype: calls.random.pick(&DType::ALL) })
    }
}

/// Two operands whose shapes broadcast, in pairs of layouts.
pub(super) fn pairs(dtype: DType) -> Vec<(String, Input, Input)> {
    let mut pairs = Vec::new();
    let other = |shape: Shape| spread(shape, dtype, 0.5, 4.0);
    for lhs in MemoryLayout::ALL {
        for rhs in MemoryLayout::ALL {
            let x = ordinary([5, 9], dtype).laid_out(lhs);
            let y = other([5, 9].into()).laid_out(rhs);
            pairs.push((format!("{lhs:?} and {rhs:?}"), x, y));
        }
    }
    for layout in MemoryLayout::ALL {
        for shape in [Shape::new([]), [0].into(), [0, 4].into(), [2, 0, 3].into()] {
            let (x, y) = (ordinary(shape.clone(), dtype), other(shape.clone()));
            pairs.push((format!("{shape:?}, {layout:?}"), x.laid_out(layout), y.laid_out(layout)));
        }
    }
    let shapes: [(Shape, Shape); 15] = [
        ([0].into(), [].into()),
        ([].into(), [].into()),
        ([1].into(), [1].into()),
        ([0, 4].into(), [0, 4].into()),
        ([0, 4].into(), [1, 4].into()),
        ([3, 1].into(), [0].into()),
        ([5, 9].into(), [9].into()),
        ([9].into(), [5, 9].into()),
        ([5, 9].into(), [5, 1].into()),
        ([5, 1].into(), [1, 9].into()),
        ([1, 9].into(), [5, 1].into()),
        ([5, 9].into(), [].into()),
        ([1].into(), [5, 9].into()),
        ([2, 3, 4, 5].into(), [3, 1, 5].into()),
        ([2, 1, 4, 1].into(), [1, 3, 1, 5].into()),
    ];
    for (x, y) in shapes {
        let name = format!("{x:?} and {y:?}");
        pairs.push((name.clone(), ordinary(x.clone(), dtype), other(y.clone())));
        pairs.push((
            format!("{name}, transposed"),
            ordinary(x, dtype).laid_out(MemoryLayout::Transposed),
            other(y).laid_out(MemoryLayout::Transposed),
        ));
    }
    pairs
}

/// Pairs of more than 70,000 elements; those that broadcast for one function only.
pub(super) fn large_pairs(dtype: DType, broadcast: bool) -> Vec<(&'static str, Input, Input)> {
    let other = |shape: Shape| spread(shape, dtype, 0.5, 4.0);
    let mut pairs = vec![("large", ordinary([LARGE], dtype), other([LARGE].into()))];
    if broadcast {
        pairs.push(("large rows", ordinary([260, 270], dtype), other([270].into())));
        pairs.push(("large columns", ordinary([260, 1], dtype), other([260, 270].into())));
    }
    pairs
}

/// Every pair of the special values of each two classes.
pub(super) fn special_pairs(dtype: DType) -> Vec<(String, Input, Input)> {
    let classes = classes(dtype);
    let mut pairs = Vec::new();
    for lhs in &classes {
        for rhs in &classes {
            let xs = lhs.values.iter().flat_map(|&x| vec![x; rhs.values.len()]);
            let ys = rhs.values.iter().cycle().take(lhs.values.len() * rhs.values.len());
            let (xs, ys): (Vec<_>, Vec<_>) = (xs.collect(), ys.copied().collect());
            pairs.push((format!("{} and {}", lhs.name, rhs.name), list(&xs, dtype), list(&ys, dtype)));
        }
    }
    pairs
}

/// Numbers on the right that the dtype can hold.
pub(super) fn scalars(dtype: DType) -> Vec<Scalar> {
    if dtype.is_float() {
        let values = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -2.5, 0.1, f64::INFINITY, f64::NAN];
        let floats = values.into_iter().map(Scalar::Float);
        return floats.chain([Scalar::Int(2), Scalar::Int(-3), Scalar::UInt(7)]).collect();
    }
    if dtype == DType::Bool {
        return vec![Scalar::Bool(true), Scalar::Bool(false), Scalar::Int(1)];
    }
    let mut scalars =
        vec![Scalar::Int(0), Scalar::Int(1), Scalar::Int(2), Scalar::UInt(7), Scalar::Float(3.0)];
    if dtype.is_signed() {
        scalars.extend([Scalar::Int(-1), Scalar::Int(-3)]);
    }
    let high = crate::number::highest(dtype);
    scalars.push(if dtype == DType::U64 { Scalar::UInt(u64::MAX) } else { Scalar::Int(high as i64) });
    scalars
}

pub(super) fn left(dtype: DType) -> Vec<(String, Input)> {
    let layouts =
        MemoryLayout::ALL.map(|layout| (format!("{layout:?}"), ordinary([5, 9], dtype).laid_out(layout)));
    let special = classes(dtype).into_iter().map(|class| (class.name.into(), list(&class.values, dtype)));
    let shapes: [Shape; 4] = [[].into(), [1].into(), [0, 3].into(), [3, 0].into()];
    let views = |shape: Shape| {
        [MemoryLayout::Contiguous, MemoryLayout::Stepped].map(|layout| {
            (format!("shape {shape:?}, {layout:?}"), ordinary(shape.clone(), dtype).laid_out(layout))
        })
    };
    let shapes = shapes.into_iter().flat_map(views);
    layouts.into_iter().chain(special).chain(shapes).collect()
}

/// Results of an operation by its definition.
pub fn evaluate(op: &Elementwise<Array>) -> Outputs<Expected> {
    match op {
        Elementwise::Unary { op, x } => {
            let array = x.map(x.dtype(), |x| number::unary(*op, x));
            Expected { array, tolerance: tolerance::unary(*op, x.dtype()) }.into()
        }
        Elementwise::Binary { op, lhs, rhs } => {
            Expected { array: binary(*op, lhs, rhs), tolerance: tolerance::binary(*op) }.into()
        }
        Elementwise::BinaryScalar { op, lhs, rhs } => {
            let rhs = Number::from_scalar(*rhs, lhs.dtype());
            let array = lhs.map(lhs.dtype(), |x| number::binary(*op, x, rhs));
            Expected { array, tolerance: tolerance::binary(*op) }.into()
        }
        Elementwise::Compare { op, lhs, rhs } => {
            let shape = broadcast(lhs.shape(), rhs.shape());
            Expected::moved(Array::build(shape, DType::Bool, |i| {
                Number::Bool(number::compare(*op, lhs.at(i), rhs.at(i)))
            }))
        }
        Elementwise::CompareScalar { op, lhs, rhs } => {
            let rhs = Number::from_scalar(*rhs, lhs.dtype());
            Expected::moved(lhs.map(DType::Bool, |x| Number::Bool(number::compare(*op, x, rhs))))
        }
        Elementwise::Clamp { x, min, max } => {
            let array = clamp(x, *min, *max);
            Expected { array, tolerance: Tolerance::RoundedAnyZero }.into()
        }
        Elementwise::MaskWhere { mask, on, off } => {
            let shape = broadcast(&broadcast(on.shape(), off.shape()), mask.shape());
            let pick = |i: &[usize]| if mask.at(i).is_true() { on.at(i) } else { off.at(i) };
            Expected::moved(Array::build(shape, on.dtype(), pick))
        }
        Elementwise::MaskFill { x, mask, value } => {
            let value = Number::from_scalar(*value, x.dtype());
            let pick = |i: &[usize]| if mask.at(i).is_true() { value } else { x.at(i) };
            Expected::moved(Array::build(x.shape().clone(), x.dtype(), pick))
        }
        Elementwise::Cast { x, dtype } => {
            let array = x.map(*dtype, |x| number::cast(x, *dtype));
            Expected { array, tolerance: tolerance::cast() }.into()
        }
    }
}

fn binary(op: BinaryOp, lhs: &Array, rhs: &Array) -> Array {
    let shape = broadcast(lhs.shape(), rhs.shape());
    Array::build(shape, lhs.dtype(), |i| number::binary(op, lhs.at(i), rhs.at(i)))
}

fn clamp(x: &Array, min: Option<Scalar>, max: Option<Scalar>) -> Array {
    let bound = |x: Number, op, limit: Option<Scalar>, dtype| {
        limit.map_or(x, |limit| number::binary(op, x, Number::from_scalar(limit, dtype)))
    };
    let dtype = x.dtype();
    x.map(dtype, |x| bound(bound(x, BinaryOp::Max, min, dtype), BinaryOp::Min, max, dtype))
}

fn gradients_of_unary(op: UnaryOp) -> Call {
    use UnaryOp::*;
    let signed = |op| call("", Operation::Elementwise(Elementwise::Unary { op, x: signed([7]) }));
    match op {
        Neg | Abs | Square | Exp | ExpM1 | Sin | Cos | Atan | Sinh | Cosh | Tanh | Asinh | Erf => signed(op),
        Sigmoid | LogSigmoid | Relu | Gelu | GeluTanh | Silu | Sign | Floor | Ceil | Round | Trunc => {
            signed(op)
        }
        Log | Log1p | Sqrt | Recip => {
            call("", Operation::Elementwise(Elementwise::Unary { op, x: positive([7]) }))
        }
        Acosh => call("", Operation::Elementwise(Elementwise::Unary { op, x: spread([7], F, 1.2, 3.0) })),
        Tan | Asin | Acos | Atanh => {
            call("", Operation::Elementwise(Elementwise::Unary { op, x: spread([7], F, -0.8, 0.8) }))
        }
        Not => constant("", Operation::Elementwise(Elementwise::Unary { op, x: bool_values(&[0, 1], [2]) })),
    }
}

fn gradients_of_binary(op: BinaryOp) -> Vec<Call> {
    use BinaryOp::*;
    let left = |shape: &[usize]| match op {
        Pow => positive(shape),
        Add | Sub | Mul | Div | Remainder | Fmod | Atan2 | Hypot | Max | Min | ReluGrad => signed(shape),
        And | Or | Xor | ShiftLeft | ShiftRight => signed(shape),
    };
    let right = |shape: &[usize]| match op {
        Div | Pow | Atan2 | Hypot | Remainder | Fmod => spread(shape, F, 0.7, 1.6),
        Add | Sub | Mul | Max | Min | And | Or | Xor | ShiftLeft | ShiftRight | ReluGrad => {
            spread(shape, F, -1.51, 1.77)
        }
    };
    match op {
        Add | Sub | Mul | Div | Remainder | Fmod | Pow | Atan2 | Hypot | Max | Min | ReluGrad => {}
        And | Or | Xor => {
            let bools = || bool_values(&[0, 1, 1], [3]);
            return vec![constant(
                "",
                Operation::Elementwise(Elementwise::Binary { op, lhs: bools(), rhs: bools() }),
            )];
        }
        ShiftLeft | ShiftRight => {
            let counts = || index_values(&[0, 1, 2], [3]);
            return vec![constant(
                "",
                Operation::Elementwise(Elementwise::Binary { op, lhs: counts(), rhs: counts() }),
            )];
        }
    }
    let shapes: [(&[usize], &[usize]); 6] =
        [(&[5], &[5]), (&[2, 3], &[3]), (&[3], &[2, 3]), (&[2, 1], &[1, 3]), (&[], &[2, 2]), (&[2, 3], &[1])];
    let mut calls: Vec<Call> = shapes
        .map(|(lhs, rhs)| {
            call(
                format!("{lhs:?} {rhs:?}"),
                Operation::Elementwise(Elementwise::Binary { op, lhs: left(lhs), rhs: right(rhs) }),
            )
        })
        .into();
    let view = Operation::Elementwise(Elementwise::Binary {
        op,
        lhs: left(&[3, 2]).laid_out(MemoryLayout::Transposed),
        rhs: right(&[3, 2]).laid_out(MemoryLayout::Stepped),
    });
    calls.push(call("of views", view));
    // Both operands may be one tensor, where the operation is differentiable.
    if !matches!(op, Max | Min | Remainder | Fmod | ReluGrad) {
        let same = Operation::Elementwise(Elementwise::Binary { op, lhs: positive([4]), rhs: positive([4]) });
        calls.push(Call { alias: true, ..call("with itself", same) });
    }
    if op == ReluGrad {
        calls.iter_mut().for_each(|call| call.without_gradient = Some(0));
    }
    calls
}

fn gradients_of_binary_scalar(op: BinaryOp) -> Vec<Call> {
    use BinaryOp::*;
    let scalar = |lhs: Input, rhs: f64| {
        call(
            format!("by {rhs}"),
            Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Float(rhs) }),
        )
    };
    match op {
        Add | Sub | Mul | Max | Min => vec![scalar(signed([5]), 0.3), scalar(signed([5]), -1.7)],
        Div | Remainder | Fmod | Atan2 | Hypot => vec![scalar(signed([5]), 0.8), scalar(signed([5]), -1.7)],
        Pow => vec![
            scalar(positive([5]), 0.5),
            scalar(positive([5]), -1.3),
            scalar(signed([5]), 2.0),
            scalar(signed([5]), 3.0),
            scalar(signed([5]), 1.0),
            scalar(signed([5]), 0.0),
        ],
        ReluGrad => vec![constant(
            "",
            Operation::Elementwise(Elementwise::BinaryScalar {
                op,
                lhs: signed([5]),
                rhs: Scalar::Float(0.3),
            }),
        )],
        And | Or | Xor => {
            let lhs = bool_values(&[0, 1, 1], [3]);
            vec![constant(
                "",
                Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Bool(true) }),
            )]
        }
        ShiftLeft | ShiftRight => {
            let lhs = index_values(&[0, 1, 2], [3]);
            vec![constant(
                "",
                Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Int(1) }),
            )]
        }
    }
}
