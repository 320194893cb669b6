//! Depthwise convolution of sixteen channels at once with AVX-512: their planes are exchanged so that a
//! vector is one position of all of them. Every lane is used, whatever the width of the planes, and no load
//! crosses a cache line. Sums have the order of [`padded_plane`].

use super::geometry::Geometry;
use super::padded_plane;
use crate::gemm::epilogue::Epilogue;
use crate::kernels::bounds::Vectors;
use crate::kernels::transpose16::{SIDE, transpose};
use crate::memory::Buffer;
use crate::simd::{Lanes, Level, level};
use crate::threads::parallel::{self, Shared};
use core::arch::x86_64::__m512;

/// Most positions of a padded plane, and of a plane without padding: a part of the second cache.
const MOST: usize = 1 << 12;

/// Kernels of fewer taps cost less than exchanging planes does; so many are read without a rest.
const LEAST_TAPS: usize = SIDE;

/// Padded planes of sixteen channels, and where their results go.
#[derive(Clone, Copy)]
struct Planes<'a> {
    g: &'a Geometry,
    x: &'a [f32],
    weight: &'a [f32],
    epilogue: Epilogue<'a>,
    /// Rows, and positions of a row.
    padded: [usize; 2],
    out: Shared<f32>,
}

/// Rows of padded planes and positions of a row, if planes may be exchanged.
fn padded(g: &Geometry) -> Option<[usize; 2]> {
    if level() != Level::V4 || !padded_plane::suits(g) || !g.groups.is_multiple_of(SIDE) {
        return None;
    }
    let [rows, pitch] = [1, 2].map(|d| (g.output[d] - 1) * g.window.stride[d] + g.window.kernel[d]);
    let has_squares = g.area_in() >= SIDE && g.area_out() >= SIDE && g.taps() >= LEAST_TAPS;
    let is_small = rows * pitch <= MOST && g.area_in() <= MOST && g.area_out() <= MOST;
    let is_usual = (1..3).all(|d| g.window.padding[d] < g.window.kernel[d]);
    (has_squares && is_small && is_usual).then_some([rows, pitch])
}

/// `out = weight * x` with its epilogue, for groups of one channel: whether it was computed.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], epilogue: Epilogue<'_>, out: &mut [f32]) -> bool {
    // Threads that have nothing to do cost more than lanes without results.
    let is_shared = g.batch * g.groups / SIDE >= 4 * parallel::threads();
    match padded(g) {
        Some(padded) if is_shared && epilogue.residual.is_none() => {
            compute(g, padded, (x, weight), epilogue, out);
            true
        }
        _ => false,
    }
}

fn compute(
    g: &Geometry,
    padded: [usize; 2],
    (x, weight): (&[f32], &[f32]),
    epilogue: Epilogue<'_>,
    out: &mut [f32],
) {
    let planes = Planes { g, x, weight, epilogue, padded, out: Shared(out.as_mut_ptr()) };
    let (taps, positions) = (g.taps(), padded[0] * padded[1]);
    let turned = g.area_in().max(g.area_out());
    parallel::for_pieces(g.batch * g.groups / SIDE, SIDE * g.area_out() * taps / 8, &|pieces| {
        let mut room = Buffer::new((taps + positions + turned) * SIDE * size_of::<f32>());
        let room = room.as_mut_slice::<f32>().expect("a new buffer is unique");
        let (weight, room) = room.split_at_mut(taps * SIDE);
        let (padded, turned) = room.split_at_mut(positions * SIDE);
        // Planes are copied to the same positions, so that zeros stay.
        padded.fill(0.0);
        for block in pieces.flatten() {
            let mut block = Block { planes: &planes, first: block * SIDE, weight, padded, turned };
            // SAFETY: the machine has AVX-512; the planes are there, and this thread alone has their results.
            unsafe { block.run() };
        }
    });
}

/// Sixteen planes, and room for their copies.
struct Block<'a> {
    planes: &'a Planes<'a>,
    /// The first plane.
    first: usize,
    /// Weights, input between zeros, and positions in their order: sixteen channels of each.
    weight: &'a mut [f32],
    padded: &'a mut [f32],
    turned: &'a mut [f32],
}

impl Block<'_> {
    /// # Safety
    /// The machine has AVX-512, and no other thread writes the results of the planes.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn run(&mut self) {
        let Planes { g, x, weight, epilogue, padded: [rows, pitch], out } = *self.planes;
        let ([_, height, width_in], [_, lines, width_out], [_, above, before]) =
            (g.input, g.output, g.window.padding);
        let (first, channel, taps) = (self.first, self.first % g.groups, g.taps());
        let (area_in, area_out) = (g.area_in(), g.area_out());
        exchange(&weight[channel * taps..][..SIDE * taps], taps, self.weight);
        exchange(&x[first * area_in..][..SIDE * area_in], area_in, self.turned);
        let width = width_in.min(pitch - before);
        for row in above..rows.min(above + height) {
            let from = &self.turned[(row - above) * width_in * SIDE..][..width * SIDE];
            self.padded[(row * pitch + before) * SIDE..][..width * SIDE].copy_from_slice(from);
        }
        // SAFETY: by the contract.
        unsafe {
            let bias = match epilogue.bias {
                Some(bias) => __m512::load(bias[channel..][..SIDE].as_ptr()),
                None => __m512::splat(0.0),
            };
            let bounds = epilogue.channel(channel, 0).bounds.splat::<__m512>();
            let has_sevens = width_out.is_multiple_of(7) && !width_out.is_multiple_of(8);
            for row in 0..lines {
                let mut column = 0;
                while column < width_out {
                    column += match width_out - column {
                        7.. if has_sevens => self.tile::<7>(row, column, bias, bounds),
                        8.. => self.tile::<8>(row, column, bias, bounds),
                        4.. => self.tile::<4>(row, column, bias, bounds),
                        2.. => self.tile::<2>(row, column, bias, bounds),
                        _ => self.tile::<1>(row, column, bias, bounds),
                    };
                }
            }
            let out = out.get().wrapping_add(first * area_out);
            for at in squares(area_out) {
                transpose(out.wrapping_add(at), area_out, self.turned[at * SIDE..].as_ptr(), SIDE);
            }
        }
    }

    /// Computes `T` neighbouring positions of results.
    ///
    /// # Safety
    /// As for [`Block::run`].
    #[inline(always)]
    unsafe fn tile<const T: usize>(
        &mut self,
        row: usize,
        column: usize,
        bias: __m512,
        bounds: Vectors<__m512>,
    ) -> usize {
        let Planes { g, padded: [_, pitch], .. } = *self.planes;
        let ([_, _, width], [_, kernel @ ..], stride) = (g.output, g.window.kernel, g.window.stride[1]);
        let apart = stride * SIDE;
        let last = ((row * stride + kernel[0] - 1) * pitch + (column + T - 1) * stride + kernel[1]) * SIDE;
        assert!(last <= self.padded.len() && self.weight.len() == kernel[0] * kernel[1] * SIDE);
        let first = (row * stride * pitch + column * stride) * SIDE;
        let mut from = self.padded.as_ptr().wrapping_add(first);
        let mut weight = self.weight.as_ptr();
        // SAFETY: positions and weights lie in their rooms, as asserted; the rest by the contract.
        unsafe {
            let mut sums = [bias; T];
            for _ in 0..kernel[0] {
                for tap in 0..kernel[1] {
                    let (factor, from) = (__m512::load(weight), from.wrapping_add(tap * SIDE));
                    for t in 0..T {
                        sums[t] = __m512::load(from.wrapping_add(t * apart)).times_plus(factor, sums[t]);
                    }
                    weight = weight.wrapping_add(SIDE);
                }
                from = from.wrapping_add(pitch * SIDE);
            }
            let out = self.turned[(row * width + column) * SIDE..][..T * SIDE].as_mut_ptr();
            for t in 0..T {
                bounds.apply(sums[t]).store(out.wrapping_add(t * SIDE));
            }
        }
        T
    }
}

/// Firsts of squares that cover `count` positions; the last two of them may overlap.
fn squares(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(SIDE).map(move |at| at.min(count - SIDE))
}

/// Copies sixteen rows of `count` elements, at least as many, so that a position of all rows lies together.
fn exchange(x: &[f32], count: usize, out: &mut [f32]) {
    assert!(count >= SIDE && x.len() >= SIDE * count && out.len() >= SIDE * count);
    for at in squares(count) {
        // SAFETY: the squares lie within both, as asserted.
        unsafe { transpose(out[at * SIDE..].as_mut_ptr(), SIDE, x[at..].as_ptr(), count) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::bounds::Bounds;
    use alloc::{vec, vec::Vec};
    use burn_backend::{ConvOptions, Dims, Shape};

    /// Bits of the results, and of those of planes one by one.
    fn check([height, width]: [usize; 2], kernel: [usize; 2], stride: usize, padding: &[usize]) {
        let (batch, channels) = (2, 2 * SIDE);
        let numbers = |len: usize, seed: usize| -> Vec<f32> {
            (0..len).map(|i| ((i * 7919 + seed * 104_729) % 1013) as f32 / 506.0 - 1.0).collect()
        };
        let options = ConvOptions {
            stride: Dims::from([stride; 2]),
            padding: Dims::from(padding),
            dilation: Dims::from([1; 2]),
            groups: channels,
        };
        let sizes = [0, 1].map(|d| options.output_size(d, [height, width][d], kernel[d]).unwrap());
        let (x, weight) = ([batch, channels, height, width], [channels, 1, kernel[0], kernel[1]]);
        let out = Shape::from([batch, channels, sizes[0], sizes[1]]);
        let g = Geometry::new(&Shape::from(x), &Shape::from(weight), &out, &options);
        let [x, weight] = [x, weight].map(|shape| numbers(shape.iter().product(), shape[1]));
        let bias = numbers(channels, 7);
        for (bias, bounds) in [(None, None), (Some(&bias[..]), Some(Bounds::NONE))] {
            let epilogue = Epilogue { bias, residual: None, bounds };
            let [mut found, mut wanted] = [(); 2].map(|()| vec![9.0_f32; out.num_elements()]);
            let Some(padded) = padded(&g) else {
                // Only a machine without AVX-512 has no such kernel.
                assert_ne!(level(), Level::V4, "{g:?}");
                return;
            };
            compute(&g, padded, (&x, &weight), epilogue, &mut found);
            assert!(padded_plane::forward(&g, &x, &weight, epilogue, &mut wanted));
            let bits = |xs: &[f32]| xs.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&wanted), "{g:?}");
        }
    }

    #[test]
    fn sixteen_channels_have_the_bits_of_planes_one_by_one() {
        check([7, 7], [5, 5], 1, &[2, 2]);
        check([14, 14], [5, 5], 2, &[1, 1, 2, 2]);
        check([14, 14], [5, 5], 1, &[2, 2]);
        check([9, 31], [4, 5], 1, &[3, 0]);
        check([29, 12], [5, 4], 2, &[0, 3, 1, 0]);
        check([4, 4], [7, 7], 1, &[3, 3]);
    }
}
