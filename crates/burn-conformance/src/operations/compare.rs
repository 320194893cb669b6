//! Comparisons of two tensors, and of a tensor with a number.

use super::binary::{large_pairs, pairs, scalars, special_pairs};
use super::elementwise::left;
use super::*;

/// Checks of [`Family::Compare`].
pub struct CompareChecks;

impl CompareChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &CompareOp, lhs: &Array, rhs: &Array) -> Outputs<Expected> {
        let shape = broadcast(lhs.shape(), rhs.shape());
        Expected::moved(Array::build(shape, DType::Bool, |i| {
            Number::Bool(number::compare(op, lhs.at(i), rhs.at(i)))
        }))
    }
}

impl OperationChecks for CompareChecks {
    fn cases(&self, emit: Emit<'_>) {
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let other = matrix(dtype);
        CompareOp::ALL
            .map(|op| Operation::Elementwise(Elementwise::Compare { op, lhs: x.clone(), rhs: other.clone() }))
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        CompareOp::ALL
            .map(|op| {
                constant(
                    "",
                    Operation::Elementwise(Elementwise::Compare { op, lhs: signed([4]), rhs: positive([4]) }),
                )
            })
            .into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::Compare {
            op: calls.random.pick(&CompareOp::ALL),
            rhs: calls.like(&x),
            lhs: x,
        })
    }
}

/// Checks of [`Family::CompareScalar`].
pub struct CompareScalarChecks;

impl CompareScalarChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &CompareOp, lhs: &Array, &rhs: &Scalar) -> Outputs<Expected> {
        let rhs = Number::from_scalar(rhs, lhs.dtype());
        Expected::moved(lhs.map(DType::Bool, |x| Number::Bool(number::compare(op, x, rhs))))
    }
}

impl OperationChecks for CompareScalarChecks {
    fn cases(&self, emit: Emit<'_>) {
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let value = Scalar::Float(0.5);
        CompareOp::ALL
            .map(|op| Operation::Elementwise(Elementwise::CompareScalar { op, lhs: x.clone(), rhs: value }))
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        CompareOp::ALL
            .map(|op| {
                constant(
                    "",
                    Operation::Elementwise(Elementwise::CompareScalar {
                        op,
                        lhs: signed([4]),
                        rhs: Scalar::Int(0),
                    }),
                )
            })
            .into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::CompareScalar {
            op: calls.random.pick(&CompareOp::ALL),
            lhs: x,
            rhs: calls.scalar(),
        })
    }

    fn qualifier(&self) -> &'static str {
        " by a number"
    }
}
