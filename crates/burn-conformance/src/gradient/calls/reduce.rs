//! Calls of reductions and running sums.

use super::call::{Call, call, constant, mask, x};
use crate::input::Input;
use crate::number::Number;
use burn_backend::*;

pub fn reduce(op: ReduceOp) -> Vec<Call> {
    if matches!(op, ReduceOp::Any | ReduceOp::All) {
        return vec![constant(
            "",
            Operation::Reduction(Reduction::Reduce { op, x: mask(&[0, 1], [2]), dims: [0].into() }),
        )];
    }
    let over = |dims: &[usize]| {
        let op = Operation::Reduction(Reduction::Reduce { op, x: x([2, 3, 2]), dims: Dims::from(dims) });
        call(format!("over {dims:?}"), op)
    };
    let mut calls = vec![over(&[0]), over(&[1]), over(&[2]), over(&[0, 2]), over(&[0, 1, 2]), over(&[])];
    if op == ReduceOp::Prod {
        for zeros in [vec![1], vec![0, 2]] {
            let mut array = x([2, 3]).array();
            zeros.iter().for_each(|&at| array.values[at] = Number::Float(0.0));
            let op = Operation::Reduction(Reduction::Reduce {
                op,
                x: Input::new(array.to_data()),
                dims: [1].into(),
            });
            calls.push(call(format!("with zeros at {zeros:?}"), op));
        }
    }
    calls
}

pub fn cumulative(op: CumulativeOp) -> Vec<Call> {
    let along = |dim| {
        call(format!("along {dim}"), Operation::Reduction(Reduction::Cumulative { op, x: x([3, 4]), dim }))
    };
    let mut calls = vec![along(0), along(1)];
    if op == CumulativeOp::Prod {
        let mut array = x([2, 4]).array();
        array.values[1] = Number::Float(0.0);
        let op = Operation::Reduction(Reduction::Cumulative { op, x: Input::new(array.to_data()), dim: 1 });
        calls.push(call("with a zero", op));
    }
    calls
}
