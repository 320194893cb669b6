//! Convolution with a quarter of the products: `F(4x4, 3x3)`, or with four tenths, `F(4x4, 2x2)`.
//!
//! Kernels are 3 x 3 or 2 x 2, along the last two dimensions and at each place of a strided kernel: one of 4 x 4 with a
//! stride of 2 is four of 2 x 2.
//!
//! Its rounding errors are about three times those of sums in order, of the size of those of `f32` sums of ten times
//! as many terms. A result that is not finite spreads over its tile; convolutions with such results are computed
//! again without transforms.

use super::geometry::Geometry;
use super::plan::Plan;
use super::sweep::{Sweep, sweep};
use super::winograd_reading::Reading;
use super::winograd_transform::{
    BLOCK, Input, Output, RESULTS, Tiles, Weight, transform_input, transform_output, transform_weight,
};
use crate::buffer::Buffer;
use crate::parallel::{self, Shared};
use crate::tensor::NdTensor;
use crate::window::Spatial;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

/// Channels of results that are multiplied before they are transformed.
const ROWS: usize = 32;

/// Weights of a point from which on the caches do not hold those of all points.
const STREAMED: usize = 1 << 14;

/// Elements of transforms that are kept: a second copy of more costs its user too much memory.
#[cfg(feature = "std")]
const MOST_KEPT: usize = 1 << 24;

/// In the place of a step from row to row, less the number of a [`Reading`]: a step that no matrix has tells transforms from packed matrices.
#[cfg(feature = "std")]
const WINOGRAD: usize = usize::MAX;

/// Whether transforms pay: enough channels on both sides, and enough tiles to a weight.
fn pays(pass: &Pass<'_>) -> bool {
    let [depth, height, width] = pass.domain;
    let (images, channels, rows) = (pass.images * depth, pass.depth(), pass.rows);
    let tiles = images * height.div_ceil(RESULTS) * width.div_ceil(RESULTS);
    let vectors = tiles.div_ceil(16);
    let (points, taps) = (pass.points(), pass.reading.taps);
    // Rows of tiles are put together, which is dear for short ones.
    let input = 420 * points / 36 + 480 * pass.reading.side() / width.div_ceil(RESULTS).min(BLOCK);
    let transformed =
        (points * channels * rows + input * channels + 300 * rows) * vectors + 25 * channels * rows;
    let direct = taps * taps * channels * rows * (images * height * (width + taps - 1)).div_ceil(16);
    channels >= 16 && rows >= 16 && transformed * 3 < direct * 2
}

/// `out = weight * x + bias`, if transforms pay and all results are finite.
pub fn forward(g: &Geometry, x: &[f32], weight: &NdTensor, bias: Option<&[f32]>, out: &mut [f32]) -> bool {
    let Some(reading) = Reading::forward(g) else { return false };
    let (buffer, weight) = (weight.buffer(), weight.slice());
    let pass = Pass {
        images: g.batch,
        channels: g.group_in,
        rows: g.group_out,
        reading,
        input: g.input,
        domain: g.output,
        output: g.output,
        first: [0; 3],
        out_step: [1; 3],
        x,
        bias,
    };
    let kernels = Kernels { weight, row: g.depth(), channel: g.taps(), buffer: Some(buffer) };
    pays(&pass) && pass.run(&kernels, out)
}

/// The gradient of [`forward`] by its input: for each phase of the stride a convolution of the gradient with the taps
/// of the phase, from the last to the first.
pub fn input_grad(g: &Geometry, grad: &[f32], weight: &[f32], out: &mut [f32]) -> bool {
    let kernels = Kernels { weight, row: g.taps(), channel: g.depth(), buffer: None };
    let passes = || {
        g.phases().filter(|phase| !phase.count.contains(&0)).map(|phase| {
            Some(Pass {
                images: g.batch,
                channels: g.group_out,
                rows: g.group_in,
                reading: Reading::backward(g, phase)?,
                input: g.output,
                domain: phase.count,
                output: g.input,
                first: phase.first,
                out_step: g.window.stride,
                x: grad,
                bias: None,
            })
        })
    };
    // None is computed unless all are.
    passes().all(|pass| pass.is_some_and(|pass| pays(&pass)))
        && passes().flatten().all(|pass| pass.run(&kernels, out))
}

/// Kernels by row and channel, these steps apart.
struct Kernels<'a> {
    weight: &'a [f32],
    row: usize,
    channel: usize,
    /// The buffer of the kernels, which may keep their transforms for the next convolution.
    buffer: Option<&'a Buffer>,
}

/// A convolution without strides. Each reading of a channel counts as a channel of its own here: first all channels as they are
/// read first, then all as they are read next.
struct Pass<'a> {
    images: usize,
    /// Channels that are read and that are written.
    channels: usize,
    rows: usize,
    reading: Reading,
    input: Spatial,
    /// Results along each dimension, and where they lie in their plane.
    domain: Spatial,
    output: Spatial,
    first: Spatial,
    out_step: Spatial,
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
        let tiles = self.images * self.domain[0] * self.tiles_of(1) * self.tiles_of(2);
        let (blocks, threads) = (tiles.div_ceil(BLOCK), parallel::threads());
        let channels = self.depth();
        let (finite, out) = (AtomicBool::new(true), Shared(out.as_mut_ptr()));
        let size = self.points() * point_step(channels);
        let parts = self.rows.div_ceil(ROWS);
        let check = |range: Range<usize>, transformed: &dyn Fn(usize, usize) -> *const f32| {
            let mut products = Buffer::new(self.points() * point_step(ROWS) * size_of::<f32>());
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
                        unsafe { self.transform_input(block, 0..channels, own) };
                    }
                    own
                });
            });
            return finite.into_inner();
        }
        let mut all = Buffer::new(blocks * size * size_of::<f32>());
        let start = Shared(all.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr());
        parallel::for_ranges(blocks * channels, self.points() * BLOCK, &|range| {
            for unit in range {
                let (block, channel) = (unit / channels, unit % channels);
                // SAFETY: the buffer is as large as all blocks; each unit has its own rows.
                unsafe { self.transform_input(block, channel..channel + 1, start.get().add(block * size)) };
            }
        });
        parallel::for_ranges(blocks * parts, size * ROWS / 8, &|range| {
            check(range, &|block, _| start.get().wrapping_add(block * size));
        });
        finite.into_inner()
    }

    /// Channels, each as often as it is read.
    fn depth(&self) -> usize {
        self.channels * self.reading.len()
    }

    /// Elements of a transformed tile: so many matrices are multiplied.
    fn points(&self) -> usize {
        self.reading.side() * self.reading.side()
    }

    /// Tiles along a dimension.
    fn tiles_of(&self, d: usize) -> usize {
        self.domain[d].div_ceil(RESULTS)
    }

    fn tiles(&self, block: usize) -> Tiles {
        let (depth, height, width) = (self.domain[0], self.tiles_of(1), self.tiles_of(2));
        let first = block * BLOCK;
        Tiles { first, count: BLOCK.min(self.images * depth * height * width - first), depth, height, width }
    }

    /// The transforms that the buffer of the kernels keeps. Elements in training are written before they are asked for often enough.
    #[cfg(feature = "std")]
    fn kept_weight<'a>(&self, kernels: &Kernels<'a>) -> Option<&'a Buffer> {
        let (start, size) = (kernels.weight.as_ptr() as usize, self.rows * self.depth());
        let buffer = kernels.buffer.filter(|_| self.points() * size <= MOST_KEPT)?;
        let key = [start, WINOGRAD - self.reading.kind(), self.rows, self.channels];
        buffer.kept().get(key, || self.transform_weight(kernels))
    }

    #[cfg(not(feature = "std"))]
    fn kept_weight<'a>(&self, _kernels: &Kernels<'a>) -> Option<&'a Buffer> {
        None
    }

    /// Kernels by point, row and channel.
    fn transform_weight(&self, kernels: &Kernels<'_>) -> Buffer {
        let size = self.rows * self.depth();
        let mut weight = Buffer::new(self.points() * size * size_of::<f32>());
        let start = Shared(weight.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr());
        let reads = self.reading.len();
        parallel::for_ranges(self.rows * reads, self.channels * self.points(), &|range| {
            for unit in range {
                let (row, read) = (unit / reads, unit % reads);
                let args = Weight {
                    kernel: kernels.weight[row * kernels.row + self.reading.first_tap(read)..].as_ptr(),
                    step: kernels.channel,
                    channels: self.channels,
                    down: self.reading.down,
                    right: self.reading.right,
                    side: self.reading.side(),
                    out: start.get().wrapping_add(row * self.depth() + read * self.channels),
                    point_step: size,
                };
                // SAFETY: each reading of a row has its own places in the buffer, and its taps are those of the kernels.
                unsafe { transform_weight(&args) };
            }
        });
        weight
    }

    /// # Safety
    /// The block may be written from `out` on: points, channels, tiles.
    unsafe fn transform_input(&self, block: usize, channels: Range<usize>, out: *mut f32) {
        let area: usize = self.input.iter().product();
        for channel in channels {
            let args = Input {
                tiles: self.tiles(block),
                plane: self.x[channel % self.channels * area..].as_ptr(),
                image_step: self.channels * area,
                size: self.input,
                origin: self.reading.origin(channel / self.channels),
                step: self.reading.step,
                side: self.reading.side(),
                out: out.wrapping_add(channel * BLOCK),
                point_step: point_step(self.depth()),
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
        for point in 0..self.points() {
            let args = Sweep {
                plan: &plan,
                first: 0,
                end: tiles.count,
                staged: input.wrapping_add(point * point_step(self.depth())),
                channels: self.depth(),
                step: BLOCK,
                offsets: &[0],
                weight: weight[(point * self.rows + rows.start) * self.depth()..].as_ptr(),
                bias: None,
                rows: rows.len(),
                out: products[point * step..].as_mut_ptr(),
                area: BLOCK,
                is_packed: false,
                is_streamed: self.rows * self.channels >= STREAMED,
                singles: None,
            };
            // SAFETY: the matrices have as many rows and columns as described.
            unsafe { sweep(&args) };
        }
        let area: usize = self.output.iter().product();
        let mut check = 0.0;
        for row in rows.clone() {
            let args = Output {
                tiles,
                products: products[(row - rows.start) * BLOCK..].as_ptr(),
                point_step: step,
                bias: self.bias.map_or(0.0, |bias| bias[row]),
                plane: out.get().wrapping_add(row * area),
                image_step: self.rows * area,
                size: self.output,
                domain: self.domain,
                first: self.first,
                step: self.out_step,
                side: self.reading.side(),
                check: &raw mut check,
            };
            // SAFETY: the planes are those of the row, and its tiles are nobody else's.
            unsafe { transform_output(&args) };
        }
        check == 0.0
    }
}
