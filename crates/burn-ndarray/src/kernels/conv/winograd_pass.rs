//! One convolution by Winograd's transforms: blocks of tiles are transformed, multiplied and transformed
//! back.

use super::plan::Plan;
use super::sweep::{Sweep, TILE, sweep};
use super::winograd_points::{RESULTS, result_rows};
use super::winograd_reading::Reading;
use super::winograd_transform::{
    ALL_STAGED, BLOCK, Input, Output, Tiles, Weight, transform_input, transform_output, transform_weight,
};
use crate::gemm::epilogue::{Epilogue, RowsEpilogue};
use crate::gemm::single_columns::SINGLES;
use crate::kernels::window::Spatial;
use crate::memory::Buffer;
use crate::threads::parallel::{self, Shared};
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

/// Channels of results that are multiplied before they are transformed, at most and at least.
const ROWS: usize = 64;
const FEWEST_ROWS: usize = 8;

/// Most tiles of a block of whole slices.
const MOST_TILES: usize = 3 * BLOCK;

/// Weights of a point from which on the caches do not hold those of all points.
const STREAMED: usize = 1 << 14;

/// Elements of transforms that are kept: a second copy of more costs its user too much memory.
#[cfg(feature = "std")]
const MOST_KEPT: usize = 1 << 24;

/// Instead of a step from row to row, less the number of a [`Reading`]: a step that no matrix has marks
/// transforms from packed matrices.
#[cfg(feature = "std")]
const WINOGRAD: usize = usize::MAX;

/// Kernels by row and channel, these steps apart.
pub struct Kernels<'a> {
    pub weight: &'a [f32],
    pub row: usize,
    pub channel: usize,
    /// The buffer of the kernels, which may keep their transforms for the next convolution.
    #[cfg_attr(not(feature = "std"), expect(dead_code, reason = "nothing is kept there"))]
    pub buffer: Option<&'a Buffer>,
}

/// Sizes of what is read and written.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub images: usize,
    /// Channels that are read and that are written.
    pub channels: usize,
    pub rows: usize,
    pub input: Spatial,
    pub output: Spatial,
}

/// Results that lie in the output as one grid.
pub struct Results {
    pub reading: Reading,
    /// Results along each dimension, and where they lie in their plane.
    pub domain: Spatial,
    pub first: Spatial,
}

/// Convolutions without strides that read the same slices of their input. Each reading of a channel counts as
/// a channel of its own here: first all channels as they are read first, then all as they are read next.
pub struct Pass<'a> {
    pub sizes: Sizes,
    /// The reading of all results, from the first slice that one of them reads.
    pub reading: Reading,
    pub results: Vec<Results>,
    pub out_step: Spatial,
    /// Slices of a block. Without, each block has as many tiles as any other, and they may be of several
    /// images.
    block_slices: Option<usize>,
    x: &'a [f32],
    epilogue: Epilogue<'a>,
}

impl<'a> Pass<'a> {
    /// Results that differ along the first dimension alone, in as few passes as pay.
    ///
    /// Slices of few tiles are transformed once for all of their taps. A tap along the first dimension is
    /// then a shift by the tiles of a slice. Larger slices have a reading for each tap, and tiles of several
    /// images share a block, unless that would leave a few tiles of each image to a block of their own.
    pub fn all(
        sizes: Sizes,
        out_step: Spatial,
        results: Vec<Results>,
        x: &'a [f32],
        epilogue: Epilogue<'a>,
    ) -> Vec<Self> {
        let Some(first) = results.first() else { return Vec::new() };
        let pass = |reading, results, block_slices| Pass {
            sizes,
            reading,
            results,
            out_step,
            block_slices,
            x,
            epilogue,
        };
        let tiles: usize = tiles(first).iter().product();
        let is_shared = results.len() * first.reading.slices > 1 && 2 * tiles <= MOST_TILES;
        let has_few_left = (BLOCK + 1..=BLOCK + SINGLES).contains(&tiles);
        if is_shared || results.len() * first.reading.slices == 1 && has_few_left {
            let mut reading = first.reading;
            reading.start(results.iter().map(|results| results.reading.origin(0)[0]).min().unwrap_or(0));
            let depth = results.iter().map(|results| results.domain[0]).max().unwrap_or(0);
            let blocks = depth.div_ceil(MOST_TILES / tiles);
            return [pass(reading, results, Some(depth.div_ceil(blocks)))].into();
        }
        let split_slices = results.into_iter().map(|results| {
            let reading = results.reading.split_slices();
            pass(reading, [Results { reading, ..results }].into(), None)
        });
        split_slices.collect()
    }

    pub fn run(&self, kernels: &Kernels<'_>, out: &mut [f32]) -> bool {
        let weights: Vec<Transformed<'_>> =
            self.results.iter().map(|results| self.weight(kernels, results)).collect();
        let (blocks, threads) = (self.blocks(), parallel::threads());
        let (channels, width) = (self.channels(), self.width());
        let (finite, out) = (AtomicBool::new(true), Shared(out.as_mut_ptr()));
        let size = self.points() * point_step(channels, width);
        let units = blocks * self.results.len();
        let rows = self.sizes.rows * units / (2 * threads);
        let rows = rows.next_multiple_of(FEWEST_ROWS).clamp(FEWEST_ROWS, ROWS);
        // Blocks that one thread multiplies as a whole are transformed by the same thread.
        let is_whole = self.results.len() == 1 && self.sizes.rows <= rows;
        let alone = blocks >= 4 * threads || is_whole && blocks > threads;
        let rows = if alone { ROWS } else { rows };
        let parts = self.sizes.rows.div_ceil(rows) * self.results.len();
        let check = |range: Range<usize>, transformed: &dyn Fn(usize, usize) -> *const f32| {
            let mut products = Buffer::new(self.points() * point_step(rows, width) * size_of::<f32>());
            let products: &mut [f32] = products.as_mut_slice().expect("a new buffer is unique");
            let mut singles = Buffer::new(SINGLES * self.weight_depth() * size_of::<f32>());
            let singles: &mut [f32] = singles.as_mut_slice().expect("a new buffer is unique");
            for unit in range {
                let (block, part) = (unit / parts, unit % parts);
                let input = transformed(block, part);
                let (which, part) = (part % self.results.len(), part / self.results.len());
                let rows = part * rows..((part + 1) * rows).min(self.sizes.rows);
                let weight = weights[which].as_slice();
                let unit = Unit { block, which, rows };
                // SAFETY: the transformed input is that of the block; each unit has its own results.
                if !unsafe { self.multiply(unit, input, weight, (products, singles), out) } {
                    finite.store(false, Ordering::Relaxed);
                }
            }
        };
        if alone {
            // Each thread transforms its blocks and keeps them in its cache.
            parallel::for_ranges(blocks, size * self.sizes.rows / 8, &|range| {
                let mut own = Buffer::new((size + TILE) * size_of::<f32>());
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
        let mut all = Buffer::new((blocks * size + TILE) * size_of::<f32>());
        let start = Shared(all.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr());
        parallel::for_ranges(blocks * channels, self.points() * width, &|range| {
            let mut unit = range.start;
            while unit < range.end {
                let (block, first) = (unit / channels, unit % channels);
                let end = channels.min(first + range.end - unit);
                // SAFETY: the buffer is as large as all blocks; each unit has its own rows.
                unsafe { self.transform_input(block, first..end, start.get().add(block * size)) };
                unit += end - first;
            }
        });
        parallel::for_ranges(blocks * parts, size * rows / 8, &|range| {
            check(range, &|block, _| start.get().wrapping_add(block * size));
        });
        finite.into_inner()
    }

    /// Channels, each as often as it is read.
    pub fn channels(&self) -> usize {
        self.sizes.channels * self.reading.len()
    }

    /// Elements of a transformed tile: so many matrices are multiplied.
    pub fn points(&self) -> usize {
        self.reading.points().iter().product()
    }

    /// Tiles along the last two dimensions.
    fn tiles(&self) -> [usize; 2] {
        tiles(&self.results[0])
    }

    pub fn tiles_of_slice(&self) -> usize {
        self.tiles().iter().product()
    }

    /// Slices of an image that results are counted by.
    fn depth(&self) -> usize {
        self.results.iter().map(|results| results.domain[0]).max().unwrap_or(0)
    }

    /// Slices further on than its own that a result reads, at most.
    fn reach(&self) -> usize {
        let shift = self.results.iter().map(|results| self.shift(results)).max().unwrap_or(0);
        shift + self.reading.slices - 1
    }

    /// Slices between a result and the first that it reads.
    fn shift(&self, results: &Results) -> usize {
        (results.reading.origin(0)[0] - self.reading.origin(0)[0]) as usize
    }

    /// Slices of an image that are transformed, those that several blocks read several times.
    pub fn transformed_slices(&self) -> usize {
        self.depth() + self.block_slices.map_or(0, |slices| self.depth().div_ceil(slices) * self.reach())
    }

    fn blocks(&self) -> usize {
        match self.block_slices {
            Some(slices) => self.sizes.images * self.depth().div_ceil(slices),
            None => (self.sizes.images * self.depth() * self.tiles_of_slice()).div_ceil(BLOCK),
        }
    }

    /// Elements from the transformed tiles of a channel to those of the next.
    fn width(&self) -> usize {
        match self.block_slices {
            Some(slices) => (slices + self.reach()) * self.tiles_of_slice(),
            None => BLOCK.min(self.sizes.images * self.depth() * self.tiles_of_slice()),
        }
        .next_multiple_of(16)
    }

    /// The tiles that a block reads.
    fn read_tiles(&self, block: usize) -> Tiles {
        let [height, width] = self.tiles();
        let (tiles, depth) = (height * width, self.depth());
        let Some(slices) = self.block_slices else {
            let first = block * BLOCK;
            let count = BLOCK.min(self.sizes.images * depth * tiles - first);
            return Tiles { first, count, depth, height, width };
        };
        let blocks = depth.div_ceil(slices);
        let (image, first) = (block / blocks, block % blocks * slices);
        let (depth, count) = (depth + self.reach(), slices.min(depth - first) + self.reach());
        Tiles { first: (image * depth + first) * tiles, count: count * tiles, depth, height, width }
    }

    /// The tiles that a block writes of some results: of images with as many slices as these have.
    fn written_tiles(&self, block: usize, results: &Results) -> Tiles {
        let [height, width] = self.tiles();
        let (tiles, depth) = (height * width, results.domain[0]);
        let Some(slices) = self.block_slices else { return self.read_tiles(block) };
        let blocks = self.depth().div_ceil(slices);
        let (image, first) = (block / blocks, (block % blocks * slices).min(depth));
        let count = slices.min(depth - first);
        Tiles { first: (image * depth + first) * tiles, count: count * tiles, depth, height, width }
    }

    fn weight<'k>(&self, kernels: &Kernels<'k>, results: &Results) -> Transformed<'k> {
        match self.kept_weight(kernels, results) {
            Some(kept) => Transformed::Kept(kept),
            None => Transformed::Made(self.transform_weight(kernels, results)),
        }
    }

    /// The transforms that the buffer of the kernels keeps. Elements in training are written before they are
    /// asked for often enough.
    #[cfg(feature = "std")]
    fn kept_weight<'k>(&self, kernels: &Kernels<'k>, results: &Results) -> Option<&'k Buffer> {
        let (start, size) = (kernels.weight.as_ptr() as usize, self.sizes.rows * self.weight_depth());
        let buffer = kernels.buffer.filter(|_| self.points() * size <= MOST_KEPT)?;
        let key = [start, WINOGRAD - self.reading.kind(), self.sizes.rows, self.sizes.channels];
        buffer.kept().get(key, || self.transform_weight(kernels, results))
    }

    #[cfg(not(feature = "std"))]
    fn kept_weight<'k>(&self, _kernels: &Kernels<'k>, _results: &Results) -> Option<&'k Buffer> {
        None
    }

    /// Products in an element of a transformed result.
    fn weight_depth(&self) -> usize {
        self.channels() * self.reading.slices
    }

    /// Kernels by point, row, tap along the first dimension, and channel.
    fn transform_weight(&self, kernels: &Kernels<'_>, results: &Results) -> Buffer {
        let (channels, slices) = (self.sizes.channels, self.reading.slices);
        let step = point_step(self.sizes.rows, self.weight_depth());
        let mut weight = Buffer::new(self.points() * step * size_of::<f32>());
        let start = Shared(weight.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr());
        let reads = self.reading.len();
        parallel::for_ranges(self.sizes.rows * reads * slices, channels * self.points(), &|range| {
            for unit in range {
                let (row, slice, read) = (unit / reads / slices, unit / reads % slices, unit % reads);
                let args = Weight {
                    kernel: kernels.weight[row * kernels.row + results.reading.first_tap(read, slice)..]
                        .as_ptr(),
                    step: kernels.channel,
                    channels,
                    down: self.reading.down,
                    right: self.reading.right,
                    points: self.reading.points(),
                    out: start
                        .get()
                        .wrapping_add(row * self.weight_depth() + (slice * reads + read) * channels),
                    point_step: step,
                };
                // SAFETY: each reading of a row has its own part of the buffer, and its taps are those of
                // the kernels.
                unsafe { transform_weight(&args) };
            }
        });
        weight
    }

    /// # Safety
    /// The block may be written from `out` on: points, channels, tiles.
    unsafe fn transform_input(&self, block: usize, channels: Range<usize>, out: *mut f32) {
        let (tiles, width) = (self.read_tiles(block), self.width());
        let area: usize = self.sizes.input.iter().product();
        let mut staged = Buffer::new(ALL_STAGED * size_of::<f32>());
        let staged: &mut [f32] = staged.as_mut_slice().expect("a new buffer is unique");
        let parts = (0..tiles.count).step_by(BLOCK).map(|done| {
            let count = BLOCK.min(tiles.count - done);
            (done, count, Tiles { first: tiles.first + done, count, ..tiles }.pieces())
        });
        let parts: Vec<_> = parts.collect();
        for channel in channels {
            let plane = self.x[channel % self.sizes.channels * area..].as_ptr();
            for (done, count, pieces) in &parts {
                let args = Input {
                    pieces,
                    count: *count,
                    plane,
                    image_step: self.sizes.channels * area,
                    channel_step: area,
                    size: self.sizes.input,
                    origin: self.reading.origin(channel / self.sizes.channels),
                    step: self.reading.step,
                    points: self.reading.points(),
                    staged: staged.as_mut_ptr(),
                    out: out.wrapping_add(channel * width + done),
                    point_step: point_step(self.channels(), width),
                };
                // SAFETY: by the contract; the planes are those of the channel.
                unsafe { transform_input(&args) };
            }
        }
    }

    /// Some rows of results of a block; whether all are finite.
    ///
    /// # Safety
    /// `input` is the transformed block; nothing else touches these results.
    unsafe fn multiply(
        &self,
        Unit { block, which, rows }: Unit,
        input: *const f32,
        weight: &[f32],
        (products, singles): (&mut [f32], &mut [f32]),
        out: Shared<f32>,
    ) -> bool {
        let results = &self.results[which];
        let tiles = self.written_tiles(block, results);
        let (width, in_step) = (self.width(), point_step(self.channels(), self.width()));
        let step = products.len() / self.points();
        let plan = Plan::product(width);
        let input = input.wrapping_add(self.shift(results) * self.tiles_of_slice());
        let (channels, slices, depth) = (self.channels(), self.reading.slices, self.weight_depth());
        // The sums go through all channels of a slice before those of the next, so slices are planes and
        // channels are taps.
        let taps: Vec<usize>;
        let (planes, plane_step, taps) = if slices > 1 {
            taps = (0..channels).map(|channel| channel * width).collect();
            (slices, self.tiles_of_slice(), &taps[..])
        } else {
            (channels, width, &[0][..])
        };
        for point in 0..self.points() {
            let args = Sweep {
                plan: &plan,
                first: 0,
                end: tiles.count,
                staged: input.wrapping_add(point * in_step),
                channels: planes,
                step: plane_step,
                offsets: taps,
                weight: weight[point * point_step(self.sizes.rows, depth) + rows.start * depth..].as_ptr(),
                epilogue: RowsEpilogue::default(),
                rows: rows.len(),
                out: products[point * step..].as_mut_ptr(),
                area: width,
                is_packed: false,
                is_streamed: self.sizes.rows * self.sizes.channels >= STREAMED,
                singles: Some(singles.as_mut_ptr()),
            };
            // SAFETY: the matrices have as many rows and columns as described.
            unsafe { sweep(&args) };
        }
        let area: usize = self.sizes.output.iter().product();
        let mut check = 0.0;
        for row in rows.clone() {
            for done in (0..tiles.count).step_by(BLOCK) {
                let args = Output {
                    tiles: Tiles { first: tiles.first + done, count: BLOCK.min(tiles.count - done), ..tiles },
                    products: products[(row - rows.start) * width + done..].as_ptr(),
                    point_step: step,
                    epilogue: self.epilogue.channel(row, row * area),
                    plane: out.get().wrapping_add(row * area),
                    image_step: self.sizes.rows * area,
                    size: self.sizes.output,
                    domain: results.domain,
                    first: results.first,
                    step: self.out_step,
                    points: self.reading.points(),
                    check: &raw mut check,
                };
                // SAFETY: the planes are those of the row, and no other thread has its tiles.
                unsafe { transform_output(&args) };
            }
        }
        check == 0.0
    }
}

/// Results that a thread computes at a time.
struct Unit {
    block: usize,
    /// Kind of results.
    which: usize,
    rows: Range<usize>,
}

/// Tiles of some results down and along the rows.
fn tiles(results: &Results) -> [usize; 2] {
    let ([_, height, width], [down, _]) = (results.domain, results.reading.points());
    [height.div_ceil(result_rows(down)), width.div_ceil(RESULTS)]
}

/// Elements from one point to the next: not a multiple of what the first cache maps to the same lines.
fn point_step(rows: usize, width: usize) -> usize {
    rows * width + 16
}

/// Transformed kernels, made for one convolution or kept with them.
enum Transformed<'a> {
    Made(Buffer),
    Kept(&'a Buffer),
}

impl Transformed<'_> {
    fn as_slice(&self) -> &[f32] {
        match self {
            Transformed::Made(buffer) => buffer.as_slice(),
            Transformed::Kept(buffer) => buffer.as_slice(),
        }
    }
}
