//! Products of matrices.

use super::linalg::RandomMatrices;
use super::*;

/// Checks of [`Family::Matmul`].
pub struct MatmulChecks;

impl MatmulChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(lhs: &Array, rhs: &Array) -> Outputs<Expected> {
        matmul(lhs, rhs).into()
    }
}

impl OperationChecks for MatmulChecks {
    fn cases(&self, emit: Emit<'_>) {
        let shapes: [(Shape, Shape); 20] = [
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
            ([2, 3, 1].into(), [1, 5].into()),
            ([3, 4].into(), [2, 1, 2, 4, 2].into()),
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
                let op =
                    Operation::Linalg(Linalg::Matmul { lhs: shaped([1, count]), rhs: shaped([count, 1]) });
                emit(Case::new(extremes.name, dtype, op));
            }
        }
        for dtype in [DType::F32, DType::F64, DType::BF16, DType::I32] {
            for layout in [MemoryLayout::Contiguous, MemoryLayout::Transposed] {
                for [rows, depth, columns] in [[65, 130, 67], [3, 1056, 21]] {
                    let lhs = ordinary([rows, depth], dtype).laid_out(layout);
                    let rhs = ordinary([depth, columns], dtype).laid_out(layout);
                    emit(Case::new(
                        format!("large, {rows} rows, {layout:?}"),
                        dtype,
                        Operation::Linalg(Linalg::Matmul { lhs, rhs }),
                    ));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        [([ROWS, COLS], [COLS, ROWS]), ([4, 4096], [4096, 64]), ([1 << 16, 4], [4, 4])]
            .map(|(lhs, rhs)| {
                Operation::Linalg(Linalg::Matmul { lhs: spec(lhs, dtype), rhs: spec(rhs, dtype) })
            })
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let matrices = RandomMatrices::new(calls);
        let rhs = matrices.right(matrices.cols, calls);
        Operation::Linalg(Linalg::Matmul { rhs, lhs: matrices.x })
    }
}

/// Every layout on each side, and views on both.
fn layouts() -> impl Iterator<Item = (MemoryLayout, MemoryLayout)> {
    let left = MemoryLayout::ALL.map(|layout| (layout, MemoryLayout::Contiguous));
    let right = MemoryLayout::ALL.map(|layout| (MemoryLayout::Transposed, layout));
    left.into_iter().chain(right)
}

pub fn matmul(lhs: &Array, rhs: &Array) -> Expected {
    let ([batch @ .., rows, depth], [other @ .., _, cols]) = (&lhs.shape()[..], &rhs.shape()[..]) else {
        panic!("matrices have two dimensions")
    };
    let batch = broadcast(&Shape::from(batch), &Shape::from(other));
    let shape: Shape = batch.iter().copied().chain([*rows, *cols]).collect();
    let (rank, dtype) = (shape.rank(), lhs.dtype());
    let mut magnitudes = Vec::new();
    let array = Array::build(shape, dtype, |i| {
        let (mut sum, mut magnitude) = (Number::zero(dtype), 0.0);
        for k in 0..*depth {
            let term = lhs.at(&replace(i, rank - 1, k)).mul(rhs.at(&replace(i, rank - 2, k)));
            sum = sum.add(term);
            magnitude += term.to_f64().abs();
        }
        magnitudes.push(magnitude);
        sum
    });
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms: *depth } }
}

fn gradients() -> Vec<GradientCall> {
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[2, 3], &[3, 2]),
        (&[2, 2, 3], &[2, 3, 2]),
        (&[2, 2, 3], &[3, 2]),
        (&[2, 3], &[2, 3, 2]),
        (&[2, 1, 1, 3], &[2, 3, 2]),
        (&[1, 3], &[3, 1]),
    ];
    let mut calls: Vec<GradientCall> = shapes
        .map(|(lhs, rhs)| {
            call(
                format!("{lhs:?} {rhs:?}"),
                Operation::Linalg(Linalg::Matmul { lhs: signed(lhs), rhs: positive(rhs) }),
            )
        })
        .into();
    let (lhs, rhs) = (
        signed([2, 3]).laid_out(MemoryLayout::Transposed),
        positive([3, 2]).laid_out(MemoryLayout::Transposed),
    );
    calls.push(call("of views", Operation::Linalg(Linalg::Matmul { lhs, rhs })));
    let same = Operation::Linalg(Linalg::Matmul { lhs: signed([3, 3]), rhs: signed([3, 3]) });
    calls.push(GradientCall { alias: true, ..call("with itself", same) });
    calls
}
