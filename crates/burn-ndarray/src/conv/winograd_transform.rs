//! The transforms of Winograd's convolution `F(4x4, 3x3)` (Lavin and Gray, "Fast Algorithms for Convolutional Neural
//! Networks", 2015), for vectors of tiles.
//!
//! The points of interpolation are 0, 1, -1, 1/2, -2 and infinity, which lose two to three times less to rounding
//! than the usual 0, 1, -1, 2, -2 (Barabasz et al., "Error Analysis and Improving the Accuracy of Winograd
//! Convolution for Deep Neural Networks", 2020).

use super::sweep::copy;
use crate::simd::{Lanes, with_lanes};

/// Results of a tile along each dimension.
pub const RESULTS: usize = 4;

/// Elements of a transformed tile along each dimension.
const SIDE: usize = 6;

/// Elements of a transformed tile: so many matrices are multiplied.
pub const POINTS: usize = SIDE * SIDE;

/// Tiles of a block.
pub const BLOCK: usize = 48;

/// Elements of a row of staged tiles: stores of whole vectors may go beyond the block.
const STAGED: usize = BLOCK + 16;

/// Elements of a row of a block of tiles, and what vectors reach beyond.
const LINE: usize = RESULTS * (BLOCK + 2 * 16);

/// Tiles from number `first` on of all images, each of which has `depth` slices of `height` by `width` of them.
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
struct Piece {
    image: usize,
    slice: usize,
    row: usize,
    column: usize,
    /// Number within the block of the first.
    at: usize,
    len: usize,
}

impl Tiles {
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
pub struct Input {
    pub tiles: Tiles,
    /// The slices of the first image, and the step to those of the next.
    pub plane: *const f32,
    pub image_step: usize,
    pub depth: usize,
    pub height: usize,
    pub width: usize,
    /// Where the first tile starts.
    pub front: isize,
    pub top: isize,
    pub left: isize,
    /// For each point a row of `BLOCK` tiles, `point_step` apart.
    pub out: *mut f32,
    pub point_step: usize,
}

with_lanes! {
    /// Transforms the tiles of a block of one channel.
    ///
    /// # Safety
    /// Planes may be read and rows written as described.
    pub fn transform_input(args: &Input) = input
}

#[inline(always)]
unsafe fn input<V: Lanes, const R: usize, const N: usize>(args: &Input) {
    let mut staged = [0.0_f32; POINTS * STAGED];
    // SAFETY: by the contract; staged rows have room for whole vectors behind the last tile.
    unsafe {
        args.tiles.for_pieces(|piece| {
            for row in 0..SIDE {
                stage::<V>(args, piece, row, staged.as_mut_ptr().add(row * SIDE * STAGED + piece.at));
            }
        });
        let mut at = 0;
        while at < args.tiles.count {
            let mut columns = [[V::splat(0.0); SIDE]; SIDE];
            for c in 0..SIDE {
                let column =
                    core::array::from_fn(|r| V::load(staged.as_ptr().add((r * SIDE + c) * STAGED + at)));
                columns[c] = input_points(column);
            }
            for r in 0..SIDE {
                let row = input_points(core::array::from_fn(|c| columns[c][r]));
                for c in 0..SIDE {
                    row[c].store(args.out.add((r * SIDE + c) * args.point_step + at));
                }
            }
            at += V::LANES;
        }
    }
}

/// Writes the six elements of each tile in one row of the input, a row for each of them.
///
/// # Safety
/// As for [`transform_input`]; from `out` on there are six rows of staged tiles.
#[inline(always)]
unsafe fn stage<V: Lanes>(args: &Input, piece: Piece, row: usize, out: *mut f32) {
    let mut line = [0.0_f32; LINE];
    let mut phases = [[0.0_f32; STAGED + 16]; 2];
    // SAFETY: by the contract.
    unsafe {
        let z = piece.slice as isize + args.front;
        let y = (piece.row * RESULTS + row) as isize + args.top;
        let x = (piece.column * RESULTS) as isize + args.left;
        if (0..args.depth as isize).contains(&z) && (0..args.height as isize).contains(&y) {
            let line_of_input = (z as usize * args.height + y as usize) * args.width;
            let from = args.plane.add(piece.image * args.image_step + line_of_input);
            let first = (-x).clamp(0, LINE as isize) as usize;
            let start = x.max(0) as usize;
            let wanted = piece.len * RESULTS + 2;
            let len = wanted.saturating_sub(first).min(args.width.saturating_sub(start));
            copy::<V>(from.wrapping_add(start), len, line.as_mut_ptr().add(first));
        }
        let mut at = 0;
        // The last two elements of a tile are the first two of the next.
        while at < piece.len + 1 {
            let line = line.as_ptr().add(at * RESULTS);
            let load = |k: usize| V::load(line.add(k * V::LANES));
            let (even_low, odd_low) = load(0).deinterleave(load(1));
            let (even_high, odd_high) = load(2).deinterleave(load(3));
            let (zero, two) = even_low.deinterleave(even_high);
            let (one, three) = odd_low.deinterleave(odd_high);
            zero.store(phases[0].as_mut_ptr().add(at));
            one.store(phases[1].as_mut_ptr().add(at));
            if at < piece.len {
                zero.store(out.add(at));
                one.store(out.add(STAGED + at));
                two.store(out.add(2 * STAGED + at));
                three.store(out.add(3 * STAGED + at));
            }
            at += V::LANES;
        }
        let mut at = 0;
        while at < piece.len {
            V::load(phases[0].as_ptr().add(at + 1)).store(out.add(4 * STAGED + at));
            V::load(phases[1].as_ptr().add(at + 1)).store(out.add(5 * STAGED + at));
            at += V::LANES;
        }
    }
}

/// The polynomial of six coefficients against those of each point.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn input_points<V: Lanes>(d: [V; SIDE]) -> [V; SIDE] {
    // SAFETY: by the contract.
    unsafe {
        let times = |x: V, factor: f32, sum: V| x.times_plus(V::splat(factor), sum);
        let (a, b) = (d[4].minus(d[2]), d[3].minus(d[1]));
        [
            times(b, 1.5, times(d[2], -2.0, d[0].plus(d[4]))),
            times(d[3], 2.5, times(d[2], 0.5, d[4].minus(d[1]))),
            times(d[2], -2.5, times(d[3], 0.5, d[4].plus(d[1]))),
            times(b, 2.0, a),
            times(b, -0.5, a),
            times(a, 1.5, times(d[3], -2.0, d[1].plus(d[5]))),
        ]
    }
}

/// The kernels of one row of results.
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    /// The kernel of the first channel, and the step to that of the next.
    pub kernel: *const f32,
    pub step: usize,
    pub channels: usize,
    /// Whether the kernel is turned by half a circle.
    pub turned: bool,
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
    let mut first = 0;
    // SAFETY: by the contract.
    unsafe {
        while first < args.channels {
            let count = V::LANES.min(args.channels - first);
            let mut taps = [[0.0_f32; 16]; 9];
            for channel in 0..count {
                let kernel = args.kernel.add((first + channel) * args.step);
                for tap in 0..9 {
                    taps[tap][channel] = *kernel.add(if args.turned { 8 - tap } else { tap });
                }
            }
            let mut columns = [[V::splat(0.0); SIDE]; 3];
            for c in 0..3 {
                columns[c] = weight_points(core::array::from_fn(|r| V::load(taps[r * 3 + c].as_ptr())));
            }
            for r in 0..SIDE {
                let row = weight_points(core::array::from_fn(|c| columns[c][r]));
                for c in 0..SIDE {
                    row[c].store_first(args.out.add((r * SIDE + c) * args.point_step + first), count);
                }
            }
            first += count;
        }
    }
}

/// The value at each point of a polynomial of three coefficients, over the product of the distances between the
/// points.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn weight_points<V: Lanes>(g: [V; 3]) -> [V; SIDE] {
    // SAFETY: by the contract.
    unsafe {
        let zero = V::splat(0.0);
        let sum = |a: f32, b: f32, c: f32| {
            let last = g[2].times_plus(V::splat(c), zero);
            g[0].times_plus(V::splat(a), g[1].times_plus(V::splat(b), last))
        };
        [
            g[0],
            sum(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0),
            sum(-1.0 / 3.0, 1.0 / 3.0, -1.0 / 3.0),
            sum(-16.0 / 15.0, -8.0 / 15.0, -4.0 / 15.0),
            sum(1.0 / 15.0, -2.0 / 15.0, 4.0 / 15.0),
            g[2],
        ]
    }
}

/// A channel of the results of a block.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    pub tiles: Tiles,
    /// For each point a row of `BLOCK` tiles, `point_step` apart.
    pub products: *const f32,
    pub point_step: usize,
    pub bias: f32,
    /// The slices of the first image, and the step to those of the next.
    pub plane: *mut f32,
    pub image_step: usize,
    pub height: usize,
    pub width: usize,
    /// Becomes NaN when a result is not finite.
    pub check: *mut f32,
}

with_lanes! {
    /// Turns the products of a block of one channel into results.
    ///
    /// # Safety
    /// Rows may be read, planes and the check written as described.
    pub fn transform_output(args: &Output) = output
}

#[inline(always)]
unsafe fn output<V: Lanes, const R: usize, const N: usize>(args: &Output) {
    let mut lines = [[0.0_f32; RESULTS * BLOCK]; RESULTS];
    // SAFETY: by the contract; lines are as long as whole vectors of a block.
    unsafe {
        let zero = V::splat(0.0);
        let (bias, mut check) = (V::splat(args.bias), zero);
        let mut at = 0;
        while at < args.tiles.count {
            let mut columns = [[zero; RESULTS]; SIDE];
            for c in 0..SIDE {
                let products = args.products.add(c * args.point_step + at);
                let column = core::array::from_fn(|r| V::load(products.add(r * SIDE * args.point_step)));
                columns[c] = results(column);
            }
            for r in 0..RESULTS {
                let row: [V; RESULTS] = results(core::array::from_fn(|c| columns[c][r]));
                let row = row.map(|x| x.plus(bias));
                for x in row {
                    check = x.times_plus(zero, check);
                }
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
        args.tiles.for_pieces(|piece| {
            let (y, x) = (piece.row * RESULTS, piece.column * RESULTS);
            let len = (piece.len * RESULTS).min(args.width - x);
            let line = (piece.slice * args.height + y) * args.width;
            let plane = args.plane.add(piece.image * args.image_step + line + x);
            for r in 0..RESULTS.min(args.height - y) {
                copy::<V>(lines[r].as_ptr().add(piece.at * RESULTS), len, plane.add(r * args.width));
            }
        });
    }
}

/// Four coefficients of the polynomial with these values.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn results<V: Lanes>(m: [V; SIDE]) -> [V; RESULTS] {
    // SAFETY: by the contract.
    unsafe {
        let times = |x: V, factor: f32, sum: V| x.times_plus(V::splat(factor), sum);
        let (sum, difference) = (m[1].plus(m[2]), m[1].minus(m[2]));
        [
            m[0].plus(sum).plus(m[3].plus(m[4])),
            times(m[3], 0.5, times(m[4], -2.0, difference)),
            times(m[3], 0.25, times(m[4], 4.0, sum)),
            times(m[3], 0.125, times(m[4], -8.0, difference.plus(m[5]))),
        ]
    }
}
