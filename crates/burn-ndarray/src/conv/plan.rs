//! A convolution as sums over shifted rows.
//!
//! The input of a tap is the same for all results but for a shift: when planes are laid out with enough room behind
//! each row, result `n` of a plane, counted row by row with that room, is the sum over the taps of
//! `weight[tap] * x[n + shift[tap]]`. What falls into the room is computed and thrown away. Strides are several
//! sources: every `stride`-th element of the input, from another first one each.

use super::geometry::{Geometry, Phase};
use crate::buffer::Buffer;
use crate::window::Spatial;

/// Where the results of a pass lie in their plane, and where their taps read.
#[derive(Debug)]
pub struct Plan {
    /// Results along each dimension.
    pub domain: Spatial,
    /// Rows of a slice and elements of a row of the padded planes.
    pub pitch: [usize; 2],
    /// Of the plane that is read: its sizes, the step between neighbours of a source.
    pub input: Spatial,
    pub step: Spatial,
    /// Of the plane that is written: its sizes, the first result, the step between neighbours.
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

/// A tap before shifts are known: the first element of its source, and how far it is shifted along each dimension.
#[derive(Clone)]
struct Reach {
    number: usize,
    origin: [isize; 3],
    shift: Spatial,
}

impl Plan {
    /// Results of the convolution itself. When `narrow`, rows have no room behind them, since each shift along them is
    /// a source of its own: more to copy, less to throw away.
    pub fn forward(g: &Geometry, narrow: bool) -> Self {
        let w = &g.window;
        // A plane that is its own unfolding is one long row.
        let (input, output) =
            if g.is_pointwise() { ([1, 1, g.area_in()], [1, 1, g.area_out()]) } else { (g.input, g.output) };
        let reach = kernel(w.kernel).enumerate().map(|(number, tap)| Reach {
            number,
            origin: core::array::from_fn(|d| {
                (tap[d] * w.dilation[d] % w.stride[d]) as isize - w.padding[d] as isize
            }),
            shift: core::array::from_fn(|d| tap[d] * w.dilation[d] / w.stride[d]),
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
        plan.with(g.taps(), narrow, reach)
    }

    /// The gradient of a phase of the input.
    pub fn backward(g: &Geometry, phase: Phase, narrow: bool) -> Self {
        let (w, remainder) = (&g.window, phase.remainder);
        let most: Spatial = core::array::from_fn(|d| (w.kernel[d] - 1) * w.dilation[d] / w.stride[d]);
        let fits = |tap: &Spatial| (0..3).all(|d| tap[d] * w.dilation[d] % w.stride[d] == remainder[d]);
        let reach = kernel(w.kernel).enumerate().filter(|(_, tap)| fits(tap)).map(|(number, tap)| Reach {
            number,
            origin: core::array::from_fn(|d| phase.window[d] as isize - most[d] as isize),
            shift: core::array::from_fn(|d| most[d] - tap[d] * w.dilation[d] / w.stride[d]),
        });
        let plan = Plan {
            domain: phase.count,
            pitch: [0; 2],
            input: g.output,
            step: [1; 3],
            output: g.input,
            first: phase.first,
            out_step: w.stride,
            origins: Buffer::new(0),
            taps: Buffer::new(0),
        };
        plan.with(g.taps(), narrow, reach)
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
        plan.with(1, false, [Reach { number: 0, origin: [0; 3], shift: [0; 3] }].into_iter())
    }

    fn with(mut self, most: usize, narrow: bool, reach: impl Iterator<Item = Reach> + Clone) -> Self {
        let step = self.step[2];
        let reach = reach.map(move |mut reach| {
            if narrow {
                reach.origin[2] += (reach.shift[2] * step) as isize;
                reach.shift[2] = 0;
            }
            reach
        });
        let widest = |d: usize| reach.clone().map(|reach| reach.shift[d]).max().unwrap_or(0);
        self.pitch = [self.domain[1] + widest(1), self.domain[2] + widest(2)];
        self.taps = Buffer::new(most * 3 * size_of::<usize>());
        self.origins = Buffer::new(most * 3 * size_of::<isize>());
        let taps: &mut [usize] = self.taps.as_mut_slice().expect("a new buffer is unique");
        let origins: &mut [isize] = self.origins.as_mut_slice().expect("a new buffer is unique");
        let (mut count, mut sources) = (0, 0);
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

/// The taps of a kernel, in order.
fn kernel([depth, height, width]: Spatial) -> impl Iterator<Item = Spatial> + Clone {
    (0..depth).flat_map(move |a| (0..height).flat_map(move |b| (0..width).map(move |c| [a, b, c])))
}

fn shortened<E: bytemuck::Pod>(buffer: &Buffer, len: usize) -> Buffer {
    let mut short = Buffer::new(len * size_of::<E>());
    short.as_mut_slice::<E>().expect("a new buffer is unique").copy_from_slice(&buffer.as_slice()[..len]);
    short
}
