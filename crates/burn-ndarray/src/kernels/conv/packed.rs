//! Weights in the order in which the tiles of a sweep read them: tile by tile, and in a tile the weights of
//! its rows side by side. Rows as they lie are read with steps that often are multiples of what caches map to
//! the same lines.

use super::plan::Plan;
use super::sweep::height;
use crate::memory::Buffer;
use crate::simd::{Lanes, with_lanes};
use crate::threads::parallel;

/// Where the weights of a pass lie: elements from one row of results to the next, and from one channel that
/// is read to the next.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    pub weight: &'a [f32],
    pub row: usize,
    pub channel: usize,
    /// From one group to the next.
    pub group: usize,
}

impl Weights<'_> {
    /// The weights of all groups, each in parts of `part` rows: those of one plan after those of another.
    pub fn pack(&self, plans: &[Plan], sizes: Sizes) -> Buffer {
        let Sizes { groups, rows, channels, part } = sizes;
        let taps: usize = plans.iter().map(|plan| plan.taps().len()).sum();
        let parts = rows.div_ceil(part);
        let mut packed = Buffer::new(groups * rows * channels * taps * size_of::<f32>());
        let out: &mut [f32] = packed.as_mut_slice().expect("a new buffer is unique");
        let mut numbers = Buffer::new(taps * size_of::<usize>());
        let list: &mut [usize] = numbers.as_mut_slice().expect("a new buffer is unique");
        let all = plans.iter().flat_map(Plan::taps);
        list.iter_mut().zip(all).for_each(|(number, tap)| *number = tap.number);
        let numbers = numbers.as_slice::<usize>();
        let start = parallel::Shared(out.as_mut_ptr());
        let units = groups * parts;
        let cost = part * channels * taps.div_ceil(plans.len()) * 2;
        parallel::for_ranges(plans.len() * units, cost, &|range| {
            for unit in range {
                let (plan, unit) = (unit / units, unit % units);
                let before: usize = plans[..plan].iter().map(|plan| plan.taps().len()).sum();
                let numbers = &numbers[before..before + plans[plan].taps().len()];
                let (group, first) = (unit / parts, unit % parts * part);
                let rows_here = part.min(rows - first);
                let place = before * groups * rows + (group * rows + first) * numbers.len();
                // SAFETY: each unit has its own part of the buffer.
                let out = unsafe {
                    let start = start.get().add(place * channels);
                    core::slice::from_raw_parts_mut(start, rows_here * channels * numbers.len())
                };
                let from = &self.weight[group * self.group + first * self.row..];
                let args = WeightPart { from, row: self.row, channel: self.channel, numbers, channels };
                // SAFETY: `args` and `out` are slices, which the function indexes with checks.
                unsafe { pack_part(&args, out) };
            }
        });
        packed
    }
}

/// Sizes of packed weights: channels and rows of a group, and the rows of a unit of work.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub groups: usize,
    pub rows: usize,
    pub channels: usize,
    pub part: usize,
}

struct WeightPart<'a> {
    from: &'a [f32],
    row: usize,
    channel: usize,
    /// The taps of the plan by their numbers in the kernel.
    numbers: &'a [usize],
    channels: usize,
}

with_lanes! { fn pack_part(args: &WeightPart<'_>, out: &mut [f32]) = tile_by_tile }

/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn tile_by_tile<V: Lanes, const R: usize, const N: usize>(args: &WeightPart<'_>, out: &mut [f32]) {
    let depth = args.channels * args.numbers.len();
    let (mut row, mut rest) = (0, out);
    while !rest.is_empty() {
        let m = height::<R>(rest.len() / depth);
        let (tile, behind) = rest.split_at_mut(m * depth);
        let mut places = tile.chunks_exact_mut(m);
        for channel in 0..args.channels {
            let from = &args.from[row * args.row + channel * args.channel..];
            for (&number, out) in args.numbers.iter().zip(&mut places) {
                out.iter_mut().enumerate().for_each(|(i, out)| *out = from[i * args.row + number]);
            }
        }
        (row, rest) = (row + m, behind);
    }
}
