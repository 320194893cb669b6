//! Pooling: each plane (a channel of an image) on its own.

use crate::cast::cast;
use crate::dtype::{wide, with_wide};
use crate::number::Number;
use crate::parallel::{self, Shared};
use crate::tensor::NdTensor;
use crate::window::{SPATIAL, Spatial, Window, spatial};
use burn_backend::{DType, HasSpec, PoolArgs, PoolGradArgs, PoolKind, PoolOptions, Shape, TensorSpec};
use core::ops::Range;

/// Elements of a plane that a window covers: one range for each spatial dimension, and the step between them.
type Cover = [(Range<usize>, usize); SPATIAL];

/// How windows lie over a plane.
#[derive(Clone, Copy, Debug)]
enum Windows {
    Strided(Window),
    /// Window `i` of `n` is `floor(i size / n)..ceil((i + 1) size / n)`.
    Adaptive(Spatial),
}

impl Windows {
    #[inline(always)]
    fn cover(&self, d: usize, i: usize, size: usize) -> (Range<usize>, usize) {
        match self {
            Windows::Strided(window) => {
                let taps = window.taps(d, i, size);
                if taps.is_empty() {
                    return (0..0, 1);
                }
                (window.element(d, i, taps.start)..window.element(d, i, taps.end - 1) + 1, window.dilation[d])
            }
            Windows::Adaptive(count) => (i * size / count[d]..((i + 1) * size).div_ceil(count[d]), 1),
        }
    }

    /// Calls `f` with each output of a plane, in order, and what its window covers.
    #[inline(always)]
    fn for_each(&self, size: Spatial, out: Spatial, mut f: impl FnMut(usize, &Cover)) {
        let mut at = 0;
        for i in 0..out[0] {
            let depths = self.cover(0, i, size[0]);
            for j in 0..out[1] {
                let heights = self.cover(1, j, size[1]);
                for k in 0..out[2] {
                    f(at, &[depths.clone(), heights.clone(), self.cover(2, k, size[2])]);
                    at += 1;
                }
            }
        }
    }
}

/// Calls `f` with the index in its plane of each covered element, in order.
#[inline(always)]
fn for_covered(size: Spatial, [depths, heights, widths]: &Cover, mut f: impl FnMut(usize)) {
    for i in depths.0.clone().step_by(depths.1) {
        for j in heights.0.clone().step_by(heights.1) {
            let row = (i * size[1] + j) * size[2];
            for k in widths.0.clone().step_by(widths.1) {
                f(row + k);
            }
        }
    }
}

fn count(cover: &Cover) -> usize {
    cover.iter().map(|(range, step)| range.len().div_ceil(*step)).product()
}

fn area(size: Spatial) -> usize {
    size.iter().product()
}

fn sizes(shape: &Shape) -> Spatial {
    spatial(&shape[2..], 1)
}

fn pooled_shape(shape: &Shape, options: &PoolOptions) -> Shape {
    let size = |d: usize| options.output_size(d, shape[d + 2]).expect("checked by the caller");
    shape[..2].iter().copied().chain((0..options.kernel.len()).map(size)).collect()
}

fn strided(options: &PoolOptions) -> Windows {
    Windows::Strided(Window::new(&options.kernel, &options.stride, &options.padding, &options.dilation))
}

/// A kernel of one plane: its number, its input, its output.
type Plane<'a, E> = &'a (dyn Fn(usize, &[E], &mut [E]) + Sync);

/// Runs `f(plane, input, output)` for each plane of a pooling.
fn planes<E: Number>(x: &NdTensor, out: &mut NdTensor, f: Plane<'_, E>) {
    let (from, to) = (area(sizes(x.shape())), area(sizes(out.shape())));
    let xs: &[E] = x.slice();
    parallel::for_chunks(out.make_mut::<E>(), to.max(1), (from + to) * 4, &|plane, out| {
        f(plane, &xs[plane * from..][..from], out);
    });
}

pub fn pool(args: PoolArgs<NdTensor>) -> NdTensor {
    let PoolArgs { kind, x, options } = args;
    let shape = pooled_shape(x.shape(), &options);
    match kind {
        PoolKind::Max => max_pool(x, shape, &options, None),
        PoolKind::Avg { count_include_pad } => {
            let divisor = count_include_pad.then(|| options.kernel.iter().product());
            means(x, shape, strided(&options), divisor)
        }
    }
}

pub fn adaptive_avg_pool(x: NdTensor, size: &[usize]) -> NdTensor {
    let shape = x.shape()[..2].iter().chain(size).copied().collect();
    means(x, shape, Windows::Adaptive(spatial(size, 1)), None)
}

/// Means of windows; of the covered elements, or of `divisor` of which the others are 0.
fn means(x: NdTensor, shape: Shape, windows: Windows, divisor: Option<usize>) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let (size, out_size) = (sizes(x.shape()), sizes(&shape));
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!(wide(dtype), E => planes(&x, &mut out, &|_, xs: &[E], out: &mut [E]| {
        windows.for_each(size, out_size, |at, cover| {
            let mut sum = E::ZERO;
            for_covered(size, cover, |i| sum = sum.plus(xs[i]));
            out[at] = sum.over(E::of(divisor.unwrap_or_else(|| count(cover))));
        });
    }));
    cast(out, dtype)
}

pub fn max_pool_with_indices(x: NdTensor, options: &PoolOptions, index: DType) -> (NdTensor, NdTensor) {
    let shape = pooled_shape(x.shape(), options);
    let mut indices = NdTensor::new(TensorSpec { shape: shape.clone(), dtype: DType::I64 });
    let values = max_pool(x, shape, options, Some(&mut indices));
    (values, cast(indices, index))
}

fn max_pool(x: NdTensor, shape: Shape, options: &PoolOptions, indices: Option<&mut NdTensor>) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let (size, out_size, windows) = (sizes(x.shape()), sizes(&shape), strided(options));
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    let indices = indices.map(|indices| Shared(indices.make_mut::<i64>().as_mut_ptr()));
    with_wide!(wide(dtype), E => {
        planes(&x, &mut out, &|plane, xs: &[E], out: &mut [E]| {
            let first = plane * area(out_size);
            windows.for_each(size, out_size, |at, cover| {
                let winner = winner(xs, size, cover);
                out[at] = winner.map_or(E::LOWEST, |i| xs[i]);
                if let Some(indices) = &indices {
                    // SAFETY: indices have the shape of the output; each plane is visited once.
                    unsafe { indices.get().add(first + at).write(winner.unwrap_or(0) as i64) };
                }
            });
        });
    });
    cast(out, dtype)
}

/// The first of the largest covered elements; NaN is larger than everything.
#[inline(always)]
fn winner<E: Number>(xs: &[E], size: Spatial, cover: &Cover) -> Option<usize> {
    let (mut best, mut value) = (None, E::LOWEST);
    for_covered(size, cover, |i| {
        let x = xs[i];
        if best.is_none() || x > value || (x.is_nan() && !value.is_nan()) {
            (best, value) = (Some(i), x);
        }
    });
    best
}

pub fn pool_grad(args: PoolGradArgs<NdTensor>) -> NdTensor {
    let PoolGradArgs { kind, grad, x, target, options } = args;
    match kind {
        PoolKind::Max => max_pool_grad(grad, x.expect("max pooling needs its input"), &options),
        PoolKind::Avg { count_include_pad } => {
            let divisor = count_include_pad.then(|| options.kernel.iter().product());
            spread(grad, target, strided(&options), divisor)
        }
    }
}

pub fn adaptive_avg_pool_grad(grad: NdTensor, target: Shape) -> NdTensor {
    let windows = Windows::Adaptive(sizes(grad.shape()));
    spread(grad, target, windows, None)
}

/// Gradient of [`means`].
fn spread(grad: NdTensor, target: Shape, windows: Windows, divisor: Option<usize>) -> NdTensor {
    let dtype = grad.spec().dtype;
    let grad = cast(grad, wide(dtype)).into_contiguous();
    let (size, out_size) = (sizes(&target), sizes(grad.shape()));
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    with_wide!(wide(dtype), E => planes(&grad, &mut out, &|_, grad: &[E], out: &mut [E]| {
        out.fill(E::ZERO);
        windows.for_each(size, out_size, |at, cover| {
            let share = grad[at].over(E::of(divisor.unwrap_or_else(|| count(cover))));
            for_covered(size, cover, |i| out[i] = out[i].plus(share));
        });
    }));
    cast(out, dtype)
}

fn max_pool_grad(grad: NdTensor, x: NdTensor, options: &PoolOptions) -> NdTensor {
    let dtype = grad.spec().dtype;
    let (grad, x) = (cast(grad, wide(dtype)).into_contiguous(), cast(x, wide(dtype)).into_contiguous());
    let (size, out_size, windows) = (sizes(x.shape()), sizes(grad.shape()), strided(options));
    let mut out = NdTensor::new(x.spec().clone());
    with_wide!(wide(dtype), E => {
        let xs = x.slice::<E>();
        planes(&grad, &mut out, &|plane, grad: &[E], out: &mut [E]| {
            let xs = &xs[plane * area(size)..][..area(size)];
            out.fill(E::ZERO);
            windows.for_each(size, out_size, |at, cover| {
                if let Some(i) = winner(xs, size, cover) {
                    out[i] = out[i].plus(grad[at]);
                }
            });
        });
    });
    cast(out, dtype)
}
