use super::{Emit, LARGE, floats, is_large, numbers, operands};
use crate::Case;
use crate::input::{Input, MemoryLayout, list, ordinary, spread};
use crate::number::Number;
use crate::values::classes;
use burn_backend::{BinaryOp, CompareOp, DType, Elementwise, Operation, Scalar, Shape, UnaryOp};

pub fn unary(emit: Emit<'_>) {
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

/// Two operands whose shapes broadcast, in pairs of layouts.
fn pairs(dtype: DType) -> Vec<(String, Input, Input)> {
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
fn large_pairs(dtype: DType, broadcast: bool) -> Vec<(&'static str, Input, Input)> {
    let other = |shape: Shape| spread(shape, dtype, 0.5, 4.0);
    let mut pairs = vec![("large", ordinary([LARGE], dtype), other([LARGE].into()))];
    if broadcast {
        pairs.push(("large rows", ordinary([260, 270], dtype), other([270].into())));
        pairs.push(("large columns", ordinary([260, 1], dtype), other([260, 270].into())));
    }
    pairs
}

/// Every pair of the special values of each two classes.
fn special_pairs(dtype: DType) -> Vec<(String, Input, Input)> {
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

pub fn binary(emit: Emit<'_>) {
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

/// Numbers on the right that the dtype can hold.
fn scalars(dtype: DType) -> Vec<Scalar> {
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

fn left(dtype: DType) -> Vec<(String, Input)> {
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

pub fn binary_scalar(emit: Emit<'_>) {
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

pub fn compare(emit: Emit<'_>) {
    for dtype in DType::ALL {
        let equal = (String::from("equal"), ordinary([5, 9], dtype), ordinary([5, 9], dtype));
        let pairs: Vec<_> = pairs(dtype).into_iter().chain(special_pairs(dtype)).chain([equal]).collect();
        for op in CompareOp::ALL {
            for (name, lhs, rhs) in &pairs {
                let (lhs, rhs) = (lhs.clone(), rhs.clone());
                emit(Case::new(
                    name.clone(),
                    dtype,
                    Operation::Elementwise(Elementwise::Compare { op, lhs, rhs }),
                ));
            }
            if is_large(op, CompareOp::ALL, dtype) {
                for (name, lhs, rhs) in large_pairs(dtype, op == CompareOp::Equal) {
                    emit(Case::new(
                        name,
                        dtype,
                        Operation::Elementwise(Elementwise::Compare { op, lhs, rhs }),
                    ));
                }
            }
        }
    }
}

pub fn compare_scalar(emit: Emit<'_>) {
    for dtype in DType::ALL {
        for op in CompareOp::ALL {
            for rhs in scalars(dtype) {
                for (name, lhs) in left(dtype) {
                    let op = Operation::Elementwise(Elementwise::CompareScalar { op, lhs, rhs });
                    emit(Case::new(format!("{rhs:?}, {name}"), dtype, op));
                }
            }
            // The number is rounded to the dtype before it is compared.
            let (rhs, lhs) =
                (Scalar::Float(0.1), list(&[Number::Float(0.1), Number::Float(0.2)], DType::F64));
            let lhs = Input::new(lhs.data.convert_dtype(dtype));
            emit(Case::new(
                "0.1",
                dtype,
                Operation::Elementwise(Elementwise::CompareScalar { op, lhs, rhs }),
            ));
        }
    }
}

pub fn clamp(emit: Emit<'_>) {
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

pub fn cast(emit: Emit<'_>) {
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
