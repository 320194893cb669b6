//! The weight gradient of a direct convolution: products of the rows of the gradient with shifted rows of the
//! input.

use super::dots::{Dots, ROWS, dots};
use super::geometry::Geometry;
use super::plan::Plan;
use super::stage::{Runs, Source};
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

/// Products of a weight from which on a part of the images is worth sums of its own.
const PRODUCTS: usize = 1 << 10;

/// How images lie in rows: planes in blocks, or several small ones one after the other.
#[derive(Clone, Copy, Debug)]
struct Rows {
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

impl Rows {
    fn new(g: &Geometry, plan: &Plan, images: usize) -> Self {
        let most = (NEAR / ROWS).min(STAGED / 2 / g.group_out).max(512);
        let len = plan.len();
        if len + plan.reach() > most / 2 {
            let block = len.div_ceil(len.div_ceil(most)).next_multiple_of(16);
            let channels = Rows::channels(g, plan, block);
            return Rows {
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
        Rows { block: len, blocks: 1, pitch, images, len: row, channels: Rows::channels(g, plan, row) }
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
    let size = out.len();
    let mut sums = Buffer::new(parts * size * size_of::<f32>());
    let sums: &mut [f32] = sums.as_mut_slice().expect("a new buffer is unique");
    let start = Shared(sums.as_mut_ptr());
    let cost = g.products() / channel_parts * images / 8 + 1;
    parallel::for_ranges(parts * g.groups * channel_parts, cost, &|range| {
        for unit in range {
            let (part, rest) = (unit / (g.groups * channel_parts), unit % (g.groups * channel_parts));
            let (group, first) = (rest / channel_parts, rest % channel_parts * channels);
            let rows = first..(first + channels).min(g.group_out);
            let from = part * size + (group * g.group_out + rows.start) * g.depth();
            // SAFETY: every unit has its own part of the sums.
            let sums =
                unsafe { core::slice::from_raw_parts_mut(start.get().add(from), rows.len() * g.depth()) };
            sums.fill(0.0);
            let images = part * images..((part + 1) * images).min(g.batch);
            Unit { g, plan: &plan, group, images, rows }.add(grad, x, sums);
        }
    });
    out.copy_from_slice(&sums[..size]);
    for sum in sums.chunks_exact(size).skip(1) {
        out.iter_mut().zip(sum).for_each(|(out, &x)| *out += x);
    }
}

/// Elements of a staged row: as in a forward pass, an odd number of cache lines.
fn staged_row(plan: &Plan, rows: &Rows) -> usize {
    ((rows.len + plan.reach()).div_ceil(16) | 1) * 16
}

/// Some images and some output channels of a group.
struct Unit<'a> {
    g: &'a Geometry,
    plan: &'a Plan,
    group: usize,
    images: Range<usize>,
    rows: Range<usize>,
}

impl Unit<'_> {
    fn add(&self, grad: &[f32], x: &[f32], sums: &mut [f32]) {
        let (g, plan) = (self.g, self.plan);
        let rows = Rows::new(g, plan, self.images.len());
        let sources = plan.origins().len();
        let row = staged_row(plan, &rows);
        let mut staged = Buffer::new(rows.channels * sources * row * size_of::<f32>());
        let staged: &mut [f32] = staged.as_mut_slice().expect("a new buffer is unique");
        let mut grads = Buffer::new(self.rows.len() * rows.len * size_of::<f32>());
        let grads: &mut [f32] = grads.as_mut_slice().expect("a new buffer is unique");
        let mut offsets = Buffer::new(plan.taps().len() * size_of::<usize>());
        let list: &mut [usize] = offsets.as_mut_slice().expect("a new buffer is unique");
        list.iter_mut().zip(plan.taps()).for_each(|(offset, tap)| *offset = tap.source * row + tap.shift);
        for first in self.images.clone().step_by(rows.images) {
            let images = first..(first + rows.images).min(self.images.end);
            for block in 0..rows.blocks {
                self.stage_grad(grad, &images, block * rows.block, &rows, grads);
                for first in (0..g.group_in).step_by(rows.channels) {
                    let channels = first..(first + rows.channels).min(g.group_in);
                    self.stage_input(x, &images, channels.clone(), block * rows.block, &rows, staged);
                    let args = Dots {
                        len: rows.len,
                        grad: grads.as_ptr(),
                        rows: self.rows.len(),
                        staged: staged.as_ptr(),
                        channels: channels.len(),
                        step: sources * row,
                        offsets: offsets.as_slice(),
                        sums: sums[channels.start * g.taps()..].as_mut_ptr(),
                        depth: g.depth(),
                    };
                    // SAFETY: rows are as long as they are read, and the sums have an element for each
                    // product.
                    unsafe { dots(&args) };
                }
            }
        }
    }

    fn stage_input(
        &self,
        x: &[f32],
        images: &Range<usize>,
        channels: Range<usize>,
        first: usize,
        rows: &Rows,
        staged: &mut [f32],
    ) {
        let (g, plan) = (self.g, self.plan);
        let area: usize = plan.input.iter().product();
        let row = staged_row(plan, rows);
        let len = if rows.images == 1 { row } else { rows.pitch };
        let runs: Vec<Runs> =
            plan.origins().map(|origin| Source::new(plan, origin).runs(first..first + len)).collect();
        for (channel, staged) in channels.zip(staged.chunks_exact_mut(runs.len() * row)) {
            for (runs, staged) in runs.iter().zip(staged.chunks_exact_mut(row)) {
                let mut end = 0;
                for image in images.clone() {
                    let x = &x[((image * g.groups + self.group) * g.group_in + channel) * area..][..area];
                    runs.copy(x, &mut staged[end..]);
                    end += len;
                }
                staged[end..].fill(0.0);
            }
        }
    }

    fn stage_grad(&self, grad: &[f32], images: &Range<usize>, first: usize, rows: &Rows, grads: &mut [f32]) {
        let (g, plan) = (self.g, self.plan);
        let area = g.area_out();
        let source = Source { input: plan.domain, step: [1; 3], origin: [0; 3], pitch: plan.pitch };
        let runs = source.runs(first..first + rows.pitch);
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
