use super::working::sizes;
use crate::kernel::{B, Body, Kernel, launch};
use crate::strides;
use crate::tensor::CubeTensor;
use cubecl::prelude::*;

/// The rows that pivots were found in, exchanged in every column beside their panel: a column for each unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Exchange;

#[cube]
#[allow(clippy::too_many_arguments)]
fn exchange_rows<E: Numeric>(
    x: &mut Array<E>,
    pivots: &Array<u32>,
    batch: u32,
    rows: u32,
    cols: u32,
    start: u32,
    end: u32,
) {
    let width = end - start;
    let others = cols - width;
    let at = strides::position();
    let matrix = at / others;
    if matrix < batch {
        let other = at % others;
        let col = select(other < start, other, other + width);
        let base = matrix * rows * cols + col;
        for k in start..end {
            let pivot = pivots[(matrix * width + k - start) as usize];
            if pivot != k {
                let (from, to) = ((base + pivot * cols) as usize, (base + k * cols) as usize);
                let value = x[from];
                x[from] = x[to];
                x[to] = value;
            }
        }
    }
}

impl Kernel for Exchange {
    const NAME: &'static str = "exchange_rows";

    fn expand(&self, body: &mut Body) {
        let (pivots, x) = (body.array(0), body.array(1));
        let [batch, rows, cols, start, end] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        exchange_rows::expand::<B>(&mut body.scope, x, pivots, batch, rows, cols, start, end);
    }
}

/// In place, for the panel of columns from `start` to `end`, each of whose pivots came from a row.
pub fn exchange(x: &CubeTensor, pivots: &CubeTensor, start: usize, end: usize) {
    let [batch, rows, cols] = sizes(x);
    let words: Vec<u32> = strides::words(&[batch, rows, cols, start, end]).collect();
    launch(Exchange, &[pivots], &[x], &words, batch * (cols - (end - start)));
}
