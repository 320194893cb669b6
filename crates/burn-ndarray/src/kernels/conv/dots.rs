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
    /// The sums that are added to, by row, channel and tap; those of a row are `depth` apart from those of
    /// the next.
    pub sums: *mut f32,
    pub depth: usize,
}

/// A channel and a tap of it.
type Column = (usize, usize);

/// Most vectors of sums of a tile, rounded up to the lanes of the widest vector.
const SUMS: usize = 32;

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
                // Registers for eight rows by three are there for four by six, those for six by two for four
                // by two.
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
    let columns = args.channels * args.offsets.len();
    let (mut done, mut column) = (0, (0, 0));
    while done < columns {
        // SAFETY: by the contract.
        done += unsafe {
            match columns - done {
                left if left >= N => tile::<V, M, N>(args, row, done, &mut column),
                left if N > 3 && left >= 3 => tile::<V, M, 3>(args, row, done, &mut column),
                _ => tile::<V, M, 1>(args, row, done, &mut column),
            }
        };
    }
    M
}

/// `M` rows by `N` columns, from `column` on, which becomes the one after them.
///
/// # Safety
/// As for [`dots`].
#[inline(always)]
unsafe fn tile<V: Lanes, const M: usize, const N: usize>(
    args: &Dots<'_>,
    row: usize,
    done: usize,
    column: &mut Column,
) -> usize {
    // SAFETY: by the contract.
    unsafe {
        let mut sums = [[V::splat(0.0); N]; M];
        let mut xs = [args.staged; N];
        let (channel, tap) = column;
        for n in 0..N {
            xs[n] = args.staged.add(*channel * args.step + args.offsets[*tap]);
            *tap += 1;
            if *tap == args.offsets.len() {
                (*channel, *tap) = (*channel + 1, 0);
            }
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
        let mut list = [V::splat(0.0); SUMS];
        for m in 0..M {
            for n in 0..N {
                list[m * N + n] = sums[m][n];
            }
        }
        let mut found = [0.0; SUMS];
        if M * N * 2 < V::LANES {
            for n in 0..M * N {
                found[n] = list[n].sum();
            }
        } else {
            for first in (0..M * N).step_by(V::LANES) {
                sum_each(&mut list[first..first + V::LANES]).store(found[first..].as_mut_ptr());
            }
        }
        for m in 0..M {
            for n in 0..N {
                *args.sums.add((row + m) * args.depth + done + n) += found[m * N + n];
            }
        }
    }
    N
}

/// The sum of the lanes of each vector, of as many as a vector has lanes.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn sum_each<V: Lanes>(list: &mut [V]) -> V {
    let mut width = V::LANES;
    while width > 1 {
        width /= 2;
        for n in 0..width {
            // SAFETY: by the contract.
            let (even, odd) = unsafe { list[2 * n].deinterleave(list[2 * n + 1]) };
            // SAFETY: by the contract.
            list[n] = unsafe { even.plus(odd) };
        }
    }
    list[0]
}
