use super::{Emit, operands};
use crate::Case;
use crate::input::{Input, MemoryLayout, ordinary};
use burn_backend::{DType, Dims, Layout, Operation, Shape, Slice};

/// `ordinary` values of `shape` in every layout, of every dtype.
fn sweep(shape: &Shape, mut f: impl FnMut(String, DType, Input)) {
    for dtype in DType::ALL {
        for layout in MemoryLayout::ALL {
            f(format!("{shape:?}, {layout:?}"), dtype, ordinary(shape.clone(), dtype).laid_out(layout));
        }
    }
}

pub fn reshape(emit: Emit<'_>) {
    let shapes: [(Shape, Shape); 12] = [
        ([].into(), [].into()),
        ([0].into(), [0, 3].into()),
        ([2, 0, 3].into(), [0].into()),
        ([4, 6].into(), [24].into()),
        ([4, 6].into(), [2, 2, 6].into()),
        ([4, 6].into(), [6, 4].into()),
        ([4, 6].into(), [4, 1, 6].into()),
        ([2, 3, 4].into(), [6, 4].into()),
        ([2, 3, 4].into(), [2, 12].into()),
        ([1].into(), [].into()),
        ([].into(), [1, 1].into()),
        ([0, 3].into(), [5, 0].into()),
    ];
    for (from, to) in shapes {
        sweep(&from, |name, dtype, x| {
            let op = Operation::Layout(Layout::Reshape { x, shape: to.clone() });
            emit(Case::new(format!("{name} to {to:?}"), dtype, op));
        });
    }
}

pub fn permute(emit: Emit<'_>) {
    let permutations: [(Shape, Dims); 8] = [
        ([2, 0, 3].into(), [2, 0, 1].into()),
        ([5, 9].into(), [1, 0].into()),
        ([5, 9].into(), [0, 1].into()),
        ([2, 3, 4].into(), [2, 0, 1].into()),
        ([2, 3, 4].into(), [1, 0, 2].into()),
        ([2, 3, 4, 5].into(), [0, 3, 1, 2].into()),
        ([0, 3].into(), [1, 0].into()),
        ([].into(), Dims::default()),
    ];
    for (shape, axes) in permutations {
        sweep(&shape, |name, dtype, x| {
            let op = Operation::Layout(Layout::Permute { x, axes: axes.clone() });
            emit(Case::new(format!("{name} by {axes:?}"), dtype, op));
        });
    }
    emit(large(|x| Operation::Layout(Layout::Permute { x, axes: [1, 0].into() })));
}

/// A matrix of more than 70,000 elements.
fn large(op: impl Fn(Input) -> Operation<Input>) -> Case {
    Case::new("large", DType::F32, op(ordinary([271, 263], DType::F32)))
}

pub fn expand(emit: Emit<'_>) {
    let shapes: [(Shape, Shape); 12] = [
        ([].into(), [].into()),
        ([].into(), [0, 2].into()),
        ([1].into(), [0].into()),
        ([0, 1].into(), [2, 0, 3].into()),
        ([1, 9].into(), [5, 9].into()),
        ([5, 1].into(), [5, 9].into()),
        ([1, 1].into(), [5, 9].into()),
        ([9].into(), [5, 9].into()),
        ([3, 1].into(), [2, 3, 4].into()),
        ([].into(), [2, 2].into()),
        ([1, 3].into(), [0, 3].into()),
        ([5, 9].into(), [5, 9].into()),
    ];
    for (from, to) in shapes {
        sweep(&from, |name, dtype, x| {
            let op = Operation::Layout(Layout::Expand { x, shape: to.clone() });
            emit(Case::new(format!("{name} to {to:?}"), dtype, op));
        });
    }
}

pub fn flip(emit: Emit<'_>) {
    let axes: [(Shape, Dims); 8] = [
        ([].into(), Dims::default()),
        ([2, 0, 3].into(), [0, 2].into()),
        ([9].into(), [0].into()),
        ([5, 9].into(), [1].into()),
        ([5, 9].into(), [0, 1].into()),
        ([2, 3, 4].into(), [2, 0].into()),
        ([0, 3].into(), [0].into()),
        ([5, 9].into(), Dims::default()),
    ];
    for (shape, axes) in axes {
        sweep(&shape, |name, dtype, x| {
            let op = Operation::Layout(Layout::Flip { x, axes: axes.clone() });
            emit(Case::new(format!("{name} over {axes:?}"), dtype, op));
        });
    }
    emit(large(|x| Operation::Layout(Layout::Flip { x, axes: [1].into() })));
}

fn slices() -> Vec<(Shape, Vec<Slice>)> {
    let step = |start, end, step| Slice { start, end, step };
    vec![
        ([9].into(), vec![step(2, 7, 1)]),
        ([9].into(), vec![step(1, 9, 3)]),
        ([5, 9].into(), vec![step(1, 4, 1), step(2, 9, 2)]),
        ([5, 9].into(), vec![step(0, 5, 2)]),
        ([5, 9].into(), vec![step(0, 5, 1), step(8, 9, 1)]),
        ([5, 9].into(), vec![step(0, 5, 1), step(0, 9, 1)]),
        ([5, 9].into(), vec![step(2, 2, 1), step(0, 9, 1)]),
        ([5, 9].into(), vec![step(0, 5, 7), step(0, 9, 100)]),
        ([2, 3, 4].into(), vec![step(1, 2, 1), step(0, 3, 2), step(1, 4, 2)]),
        ([2, 3, 4].into(), vec![]),
        ([0, 3].into(), vec![step(0, 0, 1), step(1, 3, 1)]),
        ([2, 0, 3].into(), vec![step(1, 2, 1), step(0, 0, 3), step(2, 3, 1)]),
        ([5, 9].into(), vec![step(1, 4, 1), step(9, 9, 1)]),
        ([].into(), vec![]),
    ]
}

pub fn slice(emit: Emit<'_>) {
    for (shape, slices) in slices() {
        sweep(&shape, |name, dtype, x| {
            let op = Operation::Layout(Layout::Slice { x, slices: slices.clone().into() });
            emit(Case::new(format!("{name} at {slices:?}"), dtype, op));
        });
    }
    let half = vec![Slice::from(3..270), Slice { start: 1, end: 262, step: 2 }];
    emit(large(|x| Operation::Layout(Layout::Slice { x, slices: half.clone().into() })));
}

pub fn slice_assign(emit: Emit<'_>) {
    for (shape, slices) in slices() {
        let size = |d: usize| slices.get(d).map_or(shape[d], Slice::len);
        let part: Shape = (0..shape.rank()).map(size).collect();
        sweep(&shape, |name, dtype, x| {
            for layout in [MemoryLayout::Contiguous, MemoryLayout::Transposed, MemoryLayout::Expanded] {
                let value = crate::input::spread(part.clone(), dtype, 5.0, 9.0).laid_out(layout);
                let op = Operation::Layout(Layout::SliceAssign {
                    x: x.clone(),
                    slices: slices.clone().into(),
                    value,
                });
                emit(Case::new(format!("{name} at {slices:?} from {layout:?}"), dtype, op));
            }
        });
    }
}

pub fn cat(emit: Emit<'_>) {
    let lists: [(usize, Vec<Shape>); 9] = [
        (0, vec![[0].into(), [0].into()]),
        (1, vec![[0, 2].into(), [0, 3].into()]),
        (0, vec![[3].into(), [4].into()]),
        (0, vec![[2, 3].into(), [1, 3].into(), [4, 3].into()]),
        (1, vec![[2, 3].into(), [2, 1].into()]),
        (1, vec![[2, 3, 4].into(), [2, 2, 4].into()]),
        (0, vec![[5, 9].into()]),
        (1, vec![[2, 0].into(), [2, 3].into(), [2, 0].into()]),
        (0, vec![[0, 3].into(), [0, 3].into()]),
    ];
    for dtype in DType::ALL {
        for (dim, shapes) in &lists {
            for layout in MemoryLayout::ALL {
                let xs = shapes.iter().map(|shape| ordinary(shape.clone(), dtype).laid_out(layout)).collect();
                let op = Operation::Layout(Layout::Cat { xs, dim: *dim });
                emit(Case::new(format!("{shapes:?} along {dim}, {layout:?}"), dtype, op));
            }
        }
        let x = ordinary([2, 3], dtype);
        let op = Operation::Layout(Layout::Cat { xs: vec![x.clone(), x.clone(), x], dim: 1 });
        emit(Case { alias: true, ..Case::new("three times the same tensor", dtype, op) });
    }
    let part = || ordinary([130, 271], DType::F32);
    emit(Case::new("large", DType::F32, Operation::Layout(Layout::Cat { xs: vec![part(), part()], dim: 1 })));
}

pub fn repeat_dim(emit: Emit<'_>) {
    for dtype in DType::ALL {
        for (name, x) in operands(dtype) {
            for dim in 0..x.data.shape.rank() {
                for times in [0, 1, 3] {
                    let op = Operation::Layout(Layout::RepeatDim { x: x.clone(), dim, times });
                    emit(Case::new(format!("{name}, {times} times along {dim}"), dtype, op));
                }
            }
        }
    }
}
