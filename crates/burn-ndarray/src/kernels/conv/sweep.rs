//! The inner loops of a convolution: tiles of a few channels by a few vectors of results, kept in registers.

use super::plan::Plan;
use crate::gemm::epilogue::RowsEpilogue;
use crate::gemm::single_columns::rows_by_columns;
use crate::kernels::bounds::Bounds;
use crate::simd::{Lanes, prefetch, with_lanes};
use core::ops::Range;

/// Most rows of a tile.
const ROWS: usize = 8;

/// Elements of a row of the largest tile: blocks of results are best a multiple of it.
pub const TILE: usize = 48;

/// Weights from which on they are asked for before they are needed, and elements from those to these.
const FAR: usize = 1 << 17;
const AHEAD: usize = 128;

/// A block of results: some channels of some positions of one image.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    pub plan: &'a Plan,
    /// The positions, counted with the room after rows.
    pub first: usize,
    pub end: usize,
    /// The padded input from position `first` on: planes of channels, `step` apart, in which each tap has an
    /// offset.
    pub staged: *const f32,
    pub channels: usize,
    pub step: usize,
    pub offsets: &'a [usize],
    /// Weights of the first channel of results, by channel and tap; those of the next follow. Packed ones lie
    /// as [`Weights::pack`](super::packed::Weights::pack) leaves them.
    pub weight: *const f32,
    pub is_packed: bool,
    /// Epilogue of the channels of results. Without a residual where the plan leaves room between results.
    pub epilogue: RowsEpilogue,
    /// Channels of results, and the plane of the first.
    pub rows: usize,
    pub out: *mut f32,
    pub area: usize,
    /// Whether weights are so many that the next ones are asked for while some are in use.
    pub is_streamed: bool,
    /// Room for the input of a few positions, [`SINGLES`](crate::gemm::single_columns::SINGLES) times
    /// channels times taps; without it they are rounded up to vectors. Not with packed weights.
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
    /// Staged planes may be read from every offset on for all positions of the block, rounded up to whole
    /// tiles, and a vector beyond; weights, operands of the epilogue and the planes of the results are as
    /// described, and nothing else touches those positions.
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
        // SAFETY: by the contract; every tile has as many rows as are left. Tiles that are higher than the
        // largest are not compiled.
        unsafe {
            row += match height::<R>(args.rows - row) {
                4 if const { R >= 4 } => rows_of_tiles::<V, 4, N>(args, row, end),
                2 if const { R >= 2 } => rows_of_tiles::<V, 2, N>(args, row, end),
                1 => rows_of_tiles::<V, 1, N>(args, row, end),
                _ => rows_of_tiles::<V, R, N>(args, row, end),
            };
        }
    }
}

/// [`row_of_tiles`], with weights as they lie.
///
/// # Safety
/// As for [`sweep`].
#[inline(always)]
unsafe fn rows_of_tiles<V: Lanes, const M: usize, const N: usize>(
    args: &Sweep<'_>,
    row: usize,
    end: usize,
) -> usize {
    // SAFETY: by the contract.
    unsafe {
        match args.is_packed {
            true => row_of_tiles::<V, M, N, true>(args, row, end),
            false => row_of_tiles::<V, M, N, false>(args, row, end),
        }
    }
}

/// The input of a position, by channel and tap.
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

/// All positions of `M` channels; those from `end` on one by one.
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
    let by_rows = plan.is_stored_by_rows(V::LANES);
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
            } else if const { N > 1 } && left > V::LANES {
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

/// One position of `M` channels: products of their weights with its gathered input.
///
/// # Safety
/// As for [`sweep`].
#[inline(always)]
unsafe fn single<V: Lanes, const M: usize>(args: &Sweep<'_>, row: usize, n: usize, column: *const f32) {
    let depth = args.depth();
    // SAFETY: by the contract.
    unsafe {
        let [sums] = rows_by_columns::<V, M, 1>(args.weight.add(row * depth), depth, depth, column);
        for m in 0..M {
            let at = (row + m) * args.area + n;
            *args.out.add(at) = args.epilogue.apply_one(sums[m], row + m, at);
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
        let [slice, line, column] = *place;
        let at = (slice * args.plan.output[1] + line) * args.plan.output[2] + column + row * args.area;
        let mut sums = args.epilogue.bias_tile::<V, M, N>(row);
        args.epilogue.prefetch_residual::<V, M, N>(at, args.area);
        let x = args.staged.add(n - args.first);
        let weight = args.weight.add(row * depth);
        // Weights that the caches do not hold are used once for each block: they are asked for before they
        // are needed. Rows of many taps are long, and read on; of short ones the next ones are read on, once
        // for all positions.
        let is_short = !P && depth == args.channels && args.is_streamed;
        let is_next = is_short && n == args.first;
        let is_far = !P && !is_short && depth * args.rows >= FAR;
        sums = match *args.offsets {
            [offset] if is_next => one_tap::<V, M, N, P, true>(args, x.add(offset), weight, sums),
            [offset] => one_tap::<V, M, N, P, false>(args, x.add(offset), weight, sums),
            _ => all_taps::<V, M, N, P>(args, x, weight, is_far, sums),
        };
        // After the rows of a slice there may be room too.
        let within = args.plan.out_step == [1; 3]
            && column + width <= args.plan.domain[2]
            && line < args.plan.domain[1];
        if within || (count == width && args.plan.is_flat()) {
            sums = args.epilogue.add_residual(sums, at, args.area);
            sums = args.epilogue.bound(sums);
            for m in 0..M {
                for v in 0..N {
                    sums[m][v].store(args.out.add(at + m * args.area + v * V::LANES));
                }
            }
            *place = if within { [slice, line, column + count] } else { args.plan.place(n + count) };
            return count;
        }
        // The residual lies where the results do, in runs.
        let bounds = args.epilogue.bounds.unwrap_or(Bounds::NONE);
        let residual = args.epilogue.residual.map(|residual| (residual, bounds));
        if residual.is_none() {
            sums = args.epilogue.bound(sums);
        }
        let mut scratch = [0.0_f32; ROWS * TILE];
        for m in 0..M {
            for v in 0..N {
                sums[m][v].store(scratch.as_mut_ptr().add(m * width + v * V::LANES));
            }
        }
        for_runs(args.plan, place, count, |from, at| {
            for m in 0..M {
                let scratch = scratch.as_ptr().add(m * width + from.start);
                let at = (row + m) * args.area + at;
                let residual = residual.map(|(residual, bounds)| (residual.wrapping_add(at), bounds));
                write::<V>(args.plan.out_step[2], scratch, residual, from.len(), args.out.add(at));
            }
        });
    }
    count
}

/// Adds the products of `M` rows of weights of one tap. `NEXT`: whether those of the next rows are asked for.
///
/// # Safety
/// As for [`sweep`].
#[inline(always)]
unsafe fn one_tap<V: Lanes, const M: usize, const N: usize, const P: bool, const NEXT: bool>(
    args: &Sweep<'_>,
    mut x: *const f32,
    mut weight: *const f32,
    mut sums: [[V; N]; M],
) -> [[V; N]; M] {
    let (channels, step) = (args.channels, args.step);
    let (row, column) = if P { (1, M) } else { (channels, 1) };
    let mut next = weight.wrapping_add(M * channels);
    // SAFETY: by the contract.
    unsafe {
        for _ in 0..channels {
            if NEXT {
                prefetch(next.cast());
                next = next.wrapping_add(M);
            }
            sums = plus_products::<V, M, N>(x, weight, row, sums);
            weight = weight.wrapping_add(column);
            x = x.wrapping_add(step);
        }
    }
    sums
}

/// Adds the products of `M` rows of weights of all taps. `is_far`: whether the weights after them are asked
/// for.
///
/// # Safety
/// As for [`sweep`].
#[inline(always)]
unsafe fn all_taps<V: Lanes, const M: usize, const N: usize, const P: bool>(
    args: &Sweep<'_>,
    mut x: *const f32,
    mut weight: *const f32,
    is_far: bool,
    mut sums: [[V; N]; M],
) -> [[V; N]; M] {
    let depth = args.depth();
    let (row, column) = if P { (1, M) } else { (depth, 1) };
    // SAFETY: by the contract.
    unsafe {
        for _ in 0..args.channels {
            if is_far {
                (0..M).for_each(|m| prefetch(weight.wrapping_add(m * depth + AHEAD).cast()));
            }
            for &offset in args.offsets {
                sums = plus_products::<V, M, N>(x.add(offset), weight, row, sums);
                weight = weight.wrapping_add(column);
            }
            x = x.wrapping_add(args.step);
        }
    }
    sums
}

/// Adds the products of a column of weights, `step` apart, with `N` vectors.
///
/// # Safety
/// They may be read, and the machine has the instructions of `V`.
#[inline(always)]
unsafe fn plus_products<V: Lanes, const M: usize, const N: usize>(
    x: *const f32,
    weight: *const f32,
    step: usize,
    mut sums: [[V; N]; M],
) -> [[V; N]; M] {
    // SAFETY: by the contract.
    unsafe {
        let mut xs = [V::splat(0.0); N];
        for v in 0..N {
            xs[v] = V::load(x.add(v * V::LANES));
        }
        for m in 0..M {
            let weight = V::splat(*weight.add(m * step));
            for v in 0..N {
                sums[m][v] = xs[v].times_plus(weight, sums[m][v]);
            }
        }
    }
    sums
}

/// Calls `f` with each range of `count` elements from `place` on that are results of one row, and where they
/// go in their plane; `place` becomes that after the last of them.
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

/// Elements to add to a row of results, and the bounds of the sums.
pub(super) type Residual = Option<(*const f32, Bounds)>;

/// Writes a short row to positions `step` apart; if they are neighbours, with its residual added.
///
/// # Safety
/// `len` elements and their residual may be read; these positions be written.
#[inline(always)]
pub(super) unsafe fn write<V: Lanes>(
    step: usize,
    from: *const f32,
    residual: Residual,
    len: usize,
    out: *mut f32,
) {
    debug_assert!(step == 1 || residual.is_none(), "only results of a convolution have a residual");
    // SAFETY: by the contract.
    unsafe {
        match step {
            1 => copy::<V>(from, residual, len, out),
            2 => copy_apart::<V>(from, len, out),
            _ => (0..len).for_each(|k| *out.add(k * step) = *from.add(k)),
        }
    }
}

/// Copies a short row to every other position.
///
/// # Safety
/// `len` elements may be read and these positions be written.
#[inline(always)]
unsafe fn copy_apart<V: Lanes>(from: *const f32, len: usize, out: *mut f32) {
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

/// Copies a short row, with its residual added.
///
/// # Safety
/// `len` elements and their residual may be read, their positions be written, and they do not overlap.
#[inline(always)]
unsafe fn copy<V: Lanes>(from: *const f32, residual: Residual, len: usize, out: *mut f32) {
    let mut done = 0;
    // SAFETY: by the contract.
    unsafe {
        while done + V::LANES <= len {
            copy_vector::<V>(from, residual, done, out);
            done += V::LANES;
        }
        if done == len {
            return;
        }
        // Whole vectors once more, since stores of some elements of one take several times as long.
        if len >= V::LANES {
            return copy_vector::<V>(from, residual, len - V::LANES, out);
        }
        while done + 4 <= len {
            copy_vector::<[f32; 4]>(from, residual, done, out);
            done += 4;
        }
        if len >= 4 {
            return copy_vector::<[f32; 4]>(from, residual, len - 4, out);
        }
        for k in done..len {
            let x = *from.add(k);
            *out.add(k) = residual.map_or(x, |(residual, bounds)| bounds.apply_one(x + *residual.add(k)));
        }
    }
}

/// Copies the vector from element `at` of a row on, with its residual added.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn copy_vector<V: Lanes>(from: *const f32, residual: Residual, at: usize, out: *mut f32) {
    // SAFETY: by the contract.
    unsafe {
        let mut x = V::load(from.add(at));
        if let Some((residual, bounds)) = residual {
            x = bounds.splat::<V>().apply(x.plus(V::load(residual.add(at))));
        }
        x.store(out.add(at));
    }
}
