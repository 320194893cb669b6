//! Functions of two tensors, and of a tensor and a number.

use super::elementwise::left;
use super::*;

/// Checks of [`Family::Binary`].
pub struct BinaryChecks;

impl BinaryChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &BinaryOp, lhs: &Array, rhs: &Array) -> Outputs<Expected> {
        Expected { array: binary(op, lhs, rhs), tolerance: tolerance::binary(op) }.into()
    }
}

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
        if !FEW_DTYPES.contains(&dtype) {
            return Vec::new();
        }
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

    fn gradients(&self) -> Vec<GradientCall> {
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

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let binary = |op, lhs: &[f64], rhs: &[f64]| {
            Operation::Elementwise(Elementwise::Binary { op, lhs: values(lhs), rhs: values(rhs) })
        };
        let relu_grad = binary(BinaryOp::ReluGrad, &[0.0, -1.0, 2.0], &[3.0, 4.0, 5.0]);
        let atan2 = binary(BinaryOp::Atan2, &[0.0, 3.0], &[0.0, 4.0]);
        let hypot = binary(BinaryOp::Hypot, &[3.0, 0.0, -2.0], &[4.0, 2.0, 0.0]);
        let fmod = binary(BinaryOp::Fmod, &[5.0, -5.0, 5.0, -7.5], &[3.0, 3.0, -3.0, 2.0]);
        vec![
            ("a gradient of relu passes those of gradients", relu_grad, vec![0.0, 0.0, 1.0]),
            ("atan2 at the origin", atan2, vec![0.0, 0.16, 0.0, -0.12]),
            ("hypot at the origin", binary(BinaryOp::Hypot, &[0.0], &[0.0]), vec![0.0, 0.0]),
            ("hypot at an axis", hypot, vec![0.6, 0.0, -1.0, 0.8, 1.0, 0.0]),
            ("fmod by its signs", fmod, vec![1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 3.0]),
        ]
    }
}

/// Checks of [`Family::BinaryScalar`].
pub struct BinaryScalarChecks;

impl BinaryScalarChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &BinaryOp, lhs: &Array, &rhs: &Scalar) -> Outputs<Expected> {
        let rhs = Number::from_scalar(rhs, lhs.dtype());
        let array = lhs.map(lhs.dtype(), |x| number::binary(op, x, rhs));
        Expected { array, tolerance: tolerance::binary(op) }.into()
    }
}

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
        if !FEW_DTYPES.contains(&dtype) {
            return Vec::new();
        }
        let x = matrix(dtype);
        let value = Scalar::Float(0.5);
        BinaryOp::ALL
            .map(|op| Operation::Elementwise(Elementwise::BinaryScalar { op, lhs: x.clone(), rhs: value }))
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
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

    fn qualifier(&self) -> &'static str {
        " by a number"
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let scalar = |op, lhs: &[f64], rhs: f64| {
            let rhs = Scalar::Float(rhs);
            Operation::Elementwise(Elementwise::BinaryScalar { op, lhs: values(lhs), rhs })
        };
        let hypot = scalar(BinaryOp::Hypot, &[0.0, -3.0], 0.0);
        vec![
            ("square at zero", scalar(BinaryOp::Pow, &[0.0, -3.0], 2.0), vec![0.0, -6.0]),
            ("power zero at zero", scalar(BinaryOp::Pow, &[0.0, -3.0], 0.0), vec![0.0, 0.0]),
            ("power one at zero", scalar(BinaryOp::Pow, &[0.0, -3.0], 1.0), vec![1.0, 1.0]),
            ("atan2 of a number at the origin", scalar(BinaryOp::Atan2, &[0.0, 2.0], 0.0), vec![0.0, 0.0]),
            ("hypot of a number at the origin", hypot, vec![0.0, -1.0]),
        ]
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

fn binary(op: BinaryOp, lhs: &Array, rhs: &Array) -> Array {
    let shape = broadcast(lhs.shape(), rhs.shape());
    Array::build(shape, lhs.dtype(), |i| number::binary(op, lhs.at(i), rhs.at(i)))
}

fn gradients_of_binary(op: BinaryOp) -> Vec<GradientCall> {
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
    let mut calls: Vec<GradientCall> = shapes
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
        calls.push(GradientCall { alias: true, ..call("with itself", same) });
    }
    if op == ReluGrad {
        calls.iter_mut().for_each(|call| call.without_gradient = Some(0));
    }
    calls
}

fn gradients_of_binary_scalar(op: BinaryOp) -> Vec<GradientCall> {
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
