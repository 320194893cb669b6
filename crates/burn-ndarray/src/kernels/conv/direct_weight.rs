//! The weight gradient of a direct convolution: products of the rows of the gradient with shifted rows of the
//! input.

use super::dots::{Dots, ROWS, dots};
use super::geometry::Geometry;
use super::plan::Plan;
use super::stage::{Runs, StridedPlane};
use crate::memory::Buffer;
use crate::threads::parallel::{self, Shared};
use alloc::vec::Vec;
use core::ops::Range;

/// Elements of gradient and input that stay in the second cache.
const STAGED: usize = 160 << 10;

/// Elements of the rows of a tile that stay in the first cache.
const NEAR: usize = 5 << 10;

/// Weights of which each part of the images may have its own sums, and those of which parts of many products
/// may.
const PARTED: usize = 1 << 16;
const PARTED_LARGE: usize = 1 << 19;

/// Weights whose sums a thread adds up at a time.
const TOGETHER: usize = 1 << 10;

/// Fewest input channels of a unit, which copies the gradient.
const FEWEST_INPUTS: usize = 4;

/// Products of a weight from which on a part of the images is worth sums of its own.
const PRODUCTS: usize = 1 << 10;

/// How images lie in rows: planes in blocks, or several small ones one after the other.
#[derive(Clone, Copy, Debug)]
struct ImageRows {
    /// Positions of a plane in a block.
    block: usize,
    blocks: usize,
    /// Positions from one image of a block to the next.
    pitch: usize,
    images: usize,
    /// Elements of a row of the gradient.
    len: usize,
    /// Channels of the input that are staged together.
    channels: usize,
}

impl ImageRows {
    fn new(g: &Geometry, plan: &Plan, images: usize) -> Self {
        let most = (NEAR / ROWS).min(STAGED / 2 / g.group_out).max(512);
        let len = plan.len();
        if len + plan.reach() > most / 2 {
            let block = len.div_ceil(len.div_ceil(most)).next_multiple_of(16);
            let channels = ImageRows::channels(g, plan, block);
            return ImageRows {
                block,
                blocks: len.div_ceil(block),
                pitch: block,
                images: 1,
                len: block,
                channels,
            };
        }
        let pitch = len + plan.reach();
        let images = (most / pitch).clamp(1, images.max(1));
        let row = (images * pitch).next_multiple_of(16);
        ImageRows {
            block: len,
            blocks: 1,
            pitch,
            images,
            len: row,
            channels: ImageRows::channels(g, plan, row),
        }
    }

    /// Channels whose sources of `len` elements stay in the second cache beside the rows of the gradient.
    fn channels(g: &Geometry, plan: &Plan, len: usize) -> usize {
        let most = STAGED.saturating_sub(g.group_out * len) / (plan.origins().len() * len);
        let parts = g.group_in.div_ceil(most.max(4));
        g.group_in.div_ceil(parts)
    }
}

/// The gradient of a convolution by its weights.
pub fn weight_grad(g: &Geometry, grad: &[f32], x: &[f32], out: &mut [f32]) {
    let plan = Plan::forward(g, false);
    // Each part of the images has its own sums, which are added up once. Large kernels are divided by
    // channels instead. The number of threads does not change the sums.
    let divided = g.batch.min(4);
    let is_large = out.len() <= PARTED_LARGE && g.batch.div_ceil(divided) * g.area_out() >= PRODUCTS;
    let images = if out.len() <= PARTED || is_large { g.batch.div_ceil(divided) } else { g.batch };
    let parts = g.batch.div_ceil(images);
    // Each part of the channels copies the input once more.
    let (units, threads) = (parts * g.groups, parallel::threads());
    let is_even = units.is_multiple_of(threads) || units >= 4 * threads;
    let channel_parts = if is_even { 1 } else { (2 * threads).div_ceil(units).min(g.group_out / 16).max(1) };
    let channels = g.group_out.div_ceil(channel_parts).next_multiple_of(ROWS);
    let channel_parts = g.group_out.div_ceil(channels);
    // Parts of the channels of the input copy the gradient once more.
    let units = units * channel_parts;
    let input_parts = if units >= threads { 1 } else { (2 * threads).div_ceil(units) };
    let inputs = input_channels(g, &plan, images, input_parts);
    let input_parts = g.group_in.div_ceil(inputs);
    let size = out.len();
    let mut sums = Buffer::new(parts * size * size_of::<f32>());
    let sums: &mut [f32] = sums.as_mut_slice().expect("a new buffer is unique");
    let start = Shared(sums.as_mut_ptr());
    let cost = g.products() / (channel_parts * input_parts) * images / 8 + 1;
    parallel::for_ranges(units * input_parts, cost, &|range| {
        for unit in range {
            let (unit, input) = (unit / input_parts, unit % input_parts * inputs);
            let (part, rest) = (unit / (g.groups * channel_parts), unit % (g.groups * channel_parts));
            let (group, first) = (rest / channel_parts, rest % channel_parts * channels);
            let rows = first..(first + channels).min(g.group_out);
            let inputs = input..(input + inputs).min(g.group_in);
            let from = part * size + (group * g.group_out + rows.start) * g.depth();
            let images = part * images..((part + 1) * images).min(g.batch);
            let unit = Unit { g, plan: &plan, group, images, rows, inputs };
            // SAFETY: every unit has its own elements of the sums.
            unsafe { unit.add(grad, x, start.get().wrapping_add(from)) };
        }
    });
    add_parts(sums, out);
}

/// Writes the sums of parts, each of which is as long as the result. Other threads have computed them: one
/// alone would wait for the caches of all others.
fn add_parts(sums: &[f32], out: &mut [f32]) {
    let size = out.len().max(1);
    parallel::for_chunks(out, TOGETHER, TOGETHER * sums.len() / size, &|index, out| {
        let place = index * TOGETHER..index * TOGETHER + out.len();
        let mut parts = sums.chunks_exact(size).map(|sums| &sums[place.clone()]);
        out.copy_from_slice(parts.next().expect("there is a part"));
        for sums in parts {
            out.iter_mut().zip(sums).for_each(|(out, &x)| *out += x);
        }
    });
}

/// Input channels of a unit, where `parts` are wanted. The last columns of staged channels, for which a tile
/// of three has no room, are added in another order: parts end where there are none, or where staged channels
/// do.
fn input_channels(g: &Geometry, plan: &Plan, images: usize, parts: usize) -> usize {
    let staged = ImageRows::new(g, plan, images).channels;
    let unit = if g.taps().is_multiple_of(3) {
        1
    } else if staged >= g.group_in {
        3
    } else if g.batch.is_multiple_of(images) {
        staged
    } else {
        g.group_in
    };
    g.group_in.div_ceil(parts).max(FEWEST_INPUTS).next_multiple_of(unit).min(g.group_in)
}

/// Elements of a staged row: as in a forward pass, an odd number of cache lines.
fn staged_row(plan: &Plan, rows: &ImageRows) -> usize {
    ((rows.len + plan.reach()).div_ceil(16) | 1) * 16
}

/// Some images and some channels of output and input of a group.
struct Unit<'a> {
    g: &'a Geometry,
    plan: &'a Plan,
    group: usize,
    images: Range<usize>,
    rows: Range<usize>,
    inputs: Range<usize>,
}

impl Unit<'_> {
    /// Writes the sums of the images, those of a row after those of the row before it.
    ///
    /// # Safety
    /// The sums of the rows and input channels may be written, and nothing else touches those.
    unsafe fn add(&self, grad: &[f32], x: &[f32], sums: *mut f32) {
        let (g, plan) = (self.g, self.plan);
        let own = self.inputs.start * g.taps()..self.inputs.end * g.taps();
        for row in 0..self.rows.len() {
            // SAFETY: by the contract.
            unsafe { sums.add(row * g.depth() + own.start).write_bytes(0, own.len()) };
        }
        let rows = ImageRows::new(g, plan, self.images.len());
        let sources = plan.origins().len();
        let row = staged_row(plan, &rows);
        let mut staged = Buffer::new(rows.channels * sources * row * size_of::<f32>());
        let staged: &mut [f32] = staged.as_mut_slice().expect("a new buffer is unique");
        let mut grads = Buffer::new(self.rows.len() * rows.len * size_of::<f32>());
        let grads: &mut [f32] = grads.as_mut_slice().expect("a new buffer is unique");
        let mut offsets = Buffer::new(plan.taps().len() * size_of::<usize>());
        let list: &mut [usize] = offsets.as_mut_slice().expect("a new buffer is unique");
        list.iter_mut().zip(plan.taps()).for_each(|(offset, tap)| *offset = tap.source * row + tap.shift);
        let (grad_runs, input_runs) = (self.grad_runs(&rows), self.input_runs(&rows));
        for first in self.images.clone().step_by(rows.images) {
            let images = first..(first + rows.images).min(self.images.end);
            for block in 0..rows.blocks {
                self.stage_grad(grad, &images, &grad_runs[block], &rows, grads);
                let runs = &input_runs[block * sources..][..sources];
                for first in self.inputs.clone().step_by(rows.channels) {
                    let channels = first..(first + rows.channels).min(self.inputs.end);
                    self.stage_input(x, &images, channels.clone(), (runs, row), staged);
                    let args = Dots {
                        len: rows.len,
                        grad: grads.as_ptr(),
                        rows: self.rows.len(),
                        staged: staged.as_ptr(),
                        channels: channels.len(),
                        step: sources * row,
                        offsets: offsets.as_slice(),
                        sums: sums.wrapping_add(channels.start * g.taps()),
                        depth: g.depth(),
                    };
                    // SAFETY: rows are as long as they are read, and the sums have an element for each
                    // product.
                    unsafe { dots(&args) };
                }
            }
        }
    }

    /// Where the elements of the sources of each block lie, which all channels and images share.
    fn input_runs(&self, rows: &ImageRows) -> Vec<Runs> {
        let len = if rows.images == 1 { staged_row(self.plan, rows) } else { rows.pitch };
        let of_block = |block: usize| {
            let positions = block * rows.block..block * rows.block + len;
            self.plan
                .origins()
                .map(move |origin| StridedPlane::new(self.plan, origin).runs(positions.clone()))
        };
        (0..rows.blocks).flat_map(of_block).collect()
    }

    /// As [`Unit::input_runs`], of the gradient.
    fn grad_runs(&self, rows: &ImageRows) -> Vec<Runs> {
        let plan = self.plan;
        let source = StridedPlane { input: plan.domain, step: [1; 3], origin: [0; 3], pitch: plan.pitch };
        let first = |block: usize| block * rows.block;
        (0..rows.blocks).map(|block| source.runs(first(block)..first(block) + rows.pitch)).collect()
    }

    /// Copies channels of some images, in staged rows of `row` elements.
    fn stage_input(
        &self,
        x: &[f32],
        images: &Range<usize>,
        channels: Range<usize>,
        (runs, row): (&[Runs], usize),
        staged: &mut [f32],
    ) {
        let g = self.g;
        let area: usize = self.plan.input.iter().product();
        for (channel, staged) in channels.zip(staged.chunks_exact_mut(runs.len() * row)) {
            for (runs, staged) in runs.iter().zip(staged.chunks_exact_mut(row)) {
                let mut end = 0;
                for image in images.clone() {
                    let x = &x[((image * g.groups + self.group) * g.group_in + channel) * area..][..area];
                    runs.copy(x, &mut staged[end..]);
                    end += runs.positions();
                }
                staged[end..].fill(0.0);
            }
        }
    }

    fn stage_grad(
        &self,
        grad: &[f32],
        images: &Range<usize>,
        runs: &Runs,
        rows: &ImageRows,
        grads: &mut [f32],
    ) {
        let g = self.g;
        let area = g.area_out();
        for (channel, grads) in self.rows.clone().zip(grads.chunks_exact_mut(rows.len)) {
            let mut end = 0;
            for image in images.clone() {
                let plane = (image * g.groups + self.group) * g.group_out + channel;
                let grad = &grad[plane * area..][..area];
                runs.copy(grad, &mut grads[end..]);
                end += rows.pitch;
            }
            grads[end..].fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;
    use alloc::vec;
    use burn_backend::{ConvOptions, Dims, Shape};

    /// The gradient of one image, whose input channels are divided into as many parts.
    fn gradient(g: &Geometry, parts: usize) -> (Vec<u32>, usize) {
        let plan = Plan::forward(g, false);
        let value = |i: usize| ((i * 37 % 101) as f32 / 50.0 - 1.0).cbrt();
        let x: Vec<f32> = (0..g.group_in * g.area_in()).map(value).collect();
        let grad: Vec<f32> = (0..g.group_out * g.area_out()).map(|i| value(i + 7)).collect();
        let mut sums = vec![1.0_f32; g.group_out * g.depth()];
        let inputs = input_channels(g, &plan, 1, parts);
        for first in (0..g.group_in).step_by(inputs) {
            let inputs = first..(first + inputs).min(g.group_in);
            let unit = Unit { g, plan: &plan, group: 0, images: 0..1, rows: 0..g.group_out, inputs };
            // SAFETY: the sums have an element for each weight.
            unsafe { unit.add(&grad, &x, sums.as_mut_ptr()) };
        }
        (sums.into_iter().map(f32::to_bits).collect(), g.group_in.div_ceil(inputs))
    }

    #[test]
    fn parts_of_the_input_channels_change_no_bit() {
        // By channels of input and output, kernel size, stride, and sizes of input and output.
        for ([channels_in, channels_out], [kernel, stride], [input, output]) in shrink(
            [([12, 16], [3, 1], [6, 6]), ([32, 64], [4, 2], [24, 12]), ([13, 8], [2, 2], [20, 10])],
            [([5, 3], [3, 1], [3, 3]), ([7, 3], [4, 2], [4, 2]), ([7, 4], [2, 2], [4, 2])],
        ) {
            let shape = |lead: [usize; 2], size: usize| Shape::from([lead[0], lead[1], size, size, size]);
            let ones = |number: usize| Dims::repeat(number, 3);
            let padding = ones(if kernel > 2 { 1 } else { 0 });
            let options = ConvOptions { stride: ones(stride), padding, ..ConvOptions::new(3) };
            let (x, weight) = (shape([1, channels_in], input), shape([channels_out, channels_in], kernel));
            let g = Geometry::new(&x, &weight, &shape([1, channels_out], output), &options);
            let ((whole, one), (parted, parts)) = (gradient(&g, 1), gradient(&g, 8));
            assert!(one == 1 && parts > 1, "{parts} parts");
            assert!(whole == parted, "{parts} parts of {channels_in} channels");
        }
    }
}
