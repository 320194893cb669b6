//! Convolution by kernels of 3 x 3 with a quarter of the products: `F(4x4, 3x3)`.
//!
//! Its rounding errors are about three times those of sums in order, of the size of those of `f32` sums of ten times
//! as many terms. A result that is not finite spreads over its tile; convolutions with such results are computed
//! again without transforms.

use super::geometry::Geometry;
use super::plan::Plan;
use super::sweep::{Sweep, sweep};
use super::winograd_transform::{
    BLOCK, Input, Output, POINTS, RESULTS, Tiles, Weight, transform_input, transform_output, transform_weight,
};
use crate::buffer::Buffer;
use crate::parallel::{self, Shared};
use crate::tensor::NdTensor;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

/// Channels of results that are multiplied before they are transformed.
const ROWS: usize = 32;

/// Weights of a point from which on the caches do not hold those of all points.
const STREAMED: usize = 1 << 14;

/// Elements of transforms that are kept: a second copy of more costs its user too much memory.
#[cfg(feature = "std")]
const MOST_KEPT: usize = 1 << 24;

/// In the place of a step from row to row, which no matrix has: the kept form is that of transforms.
#[cfg(feature = "std")]
const WINOGRAD: usize = usize::MAX;

/// Whether transforms pay: enough channels on both sides, and enough tiles to a weight.
fn pays(images: usize, channels: usize, rows: usize, [height, width]: [usize; 2]) -> bool {
    let tiles = images * height.div_ceil(RESULTS) * width.div_ceil(RESULTS);
    let vectors = tiles.div_ceil(16);
    let transformed =
        (POINTS * channels * rows + 420 * channels + 300 * rows) * vectors + 25 * channels * rows;
    let direct = 9 * channels * rows * (images * height * (width + 2)).div_ceil(16);
    channels >= 16 && rows >= 16 && transformed * 5 < direct * 4
}

/// Whether kernels are 3 x 3, and every result has a tap in the input: rounding errors of a tile are of the size of
/// its largest results.
fn fits(g: &Geometry) -> bool {
    let w = &g.window;
    if w.padding[1] > 2 || w.padding[2] > 2 {
        return false;
    }
    w.kernel == [1, 3, 3]
        && w.stride == [1; 3]
        && w.dilation == [1; 3]
        && w.padding[0] == 0
        && g.input[0] == 1
        && g.groups == 1
}

/// `out = weight * x + bias`, if transforms pay and all results are finite.
pub fn forward(g: &Geometry, x: &[f32], weight: &NdTensor, bias: Option<&[f32]>, out: &mut [f32]) -> bool {
    if !fits(g) || !pays(g.batch, g.group_in, g.group_out, [g.output[1], g.output[2]]) {
        return false;
    }
    let (buffer, weight) = (weight.buffer(), weight.slice());
    let kernels = Kernels { weight, row: g.depth(), channel: 9, turned: false, buffer: Some(buffer) };
    let pass = Pass {
        images: g.batch,
        channels: g.group_in,
        rows: g.group_out,
        input: [g.input[1], g.input[2]],
        output: [g.output[1], g.output[2]],
        origin: [-(g.window.padding[1] as isize), -(g.window.padding[2] as isize)],
        x,
        bias,
    };
    pass.run(&kernels, out)
}

/// The gradient of [`forward`] by its input: the convolution of the gradient with turned kernels.
pub fn input_grad(g: &Geometry, grad: &[f32], weight: &[f32], out: &mut [f32]) -> bool {
    if !fits(g) || !pays(g.batch, g.group_out, g.group_in, [g.input[1], g.input[2]]) {
        return false;
    }
    let kernels = Kernels { weight, row: 9, channel: g.depth(), turned: true, buffer: None };
    let pass = Pass {
        images: g.batch,
        channels: g.group_out,
        rows: g.group_in,
        input: [g.output[1], g.output[2]],
        output: [g.input[1], g.input[2]],
        origin: [g.window.padding[1] as isize - 2, g.window.padding[2] as isize - 2],
        x: grad,
        bias: None,
    };
    pass.run(&kernels, out)
}

/// Kernels by row and channel, these steps apart.
struct Kernels<'a> {
    weight: &'a [f32],
    row: usize,
    channel: usize,
    turned: bool,
    /// What holds the kernels, and may keep their transforms for the next convolution.
    buffer: Option<&'a Buffer>,
}

struct Pass<'a> {
    images: usize,
    /// Channels that are read and that are written.
    channels: usize,
    rows: usize,
    input: [usize; 2],
    output: [usize; 2],
    /// The first element of the first tile.
    origin: [isize; 2],
    x: &'a [f32],
    bias: Option<&'a [f32]>,
}

/// Elements from one point to the next: not a multiple of what the first cache maps to the same lines.
fn point_step(rows: usize) -> usize {
    rows * BLOCK + 16
}

impl Pass<'_> {
    fn run(&self, kernels: &Kernels<'_>, out: &mut [f32]) -> bool {
        let made;
        let weight = match self.kept_weight(kernels) {
            Some(weight) => weight,
            None => {
                made = self.transform_weight(kernels);
                &made
            }
        };
        let tiles = self.images * self.tiles_of(0) * self.tiles_of(1);
        let (blocks, threads) = (tiles.div_ceil(BLOCK), parallel::threads());
        let (finite, out) = (AtomicBool::new(true), Shared(out.as_mut_ptr()));
        let size = POINTS * point_step(self.channels);
        let parts = self.rows.div_ceil(ROWS);
        let check = |range: Range<usize>, transformed: &dyn Fn(usize, usize) -> *const f32| {
            let mut products = Buffer::new(POINTS * point_step(ROWS) * size_of::<f32>());
            let products: &mut [f32] = products.as_mut_slice().expect("a new buffer is unique");
            for unit in range {
                let (block, part) = (unit / parts, unit % parts);
                let rows = part * ROWS..((part + 1) * ROWS).min(self.rows);
                let input = transformed(block, part);
                // SAFETY: the transformed input is that of the block; each unit has its own results.
                if !unsafe { self.multiply(block, rows, input, weight.as_slice(), products, out) } {
                    finite.store(false, Ordering::Relaxed);
                }
            }
        };
        if blocks >= 4 * threads {
            // Each thread transforms its blocks and keeps them in its cache.
            parallel::for_ranges(blocks, size * self.rows / 8, &|range| {
                let mut own = Buffer::new(size * size_of::<f32>());
                let own: &mut [f32] = own.as_mut_slice().expect("a new buffer is unique");
                let own = own.as_mut_ptr();
                check(range.start * parts..range.end * parts, &|block, part| {
                    if part == 0 {
                        // SAFETY: the buffer is as large as a block.
                        unsafe { self.transform_input(block, 0..self.channels, own) };
                    }
                    own
                });
            });
            return finite.into_inner();
        }
        let mut all = Buffer::new(blocks * size * size_of::<f32>());
        let start = Shared(all.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr());
        parallel::for_ranges(blocks * self.channels, POINTS * BLOCK, &|range| {
            for unit in range {
                let (block, channel) = (unit / self.channels, unit % self.channels);
                // SAFETY: the buffer is as large as all blocks; each unit has its own rows.
                unsafe { self.transform_input(block, channel..channel + 1, start.get().add(block * size)) };
            }
        });
        parallel::for_ranges(blocks * parts, size * ROWS / 8, &|range| {
            check(range, &|block, _| start.get().wrapping_add(block * size));
        });
        finite.into_inner()
    }

    /// Tiles along a dimension.
    fn tiles_of(&self, d: usize) -> usize {
        self.output[d].div_ceil(RESULTS)
    }

    fn tiles(&self, block: usize) -> Tiles {
        let (height, width) = (self.tiles_of(0), self.tiles_of(1));
        let first = block * BLOCK;
        Tiles { first, count: BLOCK.min(self.images * height * width - first), height, width }
    }

    /// The transforms that the buffer of the kernels keeps. Elements in training are written before they are asked for often enough.
    #[cfg(feature = "std")]
    fn kept_weight<'a>(&self, kernels: &Kernels<'a>) -> Option<&'a Buffer> {
        let (start, size) = (kernels.weight.as_ptr() as usize, self.rows * self.channels);
        let buffer = kernels.buffer.filter(|_| POINTS * size <= MOST_KEPT)?;
        buffer.kept().get([start, WINOGRAD, self.rows, self.channels], || self.transform_weight(kernels))
    }

    #[cfg(not(feature = "std"))]
    fn kept_weight<'a>(&self, _kernels: &Kernels<'a>) -> Option<&'a Buffer> {
        None
    }

    /// Kernels by point, row and channel.
    fn transform_weight(&self, kernels: &Kernels<'_>) -> Buffer {
        let size = self.rows * self.channels;
        let mut weight = Buffer::new(POINTS * size * size_of::<f32>());
        let start = Shared(weight.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr());
        parallel::for_ranges(self.rows, self.channels * POINTS, &|range| {
            for row in range {
                let args = Weight {
                    kernel: kernels.weight[row * kernels.row..].as_ptr(),
                    step: kernels.channel,
                    channels: self.channels,
                    turned: kernels.turned,
                    out: start.get().wrapping_add(row * self.channels),
                    point_step: size,
                };
                // SAFETY: every row has its own places in the buffer.
                unsafe { transform_weight(&args) };
            }
        });
        weight
    }

    /// # Safety
    /// The block may be written from `out` on: points, channels, tiles.
    unsafe fn transform_input(&self, block: usize, channels: Range<usize>, out: *mut f32) {
        let area = self.input[0] * self.input[1];
        for channel in channels {
            let args = Input {
                tiles: self.tiles(block),
                plane: self.x[channel * area..].as_ptr(),
                image_step: self.channels * area,
                height: self.input[0],
                width: self.input[1],
                top: self.origin[0],
                left: self.origin[1],
                out: out.wrapping_add(channel * BLOCK),
                point_step: point_step(self.channels),
            };
            // SAFETY: by the contract; the planes are those of the channel.
            unsafe { transform_input(&args) };
        }
    }

    /// Some rows of results of a block; whether all are finite.
    ///
    /// # Safety
    /// `input` is the transformed block; nothing else touches these results.
    unsafe fn multiply(
        &self,
        block: usize,
        rows: Range<usize>,
        input: *const f32,
        weight: &[f32],
        products: &mut [f32],
        out: Shared<f32>,
    ) -> bool {
        let tiles = self.tiles(block);
        let plan = Plan::product(BLOCK);
        let step = point_step(ROWS);
        for point in 0..POINTS {
            let args = Sweep {
                plan: &plan,
                first: 0,
                end: tiles.count,
                staged: input.wrapping_add(point * point_step(self.channels)),
                channels: self.channels,
                step: BLOCK,
                offsets: &[0],
                weight: weight[(point * self.rows + rows.start) * self.channels..].as_ptr(),
                bias: None,
                rows: rows.len(),
                out: products[point * step..].as_mut_ptr(),
                area: BLOCK,
                is_streamed: self.rows * self.channels >= STREAMED,
                singles: None,
            };
            // SAFETY: the matrices have as many rows and columns as described.
            unsafe { sweep(&args) };
        }
        let area = self.output[0] * self.output[1];
        let mut check = 0.0;
        for row in rows.clone() {
            let args = Output {
                tiles,
                products: products[(row - rows.start) * BLOCK..].as_ptr(),
                point_step: step,
                bias: self.bias.map_or(0.0, |bias| bias[row]),
                plane: out.get().wrapping_add(row * area),
                image_step: self.rows * area,
                height: self.output[0],
                width: self.output[1],
                check: &raw mut check,
            };
            // SAFETY: the planes are those of the row, and its tiles are nobody else's.
            unsafe { transform_output(&args) };
        }
        check == 0.0
    }
}
