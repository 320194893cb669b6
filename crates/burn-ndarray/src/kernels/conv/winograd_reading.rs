//! How convolutions with strides and in three dimensions are sums of those that Winograd's transforms are
//! for.
//!
//! Taps along the first dimension read the same transformed slices, each tap a few slices further. Where a
//! slice has too many tiles for that, they are readings too.

use super::geometry::{Geometry, Phase};
use super::winograd_points::RESULTS;
use crate::kernels::window::Spatial;

/// The readings of a channel, each with its own taps: one for each phase of a stride, since every `stride`-th
/// element of the input from the same first one meets every `stride`-th tap.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Readings along each dimension, an element apart.
    count: Spatial,
    /// The first element of the first one, and the step between neighbours.
    origin: [isize; 3],
    pub step: Spatial,
    /// The first tap of the first one, and the steps to those of the next along each dimension.
    tap: usize,
    tap_step: [isize; 3],
    /// Taps along the first dimension, and the step between neighbours.
    pub slices: usize,
    deep: isize,
    /// Taps down and along the rows, and the steps between neighbours.
    pub taps: [usize; 2],
    pub down: isize,
    pub right: isize,
}

impl Reading {
    /// Reads the input of the convolution.
    pub fn forward(g: &Geometry) -> Option<Self> {
        let taps = taps(g)?;
        let (kernel, stride) = (g.window.kernel, g.window.stride);
        let (slice, row) = ((kernel[1] * kernel[2]) as isize, kernel[2] as isize);
        Some(Reading {
            count: stride,
            origin: g.window.padding.map(|padding| -(padding as isize)),
            step: stride,
            tap: 0,
            tap_step: [slice, row, 1],
            slices: kernel[0] / stride[0],
            deep: slice * stride[0] as isize,
            taps,
            down: row * stride[1] as isize,
            right: stride[2] as isize,
        })
    }

    /// Reads the output's gradient for the gradient of a phase of the input.
    pub fn backward(g: &Geometry, phase: Phase) -> Option<Self> {
        let taps = taps(g)?;
        let (kernel, stride) = (g.window.kernel, g.window.stride);
        let last: Spatial = core::array::from_fn(|d| kernel[d] / stride[d] - 1);
        let tap: Spatial = core::array::from_fn(|d| last[d] * stride[d] + phase.remainder[d]);
        let (slice, row) = ((kernel[1] * kernel[2]) as isize, kernel[2] as isize);
        Some(Reading {
            count: [1; 3],
            origin: core::array::from_fn(|d| phase.window[d] as isize - last[d] as isize),
            step: [1; 3],
            tap: (tap[0] * kernel[1] + tap[1]) * kernel[2] + tap[2],
            tap_step: [-slice * stride[0] as isize, 0, 0],
            slices: kernel[0] / stride[0],
            deep: -slice * stride[0] as isize,
            taps,
            down: -row * stride[1] as isize,
            right: -(stride[2] as isize),
        })
    }

    /// With a reading for each tap along the first dimension.
    pub fn split_slices(mut self) -> Self {
        self.count[0] *= self.slices;
        self.slices = 1;
        self
    }

    /// From this slice on.
    pub fn start(&mut self, slice: isize) {
        self.origin[0] = slice;
    }

    /// How often a channel is read.
    pub fn len(&self) -> usize {
        self.count.iter().product()
    }

    /// Points of the transforms down and along the rows.
    pub fn points(&self) -> [usize; 2] {
        self.taps.map(|taps| if taps == 1 { 1 } else { taps + RESULTS - 1 })
    }

    /// Distinguishes readings of the same weights in a convolution. Kernels have at most 1024 elements, and
    /// so have all strides together; kernels of several rows have as many taps down as along the rows.
    #[cfg(feature = "std")]
    pub fn kind(&self) -> usize {
        let taps = self.taps[1] + if self.taps[0] == 1 { 8 } else { 0 };
        (self.slices << 21) + (self.count[0] << 10) + (self.count[1] << 4) + taps
    }

    fn place(&self, reading: usize) -> Spatial {
        let [_, height, width] = self.count;
        [reading / (height * width), reading / width % height, reading % width]
    }

    /// The first element that a reading sees.
    pub fn origin(&self, reading: usize) -> [isize; 3] {
        let place = self.place(reading);
        core::array::from_fn(|d| self.origin[d] + place[d] as isize)
    }

    /// The first tap of a reading in one of its slices.
    pub fn first_tap(&self, reading: usize, slice: usize) -> usize {
        let place = self.place(reading);
        let step: isize = (0..3).map(|d| place[d] as isize * self.tap_step[d]).sum();
        self.tap.wrapping_add_signed(step + slice as isize * self.deep)
    }
}

/// Taps of a phase down and along the rows, if there are as many in all phases, and every result has a tap in
/// the input: rounding errors of a tile are of the size of its largest results.
fn taps(g: &Geometry) -> Option<[usize; 2]> {
    let w = &g.window;
    let taps = [1, 2].map(|d| w.kernel[d] / w.stride[d]);
    let fits = (0..3).all(|d| {
        let padding = w.padding[d].max(g.padding_after(d));
        padding < w.kernel[d] && w.kernel[d].is_multiple_of(w.stride[d])
    }) && w.dilation == [1; 3]
        && g.groups == 1;
    let is_known = match taps {
        [2, 2] | [3, 3] => w.stride[1] == w.stride[2],
        [1, 3] | [1, 5] => w.stride == [1; 3] && w.kernel[0] == 1,
        _ => false,
    };
    (fits && is_known).then_some(taps)
}
