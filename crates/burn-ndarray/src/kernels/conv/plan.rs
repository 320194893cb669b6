//! A convolution as sums over shifted rows.
//!
//! The input of a tap is the same for all results but for a shift: when planes are laid out with enough room
//! after each row, result `n` of a plane, counted row by row with that room, is the sum over the taps of
//! `weight[tap] * x[n + shift[tap]]`. What falls into the room is computed and thrown away, so there is as
//! little as can be: the zeros before a row are those after the row before. Strides are several sources:
//! every `stride`-th element of the input, from another first one each.

use super::geometry::{Geometry, Phase};
use crate::kernels::window::Spatial;
use crate::memory::Buffer;
use alloc::vec::Vec;

/// Where the results of a pass lie in their plane, and where their taps read.
#[derive(Debug)]
pub struct Plan {
    /// Results along each dimension.
    pub domain: Spatial,
    /// Rows of a slice and elements of a row of the padded planes.
    pub pitch: [usize; 2],
    /// Sizes of the plane that is read, and the step between neighbours of a source.
    pub input: Spatial,
    pub step: Spatial,
    /// Sizes of the plane that is written, its first result, and the step between neighbours.
    pub output: Spatial,
    pub first: Spatial,
    pub out_step: Spatial,
    /// For each source the first element it reads, which may lie before the plane.
    origins: Buffer,
    /// For each tap its source, its shift, and its number in the kernel.
    taps: Buffer,
}

/// A tap that a plan reads.
#[derive(Clone, Copy, Debug)]
pub struct PlanTap {
    pub source: usize,
    pub shift: usize,
    pub number: usize,
}

/// A tap before shifts are known: the first element of its source, and how far it is shifted along each
/// dimension.
#[derive(Clone)]
struct Reach {
    number: usize,
    origin: [isize; 3],
    shift: Spatial,
}

impl Reach {
    /// The same element, as the first of a source along the rows; elements of a source are `step` apart.
    fn narrow(mut self, step: usize) -> Self {
        self.origin[2] += (self.shift[2] * step) as isize;
        self.shift[2] = 0;
        self
    }
}

impl Plan {
    /// Results of the convolution itself. When `narrow`, rows have no room after them, since each shift
    /// along them is a source of its own: more to copy, less to throw away.
    pub fn forward(g: &Geometry, narrow: bool) -> Self {
        let w = &g.window;
        // A plane that is its own unfolding is one long row.
        let (input, output) =
            if g.is_pointwise() { ([1, 1, g.area_in()], [1, 1, g.area_out()]) } else { (g.input, g.output) };
        let reach = kernel(w.kernel).enumerate().map(|(number, tap)| {
            let reach = Reach {
                number,
                origin: core::array::from_fn(|d| {
                    (tap[d] * w.dilation[d] % w.stride[d]) as isize - w.padding[d] as isize
                }),
                shift: core::array::from_fn(|d| tap[d] * w.dilation[d] / w.stride[d]),
            };
            if narrow { reach.narrow(w.stride[2]) } else { reach }
        });
        let plan = Plan {
            domain: output,
            pitch: [0; 2],
            input,
            step: w.stride,
            output,
            first: [0; 3],
            out_step: [1; 3],
            origins: Buffer::new(0),
            taps: Buffer::new(0),
        };
        let pitch = plan.least_pitch(reach.clone());
        plan.with(g.taps(), pitch, &[], reach)
    }

    /// The gradients of the phases of the input that have elements. All of them read the sources of the last,
    /// and are counted with the same room, so that one copy of the input does for all.
    pub fn backward(g: &Geometry, narrow: bool) -> Vec<Self> {
        let w = &g.window;
        let lowest = core::array::from_fn(|d| lowest_read(g, d));
        let phases = g.phases().filter(|phase| !phase.count.contains(&0));
        let reach = |phase: Phase| {
            let fits = move |tap: &Spatial| {
                (0..3).all(|d| tap[d] * w.dilation[d] % w.stride[d] == phase.remainder[d])
            };
            kernel(w.kernel).enumerate().filter(move |(_, tap)| fits(tap)).map(move |(number, tap)| {
                let window =
                    |d: usize| phase.window[d] as isize - (tap[d] * w.dilation[d] / w.stride[d]) as isize;
                let shift = core::array::from_fn(|d| (window(d) - lowest[d]) as usize);
                let reach = Reach { number, origin: lowest, shift };
                if narrow { reach.narrow(1) } else { reach }
            })
        };
        let mut plans: Vec<Plan> = phases
            .clone()
            .map(|phase| Plan {
                domain: phase.count,
                pitch: [0; 2],
                input: g.output,
                step: [1; 3],
                output: g.input,
                first: phase.first,
                out_step: w.stride,
                origins: Buffer::new(0),
                taps: Buffer::new(0),
            })
            .collect();
        let pitches = plans.iter().zip(phases.clone()).map(|(plan, phase)| plan.least_pitch(reach(phase)));
        let pitch = pitches.fold([0; 2], |most, pitch| core::array::from_fn(|d| pitch[d].max(most[d])));
        let mut known = Buffer::new(0);
        for (slot, phase) in plans.iter_mut().zip(phases) {
            let plan = core::mem::replace(slot, Plan::product(0));
            *slot = plan.with(g.taps(), pitch, known.as_slice(), reach(phase));
            known = slot.origins.clone();
        }
        plans
    }

    /// A matrix product: `len` results in one row, one tap.
    pub fn product(len: usize) -> Self {
        let row = [1, 1, len];
        let plan = Plan {
            domain: row,
            pitch: [0; 2],
            input: row,
            step: [1; 3],
            output: row,
            first: [0; 3],
            out_step: [1; 3],
            origins: Buffer::new(0),
            taps: Buffer::new(0),
        };
        plan.with(1, [1, len], &[], [Reach { number: 0, origin: [0; 3], shift: [0; 3] }].into_iter())
    }

    /// Rows of a slice and elements of a row that suffice: a read beyond the end of a row meets zeros before
    /// the next one, and all that is read of a row of the input has a position in its own.
    fn least_pitch(&self, reach: impl Iterator<Item = Reach>) -> [usize; 2] {
        let mut pitch = [self.domain[1], self.domain[2]];
        for Reach { origin, shift, .. } in reach {
            for d in 1..3 {
                let zeros = (-origin[d]).max(0) as usize;
                let zeros = zeros.div_ceil(self.step[d]);
                let last = (self.input[d] as isize - origin[d]).max(0) as usize;
                let last = last.div_ceil(self.step[d]);
                let read = self.domain[d] + shift[d];
                pitch[d - 1] = pitch[d - 1].max(read.saturating_sub(zeros)).max(last.min(read));
            }
        }
        pitch
    }

    /// The plan with its taps; the first sources are those in `known`.
    fn with(
        mut self,
        most: usize,
        pitch: [usize; 2],
        known: &[isize],
        reach: impl Iterator<Item = Reach>,
    ) -> Self {
        self.pitch = pitch;
        self.taps = Buffer::new(most * 3 * size_of::<usize>());
        self.origins = Buffer::new(size_of_val(known) + most * 3 * size_of::<isize>());
        let taps: &mut [usize] = self.taps.as_mut_slice().expect("a new buffer is unique");
        let origins: &mut [isize] = self.origins.as_mut_slice().expect("a new buffer is unique");
        origins[..known.len()].copy_from_slice(known);
        let (mut count, mut sources) = (0, known.len() / 3);
        for Reach { number, origin, shift } in reach {
            let known = origins[..sources * 3].chunks_exact(3).position(|known| *known == origin);
            let source = known.unwrap_or_else(|| {
                origins[sources * 3..][..3].copy_from_slice(&origin);
                sources += 1;
                sources - 1
            });
            let shift = (shift[0] * self.pitch[0] + shift[1]) * self.pitch[1] + shift[2];
            taps[count * 3..][..3].copy_from_slice(&[source, shift, number]);
            count += 1;
        }
        self.taps = shortened::<usize>(&self.taps, count * 3);
        self.origins = shortened::<isize>(&self.origins, sources * 3);
        self
    }

    pub fn taps(&self) -> impl ExactSizeIterator<Item = PlanTap> + '_ {
        let taps = self.taps.as_slice::<usize>().chunks_exact(3);
        taps.map(|tap| PlanTap { source: tap[0], shift: tap[1], number: tap[2] })
    }

    pub fn origins(&self) -> impl ExactSizeIterator<Item = [isize; 3]> + '_ {
        let origins = self.origins.as_slice::<isize>().chunks_exact(3);
        origins.map(|origin| [origin[0], origin[1], origin[2]])
    }

    /// Whether results lie in their plane as they are counted.
    pub fn is_flat(&self) -> bool {
        let whole = self.domain[0] == 1 || self.pitch[0] == self.domain[1];
        self.domain == self.output && self.out_step == [1; 3] && whole && self.pitch[1] == self.domain[2]
    }

    /// Whether tiles of vectors of so many lanes end with rows of results: they are stored as they are, and
    /// the room after rows is not computed.
    pub fn is_stored_by_rows(&self, lanes: usize) -> bool {
        self.out_step == [1; 3] && self.domain[2].is_multiple_of(lanes) && !self.is_flat()
    }

    /// Results of a plane, with the room between them.
    pub fn len(&self) -> usize {
        if self.domain.contains(&0) {
            return 0;
        }
        let [depth, height, width] = self.domain;
        ((depth - 1) * self.pitch[0] + height - 1) * self.pitch[1] + width
    }

    /// How far taps are shifted at most.
    pub fn reach(&self) -> usize {
        self.taps().map(|tap| tap.shift).max().unwrap_or(0)
    }

    /// Slice, row and column of result `n`.
    pub fn place(&self, n: usize) -> Spatial {
        let (row, column) = (n / self.pitch[1], n % self.pitch[1]);
        [row / self.pitch[0], row % self.pitch[0], column]
    }
}

/// The first window along dimension `d` that an element of the input belongs to, counted from the first
/// window of all.
fn lowest_read(g: &Geometry, d: usize) -> isize {
    let w = &g.window;
    let reads = (0..w.kernel[d]).map(|tap| {
        let (steps, remainder) = (tap * w.dilation[d] / w.stride[d], tap * w.dilation[d] % w.stride[d]);
        let first = w.padding[d].saturating_sub(remainder).div_ceil(w.stride[d]);
        first as isize - steps as isize
    });
    reads.min().unwrap_or(0)
}

/// The taps of a kernel, in order.
fn kernel([depth, height, width]: Spatial) -> impl Iterator<Item = Spatial> + Clone {
    (0..depth).flat_map(move |a| (0..height).flat_map(move |b| (0..width).map(move |c| [a, b, c])))
}

fn shortened<E: bytemuck::Pod>(buffer: &Buffer, len: usize) -> Buffer {
    let mut short = Buffer::new(len * size_of::<E>());
    short.as_mut_slice::<E>().expect("a new buffer is unique").copy_from_slice(&buffer.as_slice()[..len]);
    short
}
