use crate::equations::{Column, room, solve_block};
use crate::panel::WIDTH;
use crate::working::sizes;
use burn_backend::Triangle;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{B, Body, Kernel, LaunchWords, launch_cubes, launch_words, word};
use cubecl::CubeDim;
use cubecl::prelude::*;
use std::ops::Range;

/// Units of a cube: few, since neighbours load addresses that are far from each other.
const UNITS: u32 = 32;

/// Row swaps of a panel applied to the other columns, one unit for each column; columns on the right are also
/// multiplied by the inverse of the panel's triangle. Matrices are stored by columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Exchange {
    /// Not fewer than the columns of the panel.
    width: u32,
}

launch_words! {
    struct ExchangeWords {
        batch: u32,
        rows: u32,
        cols: u32,
        /// Columns of the panel.
        start: u32,
        end: u32,
        /// Columns before this one are solved.
        solved: u32,
        /// Cubes of a matrix.
        cubes: u32,
    }
}

#[cube]
fn exchange_rows<E: Float>(
    pivots: &Array<u32>,
    x: &mut Array<E>,
    words: &ExchangeWords,
    #[comptime] width: u32,
) {
    let (rows, cols, start, end) = (words.rows, words.cols, words.start, words.end);
    let mut triangle = SharedMemory::<E>::new(comptime!(room(width)));
    // Rows that become those of the panel, and rows that those of the panel become.
    let mut sources = SharedMemory::<u32>::new(comptime!(width as usize));
    let mut targets = SharedMemory::<u32>::new(comptime!(width as usize));
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32 / words.cubes;
    if matrix < words.batch {
        let base = matrix * rows * cols;
        let span = end - start;
        if unit < width {
            let mut source = start + unit;
            let mut target = start + unit;
            for step in 0..span {
                let back = span - 1u32 - step;
                let other = pivots[(matrix * span + back) as usize];
                let k = start + back;
                source = select(source == k, other, select(source == other, k, source));
                let other = pivots[(matrix * span + step) as usize];
                let k = start + step;
                target = select(target == k, other, select(target == other, k, target));
            }
            sources[unit as usize] = source;
            targets[unit as usize] = target;
        }
        let mut at = unit + 0u32;
        while at < comptime!(width * width) {
            let (k, i) = (at / width, at % width);
            let mut value = E::new(0.0);
            if k < i && i < span {
                value = x[(base + (start + k) * rows + start + i) as usize];
            }
            triangle[(i * comptime!(width + 1) + k) as usize] = value;
            at += UNITS;
        }
        sync_cube();
        let other = CUBE_POS as u32 % words.cubes * UNITS + unit;
        if other < cols - span {
            let col = select(other < start, other, other + span);
            let first = base + col * rows;
            let mut own = Array::<E>::new(comptime!(width as usize));
            let mut before = Array::<E>::new(comptime!(width as usize));
            #[unroll]
            for k in 0..width {
                let at = comptime!(k as usize);
                own[at] = E::new(0.0);
                before[at] = E::new(0.0);
                if k < span {
                    own[at] = x[(first + sources[at]) as usize];
                    before[at] = x[(first + start + k) as usize];
                }
            }
            #[unroll]
            for k in 0..width {
                let at = comptime!(k as usize);
                let target = targets[at];
                if k < span && target >= end {
                    x[(first + target) as usize] = before[at];
                }
            }
            if col >= end && col < words.solved {
                let lower = comptime!(Triangle { upper: false, unit: true });
                let column = Column { first: first + start, by_row: 1u32, rows: span };
                solve_block::<E>(&mut own, &triangle, x, &column, lower, width);
            } else {
                #[unroll]
                for k in 0..width {
                    if k < span {
                        x[(first + start + k) as usize] = own[comptime!(k as usize)];
                    }
                }
            }
        }
    }
}

impl Kernel for Exchange {
    const NAME: &'static str = "exchange_rows";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (pivots, x) = (body.array(0), body.array(1));
        let words = body.read::<ExchangeWords>();
        exchange_rows::expand::<B>(&mut body.scope, pivots, x, words, self.width);
    }
}

/// In place, in the columns beside a panel; those from its end to `solved` become what they are above the
/// rest. `x` are matrices by columns, `[.., n, m]`.
pub fn exchange(x: &CubeTensor, pivots: &CubeTensor, panel: Range<usize>, solved: usize) {
    let [batch, cols, rows] = sizes(x);
    if panel.len() == cols {
        return;
    }
    let cubes = (cols - panel.len()).div_ceil(UNITS as usize);
    let words = ExchangeWords {
        batch: word(batch),
        rows: word(rows),
        cols: word(cols),
        start: word(panel.start),
        end: word(panel.end),
        solved: word(solved),
        cubes: word(cubes),
    };
    let kernel = Exchange { width: panel.len().next_power_of_two().min(WIDTH) as u32 };
    launch_cubes(kernel, &[pivots], &[x], &words.words(), batch * cubes, CubeDim::new_1d(UNITS));
}
