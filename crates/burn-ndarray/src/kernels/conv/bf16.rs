//! Convolution of `bf16` on processors with AMX: products of the weight with unfolded lines of an image,
//! which the second cache holds. The instructions are so much faster than those of `f32` that neither wide
//! copies nor transforms pay.

use super::geometry::Geometry;
use super::unfold::unfold;
use crate::gemm::bf16::{
    Amx, BLOCK, Begun, DEPTH, Engine, Instructions, Lines, Panels, ResultTile, SIDE, Side, TILE,
};
use crate::gemm::matrix::Matrix;
use crate::memory::Buffer;
use crate::threads::parallel::{self, Shared};
use core::ops::Range;

/// Elements of unfolded input that stay in the second cache.
const CACHED: usize = 128 << 10;
/// Products for which packing pays, and channels and positions that fill half of a tile.
const LEAST: usize = 1 << 20;
const FEWEST: usize = 9;
/// Products that take as long as an addition of cached numbers.
const SPEED: usize = 64;

/// Whether this processor computes the convolution so.
pub fn suits(g: &Geometry) -> bool {
    is_large(g) && Instructions::of_this_processor() == Instructions::Amx
}

/// Whether tiles are worth it.
fn is_large(g: &Geometry) -> bool {
    g.group_out >= FEWEST
        && g.output[2] * g.lines() >= FEWEST
        && g.depth() >= DEPTH / 2
        && g.products().saturating_mul(g.batch * g.groups) >= LEAST
}

/// `out = weight * x + bias`, of a convolution that [`suits`].
pub fn forward(g: &Geometry, x: &[u16], weight: &[u16], bias: Option<&[f32]>, out: &mut [u16]) {
    // SAFETY: the processor has the instructions.
    unsafe { forward_with(Amx, g, (x, weight), bias, out) };
}

/// # Safety
/// The processor has the instructions.
unsafe fn forward_with<E: Engine>(
    engine: E,
    g: &Geometry,
    (x, weight): (&[u16], &[u16]),
    bias: Option<&[f32]>,
    out: &mut [u16],
) {
    let (depth, width) = (g.depth(), g.output[2]);
    let (blocks, rows) = (depth.div_ceil(DEPTH), g.group_out.div_ceil(SIDE));
    let size = 2 * blocks * BLOCK;
    let mut panels = Buffer::new(g.groups * rows * size * size_of::<u32>());
    let start = Shared(panels.as_mut_slice::<u32>().expect("a new buffer is unique").as_mut_ptr());
    parallel::for_ranges(g.groups * rows, size, &|range| {
        for unit in range {
            let weight = &weight[unit / rows * g.group_out * depth..][..g.group_out * depth];
            let lines = lines(Side::Left, weight, (g.group_out, depth), [depth, 1]);
            // SAFETY: the weight of a group, and the panels of its own.
            unsafe { lines.pack(unit % rows * SIDE, blocks, start.get().add(unit * size)) };
        }
    });
    let count = (CACHED / (depth * width).max(1)).clamp(1, g.lines());
    let parts = g.lines().div_ceil(count);
    let pass = Pass { engine, g, x, bias, weights: start, rows, blocks, out: Shared(out.as_mut_ptr()) };
    let cost = g.products() / parts / SPEED + 1;
    parallel::for_ranges(g.batch * g.groups * parts, cost, &|range| {
        let mut room = Room::new(g, count * width, size);
        // SAFETY: by the contract.
        let _begun = unsafe { Begun::new(engine) };
        for unit in range {
            let first = unit % parts * count;
            // SAFETY: as above; each unit has its own results.
            unsafe { pass.part(unit / parts, first..g.lines().min(first + count), &mut room) };
        }
    });
}

fn lines(side: Side, x: &[u16], (count, depth): (usize, usize), [step, along]: [usize; 2]) -> Lines {
    let start = Shared(x.as_ptr().cast_mut());
    Lines { side, start, count, depth, step: step as isize, along: along as isize }
}

/// A convolution, for several threads.
struct Pass<'a, E> {
    engine: E,
    g: &'a Geometry,
    x: &'a [u16],
    bias: Option<&'a [f32]>,
    /// The panels of the weight of each group.
    weights: Shared<u32>,
    /// Tiles along the channels of a group.
    rows: usize,
    blocks: usize,
    out: Shared<u16>,
}

/// Unfolded lines of a thread, their panels, and a tile of sums.
struct Room {
    columns: Buffer,
    panels: Buffer,
    sums: [f32; TILE],
}

impl Room {
    /// Room for so many positions.
    fn new(g: &Geometry, positions: usize, size: usize) -> Self {
        let unfolded = if g.is_pointwise() { 0 } else { g.depth() * positions };
        Room {
            columns: Buffer::new(unfolded * size_of::<u16>()),
            panels: Buffer::new(positions.div_ceil(SIDE) * size * size_of::<u32>()),
            sums: [0.0; TILE],
        }
    }
}

impl<E: Engine> Pass<'_, E> {
    /// The results of some lines of one group of one image.
    ///
    /// # Safety
    /// The processor has the instructions, the thread is prepared, and nothing else writes these results.
    unsafe fn part(&self, plane: usize, range: Range<usize>, room: &mut Room) {
        let (g, depth, area) = (self.g, self.g.depth(), self.g.area_out());
        let (first, count) = (range.start * g.output[2], range.len() * g.output[2]);
        let x = &self.x[plane * g.group_in * g.area_in()..][..g.group_in * g.area_in()];
        let lines = if g.is_pointwise() {
            lines(Side::Right, &x[first..], (count, depth), [1, area])
        } else {
            let columns: &mut [u16] = room.columns.as_mut_slice().expect("a new buffer is unique");
            let columns = &mut columns[..depth * count];
            unfold(g, x, range, columns);
            lines(Side::Right, columns, (count, depth), [1, count])
        };
        let size = 2 * self.blocks * BLOCK;
        let panels: &mut [u32] = room.panels.as_mut_slice().expect("a new buffer is unique");
        for (tile, panels) in panels.chunks_exact_mut(size).take(count.div_ceil(SIDE)).enumerate() {
            // SAFETY: the columns of a part, and the panels of a tile.
            unsafe { lines.pack(tile * SIDE, self.blocks, panels.as_mut_ptr()) };
            for row in 0..self.rows {
                let channel = plane % g.groups * g.group_out + row * SIDE;
                let rows = SIDE.min(g.group_out - row * SIDE);
                let left = self.weights.get().wrapping_add((plane % g.groups * self.rows + row) * size);
                let args = Panels { blocks: self.blocks, left, right: panels.as_ptr(), rows };
                let at = (plane * g.group_out + row * SIDE) * area + first + tile * SIDE;
                let out = Matrix::new(self.out.get().wrapping_add(at), area, 1);
                // SAFETY: by the contract.
                unsafe { self.engine.multiply(&args, room.sums.as_mut_ptr()) };
                let sums = &mut room.sums;
                if let Some(bias) = self.bias {
                    for (sums, bias) in sums.chunks_exact_mut(SIDE).zip(&bias[channel..][..rows]) {
                        sums.iter_mut().for_each(|sum| *sum += bias);
                    }
                }
                // SAFETY: as above.
                unsafe { ResultTile { sums, rows, cols: SIDE.min(count - tile * SIDE), out }.store() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::bf16::Loops;
    use burn_backend::{ConvOptions, Dims, Shape, bf16};
    use std::vec::Vec;

    /// Eighths of whole numbers below 20, whose products and sums are exact.
    fn numbers(len: usize, seed: usize) -> Vec<bf16> {
        (0..len).map(|i| bf16::from_f32(((i * 37 + i / 11 + seed) % 19) as f32 / 8.0 - 1.0)).collect()
    }

    fn bits(xs: &[bf16]) -> Vec<u16> {
        xs.iter().map(|x| x.to_bits()).collect()
    }

    /// One result by its definition: image, channel, row and column.
    fn result(g: &Geometry, x: &[bf16], weight: &[bf16], [n, o, i, j]: [usize; 4]) -> f32 {
        let [_, height, width] = g.input;
        let [_, kernel_height, kernel_width] = g.window.kernel;
        let [_, down, right] = g.window.stride;
        let [_, above, before] = g.window.padding;
        let (group, mut sum) = (o / g.group_out, 0.0);
        for c in 0..g.group_in {
            for (a, b) in (0..kernel_height).flat_map(|a| (0..kernel_width).map(move |b| (a, b))) {
                let row = (i * down + a).wrapping_sub(above);
                let col = (j * right + b).wrapping_sub(before);
                if row < height && col < width {
                    let plane = (n * g.groups + group) * g.group_in + c;
                    let x = x[(plane * height + row) * width + col].to_f32();
                    let weight = weight[((o * g.group_in + c) * kernel_height + a) * kernel_width + b];
                    sum += x * weight.to_f32();
                }
            }
        }
        sum
    }

    /// Channels of a group, groups, input, kernel, stride and padding.
    fn check(channels: [usize; 2], groups: usize, input: [usize; 2], kernel: [usize; 2], steps: [usize; 2]) {
        let pair = |d: usize| Dims::from(&[d, d][..]);
        let options =
            ConvOptions { stride: pair(steps[0]), padding: pair(steps[1]), dilation: pair(1), groups };
        let size = |d: usize| options.output_size(d, input[d], kernel[d]).expect("the kernel fits");
        let [from, to] = channels;
        let x = Shape::from([2, groups * from, input[0], input[1]]);
        let weight = Shape::from([groups * to, from, kernel[0], kernel[1]]);
        let out = Shape::from([2, groups * to, size(0), size(1)]);
        let g = Geometry::new(&x, &weight, &out, &options);
        let (x, weight) = (numbers(x.num_elements(), 1), numbers(weight.num_elements(), 2));
        let bias: Vec<f32> = (0..groups * to).map(|o| o as f32 / 4.0).collect();
        let mut found = std::vec![0; out.num_elements()];
        // SAFETY: loops run on every processor.
        unsafe { forward_with(Loops, &g, (&bits(&x), &bits(&weight)), Some(&bias), &mut found) };
        for (at, found) in found.into_iter().enumerate() {
            let (j, i) = (at % out[3], at / out[3] % out[2]);
            let (o, n) = (at / out[3] / out[2] % out[1], at / out[3] / out[2] / out[1]);
            let wanted = bf16::from_f32(result(&g, &x, &weight, [n, o, i, j]) + bias[o]);
            assert_eq!(found, wanted.to_bits(), "{channels:?} {groups} {input:?}: {n} {o} {i} {j}");
        }
    }

    #[test]
    fn tiles_of_unfolded_lines_are_the_convolution() {
        check([18, 40], 1, [12, 21], [3, 3], [1, 1]);
        check([16, 9], 2, [9, 14], [3, 2], [2, 1]);
        check([33, 17], 2, [7, 9], [1, 1], [1, 0]);
        check([20, 64], 1, [11, 70], [3, 3], [1, 1]);
    }

    #[test]
    fn small_convolutions_are_left_to_others() {
        let options = ConvOptions::new(2);
        let geometry = |channels: usize| {
            let shapes = [[1, channels, 8, 8], [channels, channels, 1, 1], [1, channels, 8, 8]];
            let [x, weight, out] = shapes.map(Shape::from);
            Geometry::new(&x, &weight, &out, &options)
        };
        assert!(is_large(&geometry(128)));
        assert!(!is_large(&geometry(64)) && !is_large(&geometry(8)));
    }
}
