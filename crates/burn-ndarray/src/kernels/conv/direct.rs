//! Convolution of `f32` without unfolding: padded copies of parts of images that stay in the cache, and sums
//! over shifted rows of them (an implicit matrix product).

use super::geometry::Geometry;
use super::packed::{Sizes, Weights};
use super::padded_plane;
use super::plan::Plan;
use super::single_plane;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use super::sixteen_channels;
use super::stage::{Runs, StridedPlane};
use super::sweep::{Sweep, TILE, sweep};
use super::winograd;
use super::workspace;
use crate::gemm::epilogue::Epilogue;
use crate::gemm::single_columns::SINGLES;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use alloc::vec::Vec;
use core::ops::Range;

/// Lanes of the widest vectors.
const LANES: usize = 16;

/// Elements of staged input that leave the second cache room for weights, or 8 KiB of a small memory.
const STAGED: usize = if workspace::IS_SCARCE { 2 << 10 } else { 64 << 10 };

/// Results of a row from which on the weights are copied for them. Rows that are not, have few positions
/// after the last vector, which are summed one by one.
const PACKED: usize = 1 << 11;

/// Weights of kernels of one tap from which on the first cache does not hold them.
const STREAMED: usize = 1 << 13;

/// Strides, paddings and dilations beyond it are left to loops that only compare them.
const LONGEST_STEP: usize = 1 << 10;

/// Whether there is something to compute, and enough of what is computed is kept.
pub fn suits(g: &Geometry) -> bool {
    // Not multiplied: beside a dimension of nothing, others are as large as numbers get.
    if [g.batch, g.groups, g.group_in, g.group_out, g.area_in(), g.area_out()].contains(&0) {
        return false;
    }
    // Strides are gone through one by one, and positions are computed from all three.
    let window = &g.window;
    let steps = [window.stride, window.padding, window.dilation, window.kernel];
    if steps.as_flattened().iter().any(|&step| step > LONGEST_STEP)
        || window.stride.iter().product::<usize>() > LONGEST_STEP
    {
        return false;
    }
    let plan = Plan::forward(g, false);
    let (len, results) = (plan.len().next_multiple_of(16), g.area_out());
    results >= 12 && results * 5 >= len * 2
}

/// Products of each copied element, by rows of results and width, from which on copies cost less than what is
/// thrown away.
const NARROW: usize = 32;

/// Whether the room after rows of results of `plans` costs more than copies of the input for each column of
/// the kernel: of results in `rows` channels.
fn is_narrow(g: &Geometry, plans: &[Plan], rows: usize) -> bool {
    let width = plans.iter().map(|plan| plan.domain[2]).max().unwrap_or(0);
    let room = plans.first().map_or(0, |plan| plan.pitch[1] - width);
    let taps = g.taps().div_ceil(plans.len().max(1));
    let pays = room * 20 > width && rows * taps > NARROW * width;
    rows >= 32 && room > 0 && pays && g.window.kernel[2] <= 7
}

/// `out = weight * x` with its epilogue.
pub fn forward(g: &Geometry, x: &[f32], weight: &NdTensor, epilogue: Epilogue<'_>, out: &mut [f32]) {
    if winograd::forward(g, x, weight, epilogue, out) {
        return;
    }
    let weight = weight.slice();
    if single_plane::forward(g, x, weight, epilogue, out) {
        return;
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if sixteen_channels::forward(g, x, weight, epilogue, out) {
        return;
    }
    if padded_plane::forward(g, x, weight, epilogue, out) {
        return;
    }
    let mut plan = Plan::forward(g, false);
    if is_narrow(g, core::slice::from_ref(&plan), g.group_out) {
        plan = Plan::forward(g, true);
    }
    let pass = Pass {
        plans: core::slice::from_ref(&plan),
        images: g.batch,
        groups: g.groups,
        channels: g.group_in,
        rows: g.group_out,
        x,
        weights: Weights { weight, row: g.depth(), channel: g.taps(), group: g.group_out * g.depth() },
        epilogue,
    };
    pass.run(out);
}

/// The gradient of [`forward`] by its input: for each phase of the stride a convolution of its own.
pub fn input_grad(g: &Geometry, grad: &[f32], weight: &[f32], out: &mut [f32]) {
    if single_plane::input_grad(g, grad, weight, out) || winograd::input_grad(g, grad, weight, out) {
        return;
    }
    let mut plans = Plan::backward(g, false);
    if plans.last().is_none_or(|last| last.origins().len() == 0) {
        // No window has an element of the input.
        return out.fill(0.0);
    }
    if is_narrow(g, &plans, g.group_in) {
        plans = Plan::backward(g, true);
    }
    let pass = Pass {
        plans: &plans,
        images: g.batch,
        groups: g.groups,
        channels: g.group_out,
        rows: g.group_in,
        x: grad,
        weights: Weights { weight, row: g.taps(), channel: g.depth(), group: g.group_out * g.depth() },
        epilogue: Epilogue::default(),
    };
    pass.run(out);
}

/// Sums over shifted rows, for all images and groups: plans that read the sources of the last and share their
/// room.
#[derive(Clone, Copy, Debug)]
struct Pass<'a> {
    plans: &'a [Plan],
    images: usize,
    groups: usize,
    /// Channels that are read and that are written, of a group.
    channels: usize,
    rows: usize,
    x: &'a [f32],
    weights: Weights<'a>,
    epilogue: Epilogue<'a>,
}

/// How a pass is divided: the positions of a plane into blocks, the rows of each into parts.
#[derive(Clone, Copy, Debug)]
struct Division {
    block: usize,
    blocks: usize,
    part: usize,
    parts: usize,
}

impl Pass<'_> {
    /// The plan whose sources are those of all.
    fn last(&self) -> &Plan {
        self.plans.last().expect("there is a result")
    }

    /// Positions of a plane.
    fn len(&self) -> usize {
        self.plans.iter().map(Plan::len).max().unwrap_or(0)
    }

    /// How far taps are shifted at most.
    fn reach(&self) -> usize {
        self.plans.iter().map(Plan::reach).max().unwrap_or(0)
    }

    fn divide(&self) -> Division {
        let (len, reach) = (self.len(), self.reach());
        let cached = STAGED / (self.channels * self.last().origins().len()).max(1);
        let largest = cached.saturating_sub(reach).max(reach).max(TILE);
        let planes = self.images * self.groups * self.plans.len();
        // Blocks that follow each other are staged in the same position.
        let wanted = if workspace::IS_SCARCE { 1 } else { parallel::threads() * 4 };
        // More blocks, as long as they waste little on what they share and on rounding up to tiles.
        // Blocks of whole rows, where tiles end with them.
        let is_by_rows = self.plans.len() == 1 && self.last().is_stored_by_rows(LANES);
        let unit = if is_by_rows { self.last().pitch[1] } else { TILE };
        let size = |blocks: usize| len.div_ceil(blocks).next_multiple_of(unit);
        let good =
            |&blocks: &usize| size(blocks) >= 4 * reach && (size(blocks) * blocks - size(1)) * 16 <= size(1);
        let least = len.div_ceil(largest);
        let more = wanted.div_ceil(planes);
        let mut blocks = (least..=more.max(least)).rev().find(good).unwrap_or(least);
        // A second block of a few positions reads all weights again, and the threads that get one have
        // nothing to do.
        if blocks == 2 && self.last().is_flat() && !self.packs() && len <= size(2) + SINGLES {
            blocks = 1;
        }
        let block = size(blocks);
        let blocks = len.div_ceil(block);
        let parts = wanted.div_ceil(planes * blocks).min(self.rows / 16).max(1);
        let part = self.rows.div_ceil(parts).next_multiple_of(8);
        Division { block, blocks, part, parts: self.rows.div_ceil(part) }
    }

    /// Whether weights lie by row, channel and tap of the only plan.
    fn is_row_major(&self) -> bool {
        self.weights.channel == self.last().taps().len()
            && self.weights.row == self.channels * self.weights.channel
    }

    /// Whether weights are read often enough for a copy.
    fn packs(&self) -> bool {
        let (len, is_flat) = (self.len(), self.last().is_flat());
        !workspace::IS_SCARCE && self.images * len >= PACKED && (!is_flat || len >= PACKED)
    }

    fn run(&self, out: &mut [f32]) {
        let plans = self.plans;
        let Division { block, blocks, part, parts } = self.divide();
        let area_in = self.last().input.iter().product::<usize>();
        let area_out = self.last().output.iter().product::<usize>();
        // An odd number of cache lines, so that the same positions of planes are not rivals for the same
        // lines.
        let (len, reach) = (self.len(), self.reach());
        let row = ((block.next_multiple_of(TILE) + reach).div_ceil(16) + 1) | 1;
        let (row, sources) = (row * 16, self.last().origins().len());
        let taps: usize = plans.iter().map(|plan| plan.taps().len()).sum();
        let mut offsets = Buffer::new(taps * size_of::<usize>());
        let list: &mut [usize] = offsets.as_mut_slice().expect("a new buffer is unique");
        let all = plans.iter().flat_map(Plan::taps);
        list.iter_mut().zip(all).for_each(|(offset, tap)| *offset = tap.source * row + tap.shift);
        let offsets = offsets.as_slice::<usize>();
        let places = self.images * self.groups * blocks;
        // The first position of a block, and the plane of its first channel.
        let at = |place: usize| (place % blocks * block, place / blocks);
        // Where rows of the sources lie in a block, for all planes.
        let runs: Vec<Runs> = (0..blocks)
            .flat_map(|index| {
                let first = index * block;
                let whole = first..first + block.min(len - first).next_multiple_of(TILE) + reach + 16;
                let sources = self.last().origins();
                sources.map(move |origin| StridedPlane::new(self.last(), origin).runs(whole.clone()))
            })
            .collect();
        let stage = |place: usize, channels: Range<usize>, out: &mut [f32]| {
            let runs = &runs[place % blocks * sources..][..sources];
            let first = place / blocks * self.channels + channels.start;
            // A plane stays in the first cache for all sources.
            let planes = self.x[first * area_in..][..channels.len() * area_in].chunks_exact(area_in);
            for (x, out) in planes.zip(out.chunks_exact_mut(sources * row)) {
                runs.iter().zip(out.chunks_exact_mut(row)).for_each(|(runs, out)| runs.copy(x, out));
            }
        };
        let packed = (self.packs() || plans.len() > 1 || !self.is_row_major()).then(|| {
            let sizes = Sizes { groups: self.groups, rows: self.rows, channels: self.channels, part };
            self.weights.pack(plans, sizes)
        });
        let weight = packed.as_ref().map_or(self.weights.weight, |packed| packed.as_slice());
        let start = Shared(out.as_mut_ptr());
        // One plan's results of a part of the rows in a position. Weights of a plan follow those of the plans
        // before it.
        let run = |place: usize, index: usize, part_index: usize, staged: &[f32], singles: &mut [f32]| {
            let (plan, (first, plane)) = (&plans[index], at(place));
            let before: usize = plans[..index].iter().map(|plan| plan.taps().len()).sum();
            let taps = plan.taps().len();
            let group = plane % self.groups;
            let first_row = part_index * part;
            let start_of_rows = (plane * self.rows + first_row) * area_out;
            let weights = before * self.groups * self.rows + (group * self.rows + first_row) * taps;
            let args = Sweep {
                plan,
                first,
                end: plan.len().min(first + block).max(first),
                staged: staged.as_ptr(),
                channels: self.channels,
                step: sources * row,
                offsets: &offsets[before..before + taps],
                weight: weight[weights * self.channels..].as_ptr(),
                is_packed: packed.is_some(),
                epilogue: self.epilogue.rows(group * self.rows + first_row, start_of_rows),
                rows: part.min(self.rows - first_row),
                out: start.get().wrapping_add(start_of_rows),
                area: area_out,
                is_streamed: self.rows * self.channels >= STREAMED,
                singles: packed.is_none().then_some(singles.as_mut_ptr()),
            };
            // SAFETY: staged rows are as long as tiles may read; each unit has its own results.
            unsafe { sweep(&args) };
        };
        let room = || Buffer::new(SINGLES * self.channels * taps * size_of::<f32>());
        let size = self.channels * sources * row;
        let cost = self.channels * taps * part * block / 8 + 1;
        if parts == 1 && (plans.len() == 1 || places >= parallel::threads() * 4) {
            // Each thread copies its blocks and keeps them in its cache.
            return parallel::for_ranges(places, cost, &|range| {
                let (mut staged, mut singles) = (Buffer::new(size * size_of::<f32>()), room());
                let staged: &mut [f32] = staged.as_mut_slice().expect("a new buffer is unique");
                for place in range {
                    stage(place, 0..self.channels, staged);
                    for plan in 0..plans.len() {
                        run(place, plan, 0, staged, singles.as_mut_slice().expect("a new buffer is unique"));
                    }
                }
            });
        }
        let mut staged = Buffer::new(places * size * size_of::<f32>());
        let all: &mut [f32] = staged.as_mut_slice().expect("a new buffer is unique");
        // Some channels at a time, which share the list of where rows lie.
        let parted = if self.channels.is_multiple_of(8) { 8 } else { 1 };
        let (many, chunk) = (self.channels / parted, parted * sources * row);
        parallel::for_chunks(all, chunk, chunk, &|index, out| {
            let (place, first) = (index / many, index % many * parted);
            stage(place, first..first + parted, out);
        });
        let all = staged.as_slice::<f32>();
        // Plans that write to the same lines of the cache follow each other.
        let units = plans.len() * parts;
        parallel::for_ranges(places * units, cost / plans.len() + 1, &|range| {
            let mut singles = room();
            for unit in range {
                let (place, rest) = (unit / units, unit % units);
                let staged = &all[place * size..];
                let singles = singles.as_mut_slice().expect("a new buffer is unique");
                run(place, rest % plans.len(), rest / plans.len(), staged, singles);
            }
        });
    }
}
