//! Calls that move elements: layouts, orders, indices.

use super::call::{Call, call, indices, positive, x};
use crate::Family;
use crate::input::MemoryLayout;
use burn_backend::*;

pub fn layout(family: Family) -> Vec<Call> {
    let step = |start, end, step| burn_backend::Slice { start, end, step };
    let op = match family {
        Family::Reshape => Operation::Layout(Layout::Reshape {
            x: x([2, 3]).laid_out(MemoryLayout::Transposed),
            shape: [3, 2].into(),
        }),
        Family::Permute => Operation::Layout(Layout::Permute { x: x([2, 3, 2]), axes: [2, 0, 1].into() }),
        Family::Expand => {
            return vec![
                call("", Operation::Layout(Layout::Expand { x: x([2, 1]), shape: [3, 2, 2].into() })),
                call("rank 0", Operation::Layout(Layout::Expand { x: x([]), shape: [3].into() })),
            ];
        }
        Family::Flip => Operation::Layout(Layout::Flip { x: x([2, 3]), axes: [0, 1].into() }),
        Family::Slice => Operation::Layout(Layout::Slice {
            x: x([3, 5]),
            slices: [step(1, 3, 1), step(0, 5, 2)].into_iter().collect(),
        }),
        Family::SliceAssign => {
            let slices = [step(1, 3, 1), step(0, 5, 2)].into_iter().collect();
            Operation::Layout(Layout::SliceAssign { x: x([3, 5]), slices, value: positive([2, 3]) })
        }
        Family::Cat => {
            Operation::Layout(Layout::Cat { xs: vec![x([2, 1]), positive([2, 2]), x([2, 3])], dim: 1 })
        }
        Family::RepeatDim => {
            return (0..2)
                .map(|dim| {
                    call(
                        format!("{dim}"),
                        Operation::Layout(Layout::RepeatDim { x: x([2, 3]), dim, times: 3 }),
                    )
                })
                .collect();
        }
        _ => unreachable!("no layout"),
    };
    vec![call("", op)]
}

pub fn order(family: Family) -> Vec<Call> {
    let index = DType::I64;
    let ops = |dim: usize, flag: bool| match family {
        Family::ArgReduce => Operation::Reduction(Reduction::ArgReduce {
            op: Extremum::ALL[usize::from(flag)],
            x: x([3, 4]),
            dim,
            index,
        }),
        Family::ReduceWithIndices => Operation::Reduction(Reduction::ReduceWithIndices {
            op: Extremum::ALL[usize::from(flag)],
            x: x([3, 4]),
            dim,
            index,
        }),
        Family::Sort => Operation::Order(Order::Sort { x: x([3, 4]), dim, descending: flag }),
        Family::SortWithIndices => {
            Operation::Order(Order::SortWithIndices { x: x([3, 4]), dim, descending: flag, index })
        }
        _ => Operation::Order(Order::TopK { x: x([3, 4]), k: 2, dim, largest: flag, index }),
    };
    let all = [(0, false), (0, true), (1, false), (1, true)];
    let differentiable = family != Family::ArgReduce;
    all.map(|(dim, flag)| Call { differentiable, ..call(format!("along {dim}, {flag}"), ops(dim, flag)) })
        .into()
}

pub fn indexed(family: Family) -> Vec<Call> {
    let at = || indices(&[2, 0, 1, 1, 1, 0], [3, 2]);
    let list = || indices(&[2, 0, 2, 1], [4]);
    match family {
        Family::Gather => vec![
            call("along 0", Operation::Index(Index::Gather { x: x([3, 4]), dim: 0, indices: at() })),
            call("along 1", Operation::Index(Index::Gather { x: x([3, 4]), dim: 1, indices: at() })),
        ],
        Family::Select => vec![
            call("along 0", Operation::Index(Index::Select { x: x([3, 2]), dim: 0, indices: list() })),
            call("along 1", Operation::Index(Index::Select { x: x([2, 3]), dim: 1, indices: list() })),
        ],
        // Some places are written twice: of assigned values, the last one counts.
        Family::Scatter => IndexUpdate::ALL
            .map(|update| {
                let (x, indices, value) = (x([3, 4]), at(), positive([3, 2]));
                call(
                    format!("{update:?}"),
                    Operation::Index(Index::Scatter { x, dim: 0, indices, value, update }),
                )
            })
            .into(),
        _ => IndexUpdate::ALL
            .map(|update| {
                let (x, indices, value) = (x([3, 2]), list(), positive([4, 2]));
                call(
                    format!("{update:?}"),
                    Operation::Index(Index::SelectAssign { x, dim: 0, indices, value, update }),
                )
            })
            .into(),
    }
}
