use super::{Emit, LARGE, is_large};
use crate::Case;
use crate::input::{Input, MemoryLayout, ordinary, spread};
use burn_backend::{DType, Elementwise, Operation, Scalar, Shape};

fn mask(shape: impl Into<Shape>) -> Input {
    spread(shape, DType::Bool, 0.0, 1.0)
}

pub fn mask_where(emit: Emit<'_>) {
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

pub fn mask_fill(emit: Emit<'_>) {
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
            emit(Case::new("large", dtype, Operation::Elementwise(Elementwise::MaskFill { x, mask, value })));
        }
    }
}
