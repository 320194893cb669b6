//! Reductions of rows that lie one after the other, for blocks.

use super::fold::{Fold, Runs};
use super::folded::Folded;
use super::order::FlatOrder;
use crate::left_out::with_feature;
use burn_backend::ReduceOp;

/// The reduction of each row, or of the squares of its elements: `xs` holds `out.len()` rows of the same
/// length, which is not 0.
pub fn reduce_rows_f32(op: ReduceOp, order: FlatOrder, squares: bool, xs: &[f32], out: &mut [f32]) {
    reduce_rows(op, order, squares, xs, out);
}

/// As [`reduce_rows_f32`].
pub fn reduce_rows_f64(op: ReduceOp, order: FlatOrder, squares: bool, xs: &[f64], out: &mut [f64]) {
    with_feature!("dtypes", op.name(), reduce_rows(op, order, squares, xs, out));
}

fn reduce_rows<E: Folded>(op: ReduceOp, order: FlatOrder, squares: bool, xs: &[E], out: &mut [E]) {
    let (fold, size) = (Fold::of(op), xs.len() / out.len());
    if size <= order.sequence.min(order.piece) {
        // SAFETY: there are as many rows as results.
        unsafe { E::fold_runs(fold, Runs { start: xs.as_ptr(), size, step: size, squares }, out) };
    } else {
        for (out, xs) in out.iter_mut().zip(xs.chunks_exact(size)) {
            let pieces = xs.chunks_exact(order.sequence).flat_map(|xs| xs.chunks(order.piece));
            *out = fold.pieces(pieces.map(|xs| {
                let mut piece = [E::ZERO];
                let runs = Runs { start: xs.as_ptr(), size: xs.len(), step: 0, squares };
                // SAFETY: a piece is one run.
                unsafe { E::fold_runs(fold, runs, &mut piece) };
                piece[0]
            }));
        }
    }
    if op == ReduceOp::Mean {
        out.iter_mut().for_each(|x| *x = x.over(E::of(size)));
    }
}
