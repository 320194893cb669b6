use super::{Emit, numbers};
use crate::Case;
use crate::input::{MemoryLayout, list, ordinary, spread};
use crate::values::classes;
use burn_backend::{DType, Linalg, Operation, Shape};

/// Every layout on each side, and views on both.
fn layouts() -> impl Iterator<Item = (MemoryLayout, MemoryLayout)> {
    let left = MemoryLayout::ALL.map(|layout| (layout, MemoryLayout::Contiguous));
    let right = MemoryLayout::ALL.map(|layout| (MemoryLayout::Transposed, layout));
    left.into_iter().chain(right)
}

pub fn matmul(emit: Emit<'_>) {
    let shapes: [(Shape, Shape); 18] = [
        ([2, 0, 4].into(), [4, 5].into()),
        ([3, 4].into(), [4, 0].into()),
        ([2, 3, 0].into(), [0, 5].into()),
        ([0, 0].into(), [0, 0].into()),
        ([1, 1].into(), [1, 1].into()),
        ([3, 4].into(), [4, 5].into()),
        ([1, 19].into(), [19, 1].into()),
        ([19, 1].into(), [1, 19].into()),
        ([17, 33].into(), [33, 9].into()),
        ([2, 3, 4].into(), [2, 4, 5].into()),
        ([2, 3, 4].into(), [4, 5].into()),
        ([3, 4].into(), [2, 4, 5].into()),
        ([2, 1, 3, 4].into(), [3, 4, 5].into()),
        ([1, 3, 4].into(), [6, 4, 2].into()),
        ([0, 4].into(), [4, 5].into()),
        ([3, 0].into(), [0, 5].into()),
        ([0, 3, 4].into(), [1, 4, 5].into()),
        ([2, 3, 2, 3, 4].into(), [3, 1, 4, 2].into()),
    ];
    for dtype in numbers() {
        for (lhs, rhs) in &shapes {
            for (left, right) in layouts() {
                let name = format!("{lhs:?} by {rhs:?}, {left:?} and {right:?}");
                let lhs = ordinary(lhs.clone(), dtype).laid_out(left);
                let rhs = spread(rhs.clone(), dtype, -1.0, 2.0).laid_out(right);
                emit(Case::new(name, dtype, Operation::Linalg(Linalg::Matmul { lhs, rhs })));
            }
        }
        if dtype.is_int() {
            let extremes = classes(dtype).remove(1);
            let count = extremes.values.len();
            let x = list(&extremes.values, dtype).array();
            let shaped = |shape: [usize; 2]| {
                let data = crate::number::write(&x.values, &shape.into(), dtype);
                crate::input::Input::new(data)
            };
            let op = Operation::Linalg(Linalg::Matmul { lhs: shaped([1, count]), rhs: shaped([count, 1]) });
            emit(Case::new(extremes.name, dtype, op));
        }
    }
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::I32] {
        for layout in [MemoryLayout::Contiguous, MemoryLayout::Transposed] {
            let lhs = ordinary([65, 130], dtype).laid_out(layout);
            let rhs = ordinary([130, 67], dtype).laid_out(layout);
            emit(Case::new(
                format!("large, {layout:?}"),
                dtype,
                Operation::Linalg(Linalg::Matmul { lhs, rhs }),
            ));
        }
    }
}
