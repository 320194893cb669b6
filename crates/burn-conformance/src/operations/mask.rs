//! Elements chosen or replaced by a mask.

use super::*;

/// Checks of [`Family::MaskWhere`].
pub struct MaskWhereChecks;

impl MaskWhereChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(mask: &Array, on: &Array, off: &Array) -> Outputs<Expected> {
        let shape = broadcast(&broadcast(on.shape(), off.shape()), mask.shape());
        let pick = |i: &[usize]| if mask.at(i).is_true() { on.at(i) } else { off.at(i) };
        Expected::moved(Array::build(shape, on.dtype(), pick))
    }
}

impl OperationChecks for MaskWhereChecks {
    fn cases(&self, emit: Emit<'_>) {
        let shapes: [[Shape; 3]; 8] = [
            [[5, 9].into(), [5, 9].into(), [5, 9].into()],
            [[5, 9].into(), [1].into(), [5, 9].into()],
            [[5, 9].into(), [5, 9].into(), [].into()],
            [[5, 1].into(), [9].into(), [5, 9].into()],
            [[5, 1].into(), [1, 9].into(), [1, 1].into()],
            [[2, 3, 1].into(), [3, 4].into(), [2, 1, 4].into()],
            [[0, 3].into(), [0, 3].into(), [1].into()],
            [[].into(), [].into(), [].into()],
        ];
        for dtype in DType::ALL {
            for [mask_shape, on, off] in shapes.clone() {
                for layout in MemoryLayout::ALL {
                    let name = format!("{mask_shape:?} ? {on:?} : {off:?}, {layout:?}");
                    let mask = mask(mask_shape.clone()).laid_out(layout);
                    let on = ordinary(on.clone(), dtype).laid_out(layout);
                    let off = spread(off.clone(), dtype, 5.0, 9.0).laid_out(layout);
                    emit(Case::new(
                        name,
                        dtype,
                        Operation::Elementwise(Elementwise::MaskWhere { mask, on, off }),
                    ));
                }
            }
            if is_large((), [()], dtype) {
                let (on, off) = (ordinary([LARGE], dtype), spread([LARGE], dtype, 5.0, 9.0));
                emit(Case::new(
                    "large",
                    dtype,
                    Operation::Elementwise(Elementwise::MaskWhere { mask: mask([LARGE]), on, off }),
                ));
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let other = matrix(dtype);
        let mask = matrix(DType::Bool);
        vec![Operation::Elementwise(Elementwise::MaskWhere { mask, on: x, off: other })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients_of_mask_where()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let mask = calls.of(DType::Bool);
        let on = TensorSpec { shape: calls.shape_like(&mask.shape), dtype: x.dtype };
        Operation::Elementwise(Elementwise::MaskWhere { off: calls.like(&on), mask, on })
    }
}

/// Checks of [`Family::MaskFill`].
pub struct MaskFillChecks;

impl MaskFillChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, mask: &Array, &value: &Scalar) -> Outputs<Expected> {
        let value = Number::from_scalar(value, x.dtype());
        let pick = |i: &[usize]| if mask.at(i).is_true() { value } else { x.at(i) };
        Expected::moved(Array::build(x.shape().clone(), x.dtype(), pick))
    }
}

impl OperationChecks for MaskFillChecks {
    fn cases(&self, emit: Emit<'_>) {
        let shapes: [(Shape, Shape); 6] = [
            ([5, 9].into(), [5, 9].into()),
            ([5, 9].into(), [9].into()),
            ([5, 9].into(), [5, 1].into()),
            ([2, 3, 4].into(), [].into()),
            ([0, 3].into(), [0, 3].into()),
            ([].into(), [].into()),
        ];
        for dtype in DType::ALL {
            let value = if dtype == DType::Bool { Scalar::Bool(true) } else { Scalar::Int(7) };
            for (x, mask_shape) in &shapes {
                for layout in MemoryLayout::ALL {
                    let name = format!("{x:?} under {mask_shape:?}, {layout:?}");
                    let mask = mask(mask_shape.clone()).laid_out(layout);
                    let x = ordinary(x.clone(), dtype).laid_out(layout);
                    emit(Case::new(
                        name,
                        dtype,
                        Operation::Elementwise(Elementwise::MaskFill { x, mask, value }),
                    ));
                }
            }
            if dtype.is_float() {
                for value in [f64::NEG_INFINITY, f64::NAN, 0.1] {
                    let (x, mask, value) = (ordinary([37], dtype), mask([37]), Scalar::Float(value));
                    emit(Case::new(
                        format!("{value:?}"),
                        dtype,
                        Operation::Elementwise(Elementwise::MaskFill { x, mask, value }),
                    ));
                }
            }
            if is_large((), [()], dtype) {
                let (x, mask) = (ordinary([LARGE], dtype), mask([LARGE]));
                emit(Case::new(
                    "large",
                    dtype,
                    Operation::Elementwise(Elementwise::MaskFill { x, mask, value }),
                ));
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let mask = matrix(DType::Bool);
        let value = Scalar::Float(0.5);
        vec![Operation::Elementwise(Elementwise::MaskFill { x, mask, value })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients_of_mask_fill()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let mask = TensorSpec { shape: calls.shape_like(&x.shape), ..calls.of(DType::Bool) };
        Operation::Elementwise(Elementwise::MaskFill { x, mask, value: calls.scalar() })
    }
}

fn mask(shape: impl Into<Shape>) -> Input {
    spread(shape, DType::Bool, 0.0, 1.0)
}

fn gradients_of_mask_where() -> Vec<GradientCall> {
    let half = || bool_values(&[1, 0, 0, 1, 1, 0], [2, 3]);
    vec![
        call(
            "",
            Operation::Elementwise(Elementwise::MaskWhere {
                mask: half(),
                on: signed([2, 3]),
                off: positive([2, 3]),
            }),
        ),
        call(
            "broadcast",
            Operation::Elementwise(Elementwise::MaskWhere {
                mask: half(),
                on: signed([3]),
                off: positive([2, 1]),
            }),
        ),
        call(
            "narrow mask",
            Operation::Elementwise(Elementwise::MaskWhere {
                mask: bool_values(&[1, 0], [2, 1]),
                on: signed([]),
                off: positive([2, 3]),
            }),
        ),
    ]
}

fn gradients_of_mask_fill() -> Vec<GradientCall> {
    let half = || bool_values(&[1, 0, 0, 1, 1, 0], [2, 3]);
    let value = Scalar::Float(3.0);
    vec![
        call("", Operation::Elementwise(Elementwise::MaskFill { x: signed([2, 3]), mask: half(), value })),
        call(
            "rows",
            Operation::Elementwise(Elementwise::MaskFill {
                x: signed([2, 3]),
                mask: bool_values(&[1, 0, 1], [3]),
                value,
            }),
        ),
    ]
}
