use super::{Emit, ints};
use crate::Case;
use crate::input::{Input, MemoryLayout, given, ordinary, spread};
use burn_backend::{DType, Index, IndexUpdate, Operation, Shape};

/// `count` places below `size`, some of them twice.
fn places(shape: &Shape, size: usize, index: DType) -> Input {
    let at = |k: usize| (k * 7 + k / 3) as i128 % size as i128;
    given(&(0..shape.num_elements()).map(at).collect::<Vec<_>>(), shape, index)
}

/// Dtypes of values with that of indices: every dtype of each, once with the usual other one.
fn dtypes() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.into_iter().map(|dtype| (dtype, DType::I64)).chain(ints().map(|index| (DType::F32, index)))
}

/// `x`, `dim`, and the shape of the indices.
fn gathers() -> [(Shape, usize, Shape); 12] {
    [
        ([0, 3].into(), 1, [0, 5].into()),
        ([0, 3].into(), 0, [0, 3].into()),
        ([3, 0].into(), 0, [2, 0].into()),
        ([5, 9].into(), 1, [0, 2].into()),
        ([9].into(), 0, [5].into()),
        ([9].into(), 0, [20].into()),
        ([5, 9].into(), 0, [3, 9].into()),
        ([5, 9].into(), 1, [5, 4].into()),
        ([5, 9].into(), 1, [3, 12].into()),
        ([3, 4, 5].into(), 1, [2, 6, 5].into()),
        ([5, 9].into(), 1, [5, 0].into()),
        ([3, 4, 5].into(), 2, [3, 4, 1].into()),
    ]
}

pub fn gather(emit: Emit<'_>) {
    for (dtype, index) in dtypes() {
        for (shape, dim, at) in gathers() {
            for layout in MemoryLayout::ALL {
                let name = format!("{at:?} of {shape:?} along {dim} by {index}, {layout:?}");
                let indices = places(&at, shape[dim], index).laid_out(layout);
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                emit(Case::new(name, dtype, Operation::Index(Index::Gather { x, dim, indices })));
            }
        }
    }
    let (x, indices) = (ordinary([300, 250], DType::F32), places(&[300, 250].into(), 300, DType::I64));
    emit(Case::new("large", DType::F32, Operation::Index(Index::Gather { x, dim: 0, indices })));
}

/// The updates that `dtype` has.
fn updates(dtype: DType) -> Vec<IndexUpdate> {
    IndexUpdate::ALL.into_iter().filter(|update| update.accepts(dtype)).collect()
}

pub fn scatter(emit: Emit<'_>) {
    for (dtype, index) in dtypes() {
        for (shape, dim, at) in gathers() {
            for (update, layout) in
                updates(dtype).into_iter().flat_map(|update| MemoryLayout::ALL.map(|layout| (update, layout)))
            {
                let name = format!("{update:?} {at:?} into {shape:?} along {dim} by {index}, {layout:?}");
                let indices = places(&at, shape[dim], index).laid_out(layout);
                let value = spread(at.clone(), dtype, 5.0, 9.0).laid_out(layout);
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                emit(Case::new(
                    name,
                    dtype,
                    Operation::Index(Index::Scatter { x, dim, indices, value, update }),
                ));
            }
        }
    }
    large_write(emit, |x, value, update| {
        let indices = places(&[300, 250].into(), 300, DType::I64);
        Operation::Index(Index::Scatter { x, dim: 0, indices, value, update })
    });
}

fn large_write(emit: Emit<'_>, op: impl Fn(Input, Input, IndexUpdate) -> Operation<Input>) {
    for update in IndexUpdate::ALL {
        let (x, value) = (ordinary([300, 250], DType::F32), spread([300, 250], DType::F32, 0.0, 1.0));
        emit(Case::new(format!("large, {update:?}"), DType::F32, op(x, value, update)));
    }
}

/// `x`, `dim`, and how many places are named.
fn selects() -> [(Shape, usize, usize); 11] {
    [
        ([0].into(), 0, 0),
        ([0, 3].into(), 1, 2),
        ([0, 3].into(), 0, 0),
        ([3, 0].into(), 0, 4),
        ([9].into(), 0, 5),
        ([5, 9].into(), 0, 3),
        ([5, 9].into(), 0, 12),
        ([5, 9].into(), 1, 4),
        ([3, 4, 5].into(), 1, 6),
        ([3, 4, 5].into(), 2, 1),
        ([5, 9].into(), 1, 0),
    ]
}

pub fn select(emit: Emit<'_>) {
    for (dtype, index) in dtypes() {
        for (shape, dim, count) in selects() {
            for layout in MemoryLayout::ALL {
                let name = format!("{count} of {shape:?} along {dim} by {index}, {layout:?}");
                let indices = places(&[count].into(), shape[dim], index).laid_out(layout);
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                emit(Case::new(name, dtype, Operation::Index(Index::Select { x, dim, indices })));
            }
        }
    }
    let (x, indices) = (ordinary([300, 250], DType::F32), places(&[600].into(), 300, DType::I64));
    emit(Case::new("large", DType::F32, Operation::Index(Index::Select { x, dim: 0, indices })));
}

pub fn select_assign(emit: Emit<'_>) {
    for (dtype, index) in dtypes() {
        for (shape, dim, count) in selects() {
            for (update, layout) in
                updates(dtype).into_iter().flat_map(|update| MemoryLayout::ALL.map(|layout| (update, layout)))
            {
                let name = format!("{update:?} {count} of {shape:?} along {dim} by {index}, {layout:?}");
                let indices = places(&[count].into(), shape[dim], index).laid_out(layout);
                let value = spread(shape.with(dim, count), dtype, 5.0, 9.0).laid_out(layout);
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                emit(Case::new(
                    name,
                    dtype,
                    Operation::Index(Index::SelectAssign { x, dim, indices, value, update }),
                ));
            }
        }
    }
    large_write(emit, |x, value, update| {
        let indices = places(&[300].into(), 300, DType::I64);
        Operation::Index(Index::SelectAssign { x, dim: 0, indices, value, update })
    });
}
