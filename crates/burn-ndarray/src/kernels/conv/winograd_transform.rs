//! The transforms of Winograd's convolutions `F(4x4, 3x3)` and `F(4x4, 2x2)` (Lavin and Gray, "Fast
//! Algorithms for Convolutional Neural Networks", 2015), and in one dimension `F(4, 3)` and `F(4, 5)`, for
//! vectors of tiles.
//!
//! `H` and `S` are the numbers of points, those of elements of a transformed tile down and along the rows:
//! three more than taps. A kernel of one row has one point down, and tiles of one row of results.

use super::stage::copy_run;
use super::sweep::write;
use super::winograd_points::{MOST_TAPS, RESULTS, input_points, result_rows, results, weight_points};
use crate::gemm::epilogue::{ChannelEpilogue, prefetch_elements};
use crate::kernels::bounds::Bounds;
use crate::kernels::window::Spatial;
use crate::simd::{Lanes, with_lanes};
use alloc::vec::Vec;

/// Most points along the rows.
const MOST_POINTS: usize = MOST_TAPS + RESULTS - 1;

/// Most elements of a transformed tile, those of 6 by 6 points.
const TILE_POINTS: usize = 36;

/// Calls a function with the numbers of points down and along the rows as constants.
macro_rules! with_points {
    ($points:expr, $function:ident($args:expr)) => {
        match $points {
            [1, 8] => $function::<V, 1, 8>($args),
            [1, _] => $function::<V, 1, 6>($args),
            [6, _] => $function::<V, 6, 6>($args),
            _ => $function::<V, 5, 5>($args),
        }
    };
}

/// Most tiles that are transformed at once.
pub const BLOCK: usize = 48;

/// Elements of a row of staged tiles: stores of whole vectors may go beyond the block.
const STAGED: usize = BLOCK + 16;

/// Elements of all rows of staged tiles.
pub const ALL_STAGED: usize = TILE_POINTS * STAGED;

/// Tiles from number `first` on of all images, each of which has `depth` slices of `height` by `width` of
/// them.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    pub first: usize,
    pub count: usize,
    pub depth: usize,
    pub height: usize,
    pub width: usize,
}

/// Tiles of one row of a slice of an image.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    image: usize,
    slice: usize,
    row: usize,
    column: usize,
    /// Number within the block of the first.
    at: usize,
    len: usize,
}

impl Tiles {
    pub fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.for_pieces(|piece| pieces.push(piece));
        pieces
    }

    #[inline(always)]
    fn for_pieces(&self, mut f: impl FnMut(Piece)) {
        let mut at = 0;
        while at < self.count {
            let (line, column) = ((self.first + at) / self.width, (self.first + at) % self.width);
            let len = (self.width - column).min(self.count - at);
            let (plane, row) = (line / self.height, line % self.height);
            f(Piece { image: plane / self.depth, slice: plane % self.depth, row, column, at, len });
            at += len;
        }
    }
}

/// A channel of the images of a block.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// At most `BLOCK` tiles.
    pub pieces: &'a [Piece],
    pub count: usize,
    /// The slices of the first image, and the step to those of the next.
    pub plane: *const f32,
    pub image_step: usize,
    /// From a channel to the one that is transformed next.
    pub channel_step: usize,
    pub size: Spatial,
    /// Where the first tile starts, and the step between its elements.
    pub origin: [isize; 3],
    pub step: Spatial,
    /// Points down and along the rows.
    pub points: [usize; 2],
    /// Room for `ALL_STAGED` elements.
    pub staged: *mut f32,
    /// For each point a row of `BLOCK` tiles, `point_step` apart.
    pub out: *mut f32,
    pub point_step: usize,
}

with_lanes! {
    /// Transforms the tiles of a block of one channel.
    ///
    /// # Safety
    /// Planes may be read and rows written as described.
    pub fn transform_input(args: &Input<'_>) = input
}

#[inline(always)]
unsafe fn input<V: Lanes, const R: usize, const N: usize>(args: &Input<'_>) {
    // SAFETY: by the contract.
    unsafe { with_points!(args.points, input_of(args)) }
}

/// # Safety
/// As for [`transform_input`].
#[inline(always)]
unsafe fn input_of<V: Lanes, const H: usize, const S: usize>(args: &Input<'_>) {
    // SAFETY: by the contract; staged rows have room for whole vectors after the last tile.
    unsafe {
        for row in 0..H {
            stage::<V, H, S>(args, row, args.staged.add(row * S * STAGED));
        }
        let mut at = 0;
        while at < args.count {
            let mut columns = [[V::splat(0.0); H]; S];
            for c in 0..S {
                let column = core::array::from_fn(|r| V::load(args.staged.add((r * S + c) * STAGED + at)));
                columns[c] = input_points(column);
            }
            for r in 0..H {
                let row: [V; S] = input_points(core::array::from_fn(|c| columns[c][r]));
                for c in 0..S {
                    row[c].store(args.out.add((r * S + c) * args.point_step + at));
                }
            }
            at += V::LANES;
        }
    }
}

/// Writes the elements of each tile in one row of the input, a row for each of them.
///
/// Rows of small images are short, so those of all pieces lie one after the other. The last elements of a
/// tile are the first of the next; after the last tile of a piece they are put in one by one.
///
/// # Safety
/// As for [`transform_input`]; from `out` on there are `S` rows of staged tiles.
#[inline(always)]
unsafe fn stage<V: Lanes, const H: usize, const S: usize>(args: &Input<'_>, row: usize, out: *mut f32) {
    let mut line = [0.0_f32; RESULTS * STAGED];
    let mut behind = [[0.0_f32; BLOCK]; MOST_POINTS - RESULTS];
    let [depth, height, width] = args.size;
    let at = |d: usize, i: usize| (i * args.step[d]) as isize + args.origin[d];
    // SAFETY: by the contract; a block has at most as many pieces as tiles.
    unsafe {
        for (index, piece) in args.pieces.iter().enumerate() {
            let (z, y) = (at(0, piece.slice), at(1, piece.row * result_rows(H) + row));
            let (x, step) = (at(2, piece.column * RESULTS), args.step[2]);
            if !(0..depth as isize).contains(&z) || !(0..height as isize).contains(&y) {
                continue;
            }
            let from = piece.image * args.image_step + (z as usize * height + y as usize) * width;
            let (within, wanted) = (piece.len * RESULTS, piece.len * RESULTS + S - RESULTS);
            let first = ((-x).max(0) as usize).div_ceil(step).min(wanted);
            let end = ((width as isize - x).max(0) as usize).div_ceil(step).clamp(first, wanted);
            let element = |n: usize| args.plane.add(from + (x + (n * step) as isize) as usize);
            let last = end.min(within);
            if first < last {
                prefetch_elements(element(first).wrapping_add(args.channel_step), (last - first) * step);
                let run = core::slice::from_raw_parts(element(first), (last - first - 1) * step + 1);
                copy_run::<V>(run, step, last - first, &mut line[piece.at * RESULTS + first..]);
            }
            for n in within.max(first)..end {
                behind[n - within][index] = *element(n);
            }
        }
        let mut at = 0;
        while at < args.count {
            let line = line.as_ptr().add(at * RESULTS);
            let load = |k: usize| V::load(line.add(k * V::LANES));
            let (even_low, odd_low) = load(0).deinterleave(load(1));
            let (even_high, odd_high) = load(2).deinterleave(load(3));
            let (zero, two) = even_low.deinterleave(even_high);
            let (one, three) = odd_low.deinterleave(odd_high);
            for (k, x) in [zero, one, two, three].into_iter().enumerate() {
                x.store(out.add(k * STAGED + at));
            }
            at += V::LANES;
        }
        for k in RESULTS..S {
            let (from, to) = (out.add((k - RESULTS) * STAGED), out.add(k * STAGED));
            let mut at = 0;
            while at < args.count {
                V::load(from.add(at + 1)).store(to.add(at));
                at += V::LANES;
            }
            for (piece, &x) in args.pieces.iter().zip(&behind[k - RESULTS]) {
                *to.add(piece.at + piece.len - 1) = x;
            }
        }
    }
}

/// The kernels of one row of results.
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    /// The kernel of the first channel, and the step to that of the next.
    pub kernel: *const f32,
    pub step: usize,
    pub channels: usize,
    /// From one tap to the one below it, and to the one at its right.
    pub down: isize,
    pub right: isize,
    /// Points down and along the rows: three more than taps.
    pub points: [usize; 2],
    /// For each point a row of channels, `point_step` apart.
    pub out: *mut f32,
    pub point_step: usize,
}

with_lanes! {
    /// Transforms the kernels of a row.
    ///
    /// # Safety
    /// Kernels may be read and rows written as described.
    pub fn transform_weight(args: &Weight) = weight
}

#[inline(always)]
unsafe fn weight<V: Lanes, const R: usize, const N: usize>(args: &Weight) {
    // SAFETY: by the contract.
    unsafe { with_points!(args.points, weight_of(args)) }
}

/// # Safety
/// As for [`transform_weight`].
#[inline(always)]
unsafe fn weight_of<V: Lanes, const H: usize, const S: usize>(args: &Weight) {
    let (down, along) = (H + 1 - result_rows(H), S + 1 - RESULTS);
    let mut first = 0;
    // SAFETY: by the contract.
    unsafe {
        while first < args.channels {
            let count = V::LANES.min(args.channels - first);
            let mut taps = [[[0.0_f32; 16]; MOST_TAPS]; MOST_TAPS];
            for channel in 0..count {
                let kernel = args.kernel.add((first + channel) * args.step);
                for (r, row) in taps[..down].iter_mut().enumerate() {
                    for (c, tap) in row[..along].iter_mut().enumerate() {
                        tap[channel] = *kernel.offset(r as isize * args.down + c as isize * args.right);
                    }
                }
            }
            let mut columns = [[V::splat(0.0); H]; MOST_TAPS];
            for c in 0..along {
                columns[c] = weight_points(core::array::from_fn(|r| V::load(taps[r][c].as_ptr())));
            }
            for r in 0..H {
                let row: [V; S] = weight_points(core::array::from_fn(|c| columns[c][r]));
                for c in 0..S {
                    row[c].store_first(args.out.add((r * S + c) * args.point_step + first), count);
                }
            }
            first += count;
        }
    }
}

/// A channel of the results of a block.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    pub tiles: Tiles,
    /// For each point a row of `BLOCK` tiles, `point_step` apart.
    pub products: *const f32,
    pub point_step: usize,
    /// Epilogue of the channel, whose residual lies as the slices do.
    pub epilogue: ChannelEpilogue,
    /// The slices of the first image, and the step to those of the next.
    pub plane: *mut f32,
    pub image_step: usize,
    pub size: Spatial,
    /// Results along each dimension, the index of the first, and the step between neighbours.
    pub domain: Spatial,
    pub first: Spatial,
    pub step: Spatial,
    /// Points down and along the rows.
    pub points: [usize; 2],
    /// Becomes NaN when a result is not finite.
    pub check: *mut f32,
}

impl Output {
    /// Calls `f` for each row of results of neighbouring tiles: with its number in the tiles, the position of
    /// its first result among those of the block, that in the slices, and the number of results.
    #[inline(always)]
    fn for_rows(&self, mut f: impl FnMut(usize, usize, usize, usize)) {
        let rows = result_rows(self.points[0]);
        self.tiles.for_pieces(|piece| {
            let (y, x) = (piece.row * rows, piece.column * RESULTS);
            let len = (piece.len * RESULTS).min(self.domain[2] - x);
            let at = |d: usize, i: usize| self.first[d] + i * self.step[d];
            let line = (at(0, piece.slice) * self.size[1] + at(1, y)) * self.size[2] + at(2, x);
            for row in 0..rows.min(self.domain[1] - y) {
                let at = piece.image * self.image_step + line + row * self.step[1] * self.size[2];
                f(row, piece.at * RESULTS, at, len);
            }
        });
    }
}

with_lanes! {
    /// Turns the products of a block of one channel into results.
    ///
    /// # Safety
    /// Rows and the operands of the epilogue may be read, planes and the check written as described.
    pub fn transform_output(args: &Output) = output
}

#[inline(always)]
unsafe fn output<V: Lanes, const R: usize, const N: usize>(args: &Output) {
    // SAFETY: by the contract.
    unsafe { with_points!(args.points, output_of(args)) }
}

/// # Safety
/// As for [`transform_output`].
#[inline(always)]
unsafe fn output_of<V: Lanes, const H: usize, const S: usize>(args: &Output) {
    let mut lines = [[0.0_f32; RESULTS * BLOCK]; RESULTS];
    // SAFETY: by the contract; lines are as long as whole vectors of a block.
    unsafe {
        let zero = V::splat(0.0);
        let ChannelEpilogue { bias, residual, bounds } = args.epilogue;
        // The residual is added after the transform, and bounds are those of the sum.
        let before = if residual.is_some() { Bounds::NONE } else { bounds }.splat::<V>();
        if let Some(residual) = residual {
            args.for_rows(|_, _, at, len| prefetch_elements(residual.wrapping_add(at), len));
        }
        let (bias, mut check) = (V::splat(bias), zero);
        let mut at = 0;
        while at < args.tiles.count {
            let mut columns = [[zero; RESULTS]; S];
            for c in 0..S {
                let products = args.products.add(c * args.point_step + at);
                let column: [V; H] = core::array::from_fn(|r| V::load(products.add(r * S * args.point_step)));
                columns[c] = results(column);
            }
            for r in 0..result_rows(H) {
                let row: [V; S] = core::array::from_fn(|c| columns[c][r]);
                let row: [V; RESULTS] = results(row);
                let row = row.map(|x| x.plus(bias));
                let left = args.tiles.count - at;
                for x in row {
                    // Lanes beyond the last tile hold arbitrary values.
                    let x = if left < V::LANES { first::<V>(x, left) } else { x };
                    check = x.times_plus(zero, check);
                }
                let row = row.map(|x| before.apply(x));
                let (even_low, even_high) = row[0].interleave(row[2]);
                let (odd_low, odd_high) = row[1].interleave(row[3]);
                let (a, b) = even_low.interleave(odd_low);
                let (c, d) = even_high.interleave(odd_high);
                for (k, x) in [a, b, c, d].into_iter().enumerate() {
                    x.store(lines[r].as_mut_ptr().add(at * RESULTS + k * V::LANES));
                }
            }
            at += V::LANES;
        }
        *args.check += check.sum();
        args.for_rows(|row, from, at, len| {
            let from = lines[row].as_ptr().add(from);
            let residual = residual.map(|residual| (residual.wrapping_add(at), bounds));
            write::<V>(args.step[2], from, residual, len, args.plane.add(at));
        });
    }
}

/// The first `count` elements of a vector, and zeros.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn first<V: Lanes>(x: V, count: usize) -> V {
    let mut elements = [0.0_f32; 16];
    // SAFETY: by the contract; no vector is longer than the array.
    unsafe {
        x.store(elements.as_mut_ptr());
        V::load_first(elements.as_ptr(), count)
    }
}
