use super::pair::*;
use burn_backend::*;

const SHAPES: [&[usize]; 5] = [&[1], &[37], &[3, 19], &[2, 3, 33], &[300, 5]];

#[test]
fn unary() {
    for dtype in shared_dtypes() {
        for op in UnaryOp::ALL.into_iter().filter(|op| op.accepts(dtype)) {
            // The reference knows the "not" of bools only, and does not wrap.
            let known = match op {
                UnaryOp::Not => dtype == DType::Bool,
                UnaryOp::Neg => dtype.is_signed(),
                _ => true,
            };
            if !known {
                continue;
            }
            let range = match op {
                UnaryOp::Log | UnaryOp::Sqrt | UnaryOp::Recip => (0.1, 4.0),
                UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Log1p => (-0.9, 0.9),
                UnaryOp::Tan => (-1.0, 1.0),
                _ => range_of(dtype),
            };
            for (shape, layout) in SHAPES.into_iter().zip(LAYOUTS) {
                check(Operation::Elementwise(Elementwise::Unary {
                    op,
                    x: tensor(shape, dtype, range, layout),
                }));
            }
        }
    }
}

/// A scalar that every dtype has.
fn scalar(dtype: DType, value: i64) -> Scalar {
    if dtype == DType::Bool { Scalar::Bool(true) } else { Scalar::Int(value) }
}

/// The reference knows the bit operations of bools only, and does not wrap.
fn is_known(op: BinaryOp, dtype: DType) -> bool {
    let known = match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => dtype == DType::Bool,
        BinaryOp::Sub => dtype.is_signed(),
        _ => true,
    };
    known && op.accepts(dtype)
}

const BROADCASTS: [(&[usize], &[usize]); 5] = [
    (&[37], &[37]),
    (&[4, 1, 33], &[5, 1]),
    (&[2, 3, 40], &[1, 3, 1]),
    (&[1, 3], &[70, 1]),
    (&[6, 50], &[50]),
];

#[test]
fn binary() {
    for dtype in shared_dtypes() {
        for op in BinaryOp::ALL.into_iter().filter(|&op| is_known(op, dtype)) {
            let whole = range_of(dtype);
            let (left, right) = match op {
                BinaryOp::Div | BinaryOp::Remainder => (whole, (1.0, 4.0)),
                BinaryOp::Pow => ((0.5, 3.0), (1.0, 4.0)),
                _ => (whole, whole),
            };
            for (lhs, rhs) in BROADCASTS {
                for layout in LAYOUTS {
                    let (lhs, rhs) =
                        (tensor(lhs, dtype, left, layout), tensor(rhs, dtype, right, MemoryLayout::Plain));
                    check(Operation::Elementwise(Elementwise::Binary { op, lhs: lhs.clone(), rhs }));
                    check(Operation::Elementwise(Elementwise::BinaryScalar {
                        op,
                        lhs,
                        rhs: scalar(dtype, 2),
                    }));
                }
            }
        }
    }
}

#[test]
fn compare() {
    use CompareOp::*;
    for dtype in shared_dtypes() {
        for op in [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual] {
            for (lhs, rhs) in BROADCASTS {
                for layout in LAYOUTS {
                    let numbers = |shape: &[usize]| tensor(shape, dtype, range_of(dtype), layout);
                    check(Operation::Elementwise(Elementwise::Compare {
                        op,
                        lhs: numbers(lhs),
                        rhs: numbers(rhs),
                    }));
                    check(Operation::Elementwise(Elementwise::CompareScalar {
                        op,
                        lhs: numbers(lhs),
                        rhs: scalar(dtype, 1),
                    }));
                }
            }
        }
    }
}

#[test]
fn masks_casts_and_clamps() {
    for dtype in shared_dtypes() {
        for layout in LAYOUTS {
            let numbers = |shape: &[usize]| tensor(shape, dtype, range_of(dtype), layout);
            let mask = |shape: &[usize]| tensor(shape, DType::Bool, (0.0, 2.0), layout);
            check(Operation::Elementwise(Elementwise::MaskWhere {
                mask: mask(&[3, 1, 20]),
                on: numbers(&[4, 20]),
                off: numbers(&[3, 4, 1]),
            }));
            for mask in [mask(&[5, 30]), mask(&[1, 30])] {
                check(Operation::Elementwise(Elementwise::MaskFill {
                    x: numbers(&[5, 30]),
                    mask,
                    value: scalar(dtype, 1),
                }));
            }
            if dtype != DType::Bool {
                let (min, max) = (Some(Scalar::Int(1)), Some(Scalar::Int(3)));
                check(Operation::Elementwise(Elementwise::Clamp { x: numbers(&[70]), min, max }));
                check(Operation::Elementwise(Elementwise::Clamp { x: numbers(&[7, 3]), min: None, max }));
            }
            for to in shared_dtypes() {
                check(Operation::Elementwise(Elementwise::Cast {
                    x: tensor(&[5, 70], dtype, (0.0, 100.0), layout),
                    dtype: to,
                }));
            }
        }
    }
}

#[test]
fn special_floats() {
    let values =
        [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, -1e30, 1e-40, 3e8, -5e8];
    for dtype in [DType::F64, DType::F32] {
        let x = pair(TensorData::from(values).convert_dtype(dtype));
        for op in UnaryOp::ALL.into_iter().filter(|op| op.accepts(dtype)) {
            check(Operation::Elementwise(Elementwise::Unary { op, x: x.clone() }));
        }
        let turned =
            run(Operation::Layout(Layout::Reshape { x: x.clone(), shape: Shape::from([12, 1]) })).one();
        for op in [BinaryOp::Max, BinaryOp::Min, BinaryOp::Add, BinaryOp::Atan2] {
            check(Operation::Elementwise(Elementwise::Binary { op, lhs: x.clone(), rhs: turned.clone() }));
        }
        let op = Extremum::Max;
        check(Operation::Reduction(Reduction::ReduceWithIndices {
            op,
            x: x.clone(),
            dim: 0,
            index: DType::I64,
        }));
        for descending in [false, true] {
            check(Operation::Order(Order::SortWithIndices {
                x: x.clone(),
                dim: 0,
                descending,
                index: DType::I64,
            }));
        }
        for to in [DType::I64, DType::I32, DType::U8, DType::I8, DType::Bool] {
            check(Operation::Elementwise(Elementwise::Cast { x: x.clone(), dtype: to }));
        }
    }
}

#[test]
fn large_enough_for_threads() {
    for layout in [MemoryLayout::Plain, MemoryLayout::Transposed] {
        let x = tensor(&[150, 450], DType::F32, (-2.0, 2.0), layout);
        let y = tensor(&[150, 450], DType::F32, (-2.0, 2.0), MemoryLayout::Plain);
        let column = tensor(&[150, 1], DType::F32, (0.0, 1.0), layout);
        check(Operation::Elementwise(Elementwise::Binary {
            op: BinaryOp::Add,
            lhs: x.clone(),
            rhs: y.clone(),
        }));
        check(Operation::Elementwise(Elementwise::Binary { op: BinaryOp::Mul, lhs: x.clone(), rhs: column }));
        check(Operation::Elementwise(Elementwise::Unary { op: UnaryOp::Exp, x: x.clone() }));
        check(Operation::Elementwise(Elementwise::Compare { op: CompareOp::Less, lhs: x.clone(), rhs: y }));
        check(Operation::Normalization(Normalization::Softmax { x, dim: 1 }));
        let positive = tensor(&[150, 450], DType::F32, (0.0, 0.01), layout);
        for dims in [&[0][..], &[1], &[0, 1]] {
            for op in [ReduceOp::Sum, ReduceOp::Max] {
                check(Operation::Reduction(Reduction::Reduce {
                    op,
                    x: positive.clone(),
                    dims: Dims::from(dims),
                }));
            }
        }
    }
}
