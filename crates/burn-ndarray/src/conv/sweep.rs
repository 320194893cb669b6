//! The inner loops of a convolution: tiles of a few channels by a few vectors of results, kept in registers.

use super::plan::Plan;
use crate::bounds::Bounds;
use crate::simd::{Lanes, prefetch, with_lanes};
use crate::single_columns::rows_by_column;
use core::ops::Range;

/// Most rows of a tile.
const ROWS: usize = 8;

/// Elements of a row of the largest tile: blocks of results are best a multiple of it.
pub const TILE: usize = 48;

/// Weights from which on they are asked for before they are needed, and elements from those to these.
const FAR: usize = 1 << 17;
const AHEAD: usize = 128;

/// A block of results: some channels of some places of one image.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    pub plan: &'a Plan,
    /// The places, counted with the room behind rows.
    pub first: usize,
    pub end: usize,
    /// The padded input from place `first` on: planes of channels, `step` apart, in which each tap has an offset.
    pub staged: *const f32,
    pub channels: usize,
    pub step: usize,
    pub offsets: &'a [usize],
    /// Weights of the first channel of results, by channel and tap; those of the next follow. Packed ones lie as
    /// [`Weights::pack`](super::packed::Weights::pack) leaves them.
    pub weight: *const f32,
    pub is_packed: bool,
    pub bias: Option<*const f32>,
    /// Bounds of all results.
    pub bounds: Option<Bounds>,
    /// Channels of results, and the plane of the first.
    pub rows: usize,
    pub out: *mut f32,
    pub area: usize,
    /// Whether weights are so many that the next ones are asked for while some are in use.
    pub is_streamed: bool,
    /// Room for the input of a few places, [`SINGLES`](crate::single_columns::SINGLES) times channels times taps; without it they are rounded up to
    /// vectors. Not with packed weights.
    pub singles: Option<*mut f32>,
}

/// Rows of the next tile, of `left` ones.
#[inline(always)]
pub fn height<const R: usize>(left: usize) -> usize {
    match left {
        left if left >= R => R,
        4.. => 4,
        2.. => 2,
        _ => 1,
    }
}

impl Sweep<'_> {
    fn depth(&self) -> usize {
        self.channels * self.offsets.len()
    }
}

with_lanes! {
    /// Computes a block.
    ///
    /// # Safety
    /// Staged planes may be read from every offset on for all places of the block, rounded up to whole tiles, and a vector beyond;
    /// weights, biases and the planes of the results are as described, and nothing else touches those places.
    pub fn sweep(args: &Sweep<'_>) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &Sweep<'_>) {
    let singles = (args.end - args.first) % V::LANES;
    let pays = singles * 2 <= V::LANES && args.depth() >= 4 * V::LANES && args.plan.is_flat();
    let end = if pays && args.singles.is_some() { args.end - singles } else { args.end };
    if let Some(columns) = args.singles {
        for n in end..args.end {
            // SAFETY: by the contract; there are at most as many singles as there is room for.
            unsafe { gather(args, n, columns.add((n - end) * args.depth())) };
        }
    }
    let mut row = 0;
    while row < args.rows {
        // SAFETY: by the contract; every tile has as many rows as are left.
        unsafe {
            row += match (height::<R>(args.rows - row), args.is_packed) {
                (4, true) => row_of_tiles::<V, 4, N, true>(args, row, end),
                (4, false) => row_of_tiles::<V, 4, N, false>(args, row, end),
                (2, true) => row_of_tiles::<V, 2, N, true>(args, row, end),
                (2, false) => row_of_tiles::<V, 2, N, false>(args, row, end),
                (1, true) => row_of_tiles::<V, 1, N, true>(args, row, end),
                (1, false) => row_of_tiles::<V, 1, N, false>(args, row, end),
                (_, true) => row_of_tiles::<V, R, N, true>(args, row, end),
                (_, false) => row_of_tiles::<V, R, N, false>(args, row, end),
            };
        }
    }
}

/// The input of a place, by channel and tap.
///
/// # Safety
/// As for [`sweep`]; the column may be written.
#[inline(always)]
unsafe fn gather(args: &Sweep<'_>, n: usize, column: *mut f32) {
    let taps = args.offsets.len();
    for channel in 0..args.channels {
        for (tap, &offset) in args.offsets.iter().enumerate() {
            // SAFETY: by the contract.
            unsafe {
                *column.add(channel * taps + tap) =
                    *args.staged.add(channel * args.step + offset + n - args.first);
            }
        }
    }
}

/// All places of `M` channels; those from `end` on one by one.
///
/// # Safety
/// As for [`sweep`].
#[inline(always)]
unsafe fn row_of_tiles<V: Lanes, const M: usize, const N: usize, const P: bool>(
    args: &Sweep<'_>,
    row: usize,
    end: usize,
) -> usize {
    let plan = args.plan;
    let mut place = plan.place(args.first);
    let mut n = args.first;
    // Tiles that end with their row are stored as they are; the room behind it is not computed.
    let by_rows = plan.out_step == [1; 3] && plan.domain[2].is_multiple_of(V::LANES) && !plan.is_flat();
    // SAFETY: by the contract.
    unsafe {
        while n < end {
            let mut left = end - n;
            if by_rows {
                let [_, line, column] = place;
                if line >= plan.domain[1] || column >= plan.domain[2] {
                    n += plan.pitch[1] - column;
                    place = plan.place(n);
                    continue;
                }
                left = left.min(plan.domain[2] - column);
            }
            // Two tiles of two vectors are faster than one of three and one of one.
            let is_even = by_rows && left > 3 * V::LANES && left <= 4 * V::LANES;
            n += if left > (N - 1) * V::LANES && !(is_even && N == 3) {
                tile::<V, M, N, P>(args, row, n, left, &mut place)
            } else if left > V::LANES {
                tile::<V, M, 2, P>(args, row, n, left, &mut place)
            } else {
                tile::<V, M, 1, P>(args, row, n, left, &mut place)
            };
        }
        if let Some(columns) = args.singles {
            for n in end..args.end {
                single::<V, M>(args, row, n, columns.add((n - end) * args.depth()));
            }
        }
    }
    M
}

/// One place of `M` channels: products of their weights with its gathered input.
///
/// # Safety
/// As for [`sweep`].
#[inline(always)]
unsafe fn single<V: Lanes, const M: usize>(args: &Sweep<'_>, row: usize, n: usize, column: *const f32) {
    let depth = args.depth();
    // SAFETY: by the contract.
    unsafe {
        let sums = rows_by_column::<V, M>(args.weight.add(row * depth), depth, depth, column);
        for m in 0..M {
            let bias = args.bias.map_or(0.0, |bias| *bias.add(row + m));
            let sum = sums[m] + bias;
            *args.out.add((row + m) * args.area + n) =
                args.bounds.map_or(sum, |bounds| bounds.apply_one(sum));
        }
    }
}

/// The first results of `left`, as many as a tile has.
///
/// # Safety
/// As for [`sweep`].
#[inline(always)]
unsafe fn tile<V: Lanes, const M: usize, const N: usize, const P: bool>(
    args: &Sweep<'_>,
    row: usize,
    n: usize,
    left: usize,
    place: &mut [usize; 3],
) -> usize {
    let depth = args.depth();
    let width = N * V::LANES;
    let count = width.min(left);
    // SAFETY: by the contract.
    unsafe {
        let mut sums = [[V::splat(0.0); N]; M];
        if let Some(bias) = args.bias {
            for m in 0..M {
                sums[m] = [V::splat(*bias.add(row + m)); N];
            }
        }
        let mut x = args.staged.add(n - args.first);
        let mut weight = args.weight.add(row * depth);
        // Weights that the caches do not hold are used once for each block: they are asked for before they are needed. Rows of
        // many taps are long, and read on; of short ones the next ones are read on, once for all places.
        let is_short = !P && depth == args.channels && args.is_streamed;
        let is_next = is_short && n == args.first;
        let is_far = !P && !is_short && depth * args.rows >= FAR;
        for channel in 0..args.channels {
            if is_next {
                prefetch(weight.wrapping_add(M * depth + channel * (M - 1)).cast());
            } else if is_far {
                (0..M).for_each(|m| prefetch(weight.wrapping_add(m * depth + AHEAD).cast()));
            }
            for &offset in args.offsets {
                let x = x.add(offset);
                let mut xs = [V::splat(0.0); N];
                for v in 0..N {
                    xs[v] = V::load(x.add(v * V::LANES));
                }
                for m in 0..M {
                    let weight = V::splat(*weight.add(if P { m } else { m * depth }));
                    for v in 0..N {
                        sums[m][v] = xs[v].times_plus(weight, sums[m][v]);
                    }
                }
                weight = weight.add(if P { M } else { 1 });
            }
            x = x.add(args.step);
        }
        if let Some(bounds) = args.bounds {
            sums = bounds.apply_tile(sums);
        }
        let out = args.out.add(row * args.area);
        let [slice, line, column] = *place;
        // Behind the rows of a slice there may be room too.
        let within = args.plan.out_step == [1; 3]
            && column + width <= args.plan.domain[2]
            && line < args.plan.domain[1];
        if within || (count == width && args.plan.is_flat()) {
            let at = (slice * args.plan.output[1] + line) * args.plan.output[2] + column;
            for m in 0..M {
                for v in 0..N {
                    sums[m][v].store(out.add(m * args.area + at + v * V::LANES));
                }
            }
            *place = if within { [slice, line, column + count] } else { args.plan.place(n + count) };
            return count;
        }
        let mut scratch = [0.0_f32; ROWS * TILE];
        for m in 0..M {
            for v in 0..N {
                sums[m][v].store(scratch.as_mut_ptr().add(m * width + v * V::LANES));
            }
        }
        for_runs(args.plan, place, count, |from, at| {
            for m in 0..M {
                let scratch = scratch.as_ptr().add(m * width);
                write::<V>(args.plan, scratch, from.clone(), out.add(m * args.area + at));
            }
        });
    }
    count
}

/// Calls `f` with each range of `count` elements from `place` on that are results of one row, and where they go in
/// their plane; `place` becomes that behind the last of them.
#[inline(always)]
fn for_runs(plan: &Plan, place: &mut [usize; 3], count: usize, mut f: impl FnMut(Range<usize>, usize)) {
    let [_, height, width] = plan.domain;
    let mut from = 0;
    let [slice, line, column] = place;
    while from < count {
        let len = (plan.pitch[1] - *column).min(count - from);
        let results = width.saturating_sub(*column).min(len);
        if results > 0 && *line < height {
            let at = |d: usize, i: usize| plan.first[d] + i * plan.out_step[d];
            f(
                from..from + results,
                (at(0, *slice) * plan.output[1] + at(1, *line)) * plan.output[2] + at(2, *column),
            );
        }
        from += len;
        *column += len;
        if *column == plan.pitch[1] {
            (*line, *column) = (*line + 1, 0);
            if *line == plan.pitch[0] {
                (*slice, *line) = (*slice + 1, 0);
            }
        }
    }
}

/// # Safety
/// The elements `from` of `scratch` may be read; their places from `out` on be written.
#[inline(always)]
unsafe fn write<V: Lanes>(plan: &Plan, scratch: *const f32, from: Range<usize>, out: *mut f32) {
    let (len, step) = (from.len(), plan.out_step[2]);
    // SAFETY: by the contract.
    unsafe {
        let scratch = scratch.add(from.start);
        match step {
            1 => copy::<V>(scratch, len, out),
            2 => copy_apart::<V>(scratch, len, out),
            _ => (0..len).for_each(|k| *out.add(k * step) = *scratch.add(k)),
        }
    }
}

/// Copies a short row to every other place.
///
/// # Safety
/// `len` elements may be read and these places be written.
#[inline(always)]
pub(super) unsafe fn copy_apart<V: Lanes>(from: *const f32, len: usize, out: *mut f32) {
    let mut done = 0;
    // SAFETY: by the contract.
    unsafe {
        while done + V::LANES <= len {
            V::load(from.add(done)).store_apart(out.add(2 * done), V::LANES);
            done += V::LANES;
        }
        if done < len {
            V::load_first(from.add(done), len - done).store_apart(out.add(2 * done), len - done);
        }
    }
}

/// Copies a short row.
///
/// # Safety
/// `len` elements may be read and written, and do not overlap.
#[inline(always)]
pub(super) unsafe fn copy<V: Lanes>(from: *const f32, len: usize, out: *mut f32) {
    let mut done = 0;
    // SAFETY: by the contract.
    unsafe {
        while done + V::LANES <= len {
            V::load(from.add(done)).store(out.add(done));
            done += V::LANES;
        }
        if done == len {
            return;
        }
        // Whole vectors once more, since stores of some elements of one take several times as long.
        if len >= V::LANES {
            V::load(from.add(len - V::LANES)).store(out.add(len - V::LANES));
            return;
        }
        while done + 4 <= len {
            <[f32; 4]>::load(from.add(done)).store(out.add(done));
            done += 4;
        }
        if len >= 4 {
            <[f32; 4]>::load(from.add(len - 4)).store(out.add(len - 4));
        } else {
            (done..len).for_each(|k| *out.add(k) = *from.add(k));
        }
    }
}
