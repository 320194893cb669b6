//! The inner loops of a weight gradient: tiles of products between rows of two blocks, summed in registers.

use crate::simd::{Lanes, with_lanes};

/// Rows of a tile; those of the gradient should fit the first cache together.
pub const ROWS: usize = 4;

/// The rows of a gradient against the shifted rows of staged input.
#[derive(Clone, Copy, Debug)]
pub struct Dots<'a> {
    /// Elements of a row, a multiple of 16.
    pub len: usize,
    /// Rows of the gradient, `len` apart.
    pub grad: *const f32,
    pub rows: usize,
    /// Staged planes of channels, `step` apart, in which each tap has an offset.
    pub staged: *const f32,
    pub channels: usize,
    pub step: usize,
    pub offsets: &'a [usize],
    /// The sums that are added to, by row, channel and tap.
    pub sums: *mut f32,
}

with_lanes! {
    /// Adds the products of every row with every shifted row.
    ///
    /// # Safety
    /// Both blocks may be read as described, sums read and written, and nothing else touches those.
    pub fn dots(args: &Dots<'_>) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &Dots<'_>) {
    let mut row = 0;
    while row < args.rows {
        // SAFETY: by the contract; every tile has as many rows as are left.
        unsafe {
            row += match args.rows - row {
                // Registers for eight rows by three are there for four by six, those for six by two for four by two.
                left if left >= ROWS && R == 2 * ROWS => row_of_tiles::<V, ROWS, 6>(args, row),
                left if left >= ROWS => row_of_tiles::<V, ROWS, N>(args, row),
                _ => row_of_tiles::<V, 1, 3>(args, row),
            };
        }
    }
}

/// # Safety
/// As for [`dots`].
#[inline(always)]
unsafe fn row_of_tiles<V: Lanes, const M: usize, const N: usize>(args: &Dots<'_>, row: usize) -> usize {
    let depth = args.channels * args.offsets.len();
    let mut column = 0;
    while column < depth {
        // SAFETY: by the contract.
        column += unsafe {
            match depth - column {
                left if left >= N => tile::<V, M, N>(args, row, column),
                left if N > 3 && left >= 3 => tile::<V, M, 3>(args, row, column),
                _ => tile::<V, M, 1>(args, row, column),
            }
        };
    }
    M
}

/// # Safety
/// As for [`dots`].
#[inline(always)]
unsafe fn tile<V: Lanes, const M: usize, const N: usize>(
    args: &Dots<'_>,
    row: usize,
    column: usize,
) -> usize {
    let taps = args.offsets.len();
    let depth = args.channels * taps;
    // SAFETY: by the contract.
    unsafe {
        let mut sums = [[V::splat(0.0); N]; M];
        let mut xs = [args.staged; N];
        for n in 0..N {
            let (channel, tap) = ((column + n) / taps, (column + n) % taps);
            xs[n] = args.staged.add(channel * args.step + args.offsets[tap]);
        }
        let grad = args.grad.add(row * args.len);
        let mut at = 0;
        while at < args.len {
            let mut x = [V::splat(0.0); N];
            for n in 0..N {
                x[n] = V::load(xs[n].add(at));
            }
            for m in 0..M {
                let grad = V::load(grad.add(m * args.len + at));
                for n in 0..N {
                    sums[m][n] = x[n].times_plus(grad, sums[m][n]);
                }
            }
            at += V::LANES;
        }
        for m in 0..M {
            for n in 0..N {
                *args.sums.add((row + m) * depth + column + n) += sums[m][n].sum();
            }
        }
    }
    N
}
