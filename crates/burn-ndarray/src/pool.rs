//! Pooling: each plane (a channel of an image) on its own, a row of results at a time, tap by tap.

use crate::buffer::Buffer;
use crate::cast::cast;
use crate::dtype::{wide, with_wide};
use crate::number::Number;
use crate::parallel;
use crate::tensor::NdTensor;
use crate::window::{SPATIAL, Spatial, Tap, Taps, Window, spatial};
use burn_backend::{DType, Dims, HasSpec, PoolArgs, PoolGradArgs, PoolKind, PoolOptions, Shape, TensorSpec};

/// The planes of a pooling and how windows lie over them.
#[derive(Clone, Copy, Debug)]
struct Planes {
    window: Window,
    taps: Taps,
    input: Spatial,
    output: Spatial,
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

impl Planes {
    fn new(input: &Shape, output: &Shape, options: &PoolOptions) -> Self {
        let PoolOptions { kernel, stride, padding, dilation } = options;
        let window = Window::new(kernel, stride, padding, dilation);
        let (input, output) = (sizes(input), sizes(output));
        Planes { window, taps: Taps::new(&window, input[2], output[2]), input, output }
    }

    /// Number of rows of results.
    fn rows(&self) -> usize {
        self.output[0] * self.output[1]
    }

    /// Calls `f(column, start)` for each tap of a row of results: results `column` read the elements of the plane
    /// from `start` on, `stride` apart.
    #[inline(always)]
    fn for_taps(&self, row: usize, mut f: impl FnMut(core::ops::Range<usize>, usize)) {
        let (window, [depth, height, width]) = (&self.window, self.input);
        let (i, j) = (row / self.output[1], row % self.output[1]);
        for a in window.taps(0, i, depth) {
            for b in window.taps(1, j, height) {
                let line = (window.element(0, i, a) * height + window.element(1, j, b)) * width;
                for c in 0..window.kernel[2] {
                    let Tap { first, end, element } = self.taps.get(c);
                    if first < end {
                        f(first..end, line + element);
                    }
                }
            }
        }
    }

    /// How many elements the windows of a row of results cover, for each column.
    fn counts(&self, row: usize) -> impl Fn(usize) -> usize + '_ {
        let (i, j) = (row / self.output[1], row % self.output[1]);
        let rows = self.window.taps(0, i, self.input[0]).len() * self.window.taps(1, j, self.input[1]).len();
        move |column| rows * self.window.taps(2, column, self.input[2]).len()
    }
}

/// A kernel of one plane: its number, its input, its output.
type Kernel<'a, E> = &'a (dyn Fn(usize, &[E], &mut [E]) + Sync);

fn for_planes<E: Number>(x: &NdTensor, out: &mut NdTensor, f: Kernel<'_, E>) {
    let (from, to) = (area(sizes(x.shape())), area(sizes(out.shape())));
    let xs: &[E] = x.slice();
    parallel::for_chunks(out.make_mut::<E>(), to.max(1), (from + to) * 4, &|plane, out| {
        f(plane, &xs[plane * from..][..from], out);
    });
}

/// `out[k] = f(out[k], xs[k * stride])`.
#[inline(always)]
fn gather<E: Number>(out: &mut [E], xs: &[E], stride: usize, f: impl Fn(E, E) -> E) {
    let xs = &xs[..(out.len() - 1) * stride + 1];
    match stride {
        1 => out.iter_mut().zip(xs).for_each(|(out, &x)| *out = f(*out, x)),
        2 => out.iter_mut().zip(xs.chunks(2)).for_each(|(out, xs)| *out = f(*out, xs[0])),
        3 => out.iter_mut().zip(xs.chunks(3)).for_each(|(out, xs)| *out = f(*out, xs[0])),
        _ => out.iter_mut().zip(xs.chunks(stride)).for_each(|(out, xs)| *out = f(*out, xs[0])),
    }
}

/// `out[k * stride] += xs[k]`.
#[inline(always)]
fn spread<E: Number>(out: &mut [E], xs: &[E], stride: usize) {
    let out = &mut out[..(xs.len() - 1) * stride + 1];
    match stride {
        1 => out.iter_mut().zip(xs).for_each(|(out, &x)| *out = out.plus(x)),
        2 => out.chunks_mut(2).zip(xs).for_each(|(out, &x)| out[0] = out[0].plus(x)),
        3 => out.chunks_mut(3).zip(xs).for_each(|(out, &x)| out[0] = out[0].plus(x)),
        _ => out.chunks_mut(stride).zip(xs).for_each(|(out, &x)| out[0] = out[0].plus(x)),
    }
}

pub fn pool(args: PoolArgs<NdTensor>) -> NdTensor {
    let PoolArgs { kind, x, options } = args;
    let shape = pooled_shape(x.shape(), &options);
    match kind {
        PoolKind::Max => max_pool(x, shape, &options),
        PoolKind::Avg { count_include_pad } => mean_pool(x, shape, &options, count_include_pad),
    }
}

pub fn pool_grad(args: PoolGradArgs<NdTensor>) -> NdTensor {
    let PoolGradArgs { kind, grad, x, target, options } = args;
    match kind {
        PoolKind::Max => max_pool_grad(grad, x.expect("max pooling needs its input"), &options),
        PoolKind::Avg { count_include_pad } => mean_pool_grad(grad, target, &options, count_include_pad),
    }
}

fn mean_pool(x: NdTensor, shape: Shape, options: &PoolOptions, include_pad: bool) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let planes = Planes::new(x.shape(), &shape, options);
    let (taps, stride, width) = (area(planes.window.kernel), planes.window.stride[2], planes.output[2]);
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!(wide(dtype), E => for_planes(&x, &mut out, &|_, xs: &[E], out: &mut [E]| {
        for (row, out) in out.chunks_exact_mut(width).enumerate() {
            out.fill(E::ZERO);
            planes.for_taps(row, |columns, start| {
                gather(&mut out[columns], &xs[start..], stride, E::plus);
            });
            let counts = planes.counts(row);
            for (column, out) in out.iter_mut().enumerate() {
                *out = out.over(E::of(if include_pad { taps } else { counts(column) }));
            }
        }
    }));
    cast(out, dtype)
}

fn mean_pool_grad(grad: NdTensor, target: Shape, options: &PoolOptions, include_pad: bool) -> NdTensor {
    let dtype = grad.spec().dtype;
    let grad = cast(grad, wide(dtype)).into_contiguous();
    let planes = Planes::new(&target, grad.shape(), options);
    let (taps, stride, width) = (area(planes.window.kernel), planes.window.stride[2], planes.output[2]);
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    with_wide!(wide(dtype), E => for_planes(&grad, &mut out, &|_, grad: &[E], out: &mut [E]| {
        out.fill(E::ZERO);
        let mut shares = Buffer::new(width * size_of::<E>());
        let shares: &mut [E] = shares.as_mut_slice().expect("a new buffer is unique");
        for (row, grad) in grad.chunks_exact(width).enumerate() {
            let counts = planes.counts(row);
            for (column, (share, &grad)) in shares.iter_mut().zip(grad).enumerate() {
                *share = grad.over(E::of(if include_pad { taps } else { counts(column) }));
            }
            planes.for_taps(row, |columns, start| {
                spread(&mut out[start..], &shares[columns], stride);
            });
        }
    }));
    cast(out, dtype)
}

fn max_pool(x: NdTensor, shape: Shape, options: &PoolOptions) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let planes = Planes::new(x.shape(), &shape, options);
    let (stride, width) = (planes.window.stride[2], planes.output[2]);
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!(wide(dtype), E => for_planes(&x, &mut out, &|_, xs: &[E], out: &mut [E]| {
        for (row, out) in out.chunks_exact_mut(width).enumerate() {
            out.fill(E::LOWEST);
            planes.for_taps(row, |columns, start| {
                gather(&mut out[columns], &xs[start..], stride, E::larger);
            });
        }
    }));
    cast(out, dtype)
}

/// The largest elements of a row of windows and where they are: of equals the first; NaN is the largest.
#[inline(always)]
fn winners<E: Number>(planes: &Planes, row: usize, xs: &[E], values: &mut [E], places: &mut [i64]) {
    let stride = planes.window.stride[2];
    values.fill(E::LOWEST);
    places.fill(-1);
    planes.for_taps(row, |columns, start| {
        let best = values[columns.clone()].iter_mut().zip(&mut places[columns]);
        for (k, (value, place)) in best.enumerate() {
            let at = start + k * stride;
            let x = xs[at];
            if x > *value || *place < 0 || (x.is_nan() && !value.is_nan()) {
                (*value, *place) = (x, at as i64);
            }
        }
    });
}

pub fn max_pool_with_indices(x: NdTensor, options: &PoolOptions, index: DType) -> (NdTensor, NdTensor) {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let shape = pooled_shape(x.shape(), options);
    let planes = Planes::new(x.shape(), &shape, options);
    let (width, size) = (planes.output[2], area(planes.output));
    let mut indices = NdTensor::new(TensorSpec { shape: shape.clone(), dtype: DType::I64 });
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    let places = parallel::Shared(indices.make_mut::<i64>().as_mut_ptr());
    with_wide!(wide(dtype), E => for_planes(&x, &mut out, &|plane, xs: &[E], out: &mut [E]| {
        // SAFETY: indices have the shape of the output; each plane is visited once.
        let places = unsafe { core::slice::from_raw_parts_mut(places.get().add(plane * size), size) };
        let rows = out.chunks_exact_mut(width).zip(places.chunks_exact_mut(width));
        rows.enumerate().for_each(|(row, (values, places))| winners(&planes, row, xs, values, places));
    }));
    (cast(out, dtype), cast(indices, index))
}

fn max_pool_grad(grad: NdTensor, x: NdTensor, options: &PoolOptions) -> NdTensor {
    let dtype = grad.spec().dtype;
    let (grad, x) = (cast(grad, wide(dtype)).into_contiguous(), cast(x, wide(dtype)).into_contiguous());
    let planes = Planes::new(x.shape(), grad.shape(), options);
    let (width, size) = (planes.output[2], area(planes.input));
    let mut out = NdTensor::new(x.spec().clone());
    with_wide!(wide(dtype), E => {
        let xs = x.slice::<E>();
        for_planes(&grad, &mut out, &|plane, grad: &[E], out: &mut [E]| {
            let xs = &xs[plane * size..][..size];
            let (mut values, mut places) = (Buffer::new(width * size_of::<E>()), Buffer::new(width * 8));
            let values: &mut [E] = values.as_mut_slice().expect("a new buffer is unique");
            let places: &mut [i64] = places.as_mut_slice().expect("a new buffer is unique");
            out.fill(E::ZERO);
            for row in 0..planes.rows() {
                winners(&planes, row, xs, values, places);
                for (&place, &grad) in places.iter().zip(&grad[row * width..]) {
                    if let Ok(place) = usize::try_from(place) {
                        out[place] = out[place].plus(grad);
                    }
                }
            }
        });
    });
    cast(out, dtype)
}

/// Even windows as those of an ordinary pooling.
fn even(input: &[usize], output: &[usize]) -> Option<PoolOptions> {
    let pairs = || input.iter().zip(output);
    let fits = pairs().all(|(&from, &to)| to > 0 && from >= to && from.is_multiple_of(to));
    fits.then(|| PoolOptions::new(pairs().map(|(from, to)| from / to).collect::<Dims>()))
}

/// Where adaptive window `i` of `count` starts and ends: `floor(i size / count)..ceil((i + 1) size / count)`.
fn adaptive(i: usize, size: usize, count: usize) -> core::ops::Range<usize> {
    i * size / count..((i + 1) * size).div_ceil(count)
}

/// Calls `f` with each result of a plane, and the elements its window covers: the ranges of the dimensions.
#[inline(always)]
fn for_adaptive(
    input: Spatial,
    output: Spatial,
    mut f: impl FnMut(usize, [core::ops::Range<usize>; SPATIAL]),
) {
    for at in 0..area(output) {
        let index = [at / (output[1] * output[2]), at / output[2] % output[1], at % output[2]];
        f(at, core::array::from_fn(|d| adaptive(index[d], input[d], output[d])));
    }
}

/// Calls `f` with each covered row of a plane.
#[inline(always)]
fn for_rows(
    input: Spatial,
    [depths, heights, widths]: [core::ops::Range<usize>; SPATIAL],
    mut f: impl FnMut(core::ops::Range<usize>),
) {
    for i in depths {
        for j in heights.clone() {
            let row = (i * input[1] + j) * input[2];
            f(row + widths.start..row + widths.end);
        }
    }
}

pub fn adaptive_avg_pool(x: NdTensor, size: &[usize]) -> NdTensor {
    let shape: Shape = x.shape()[..2].iter().chain(size).copied().collect();
    if let Some(options) = even(&x.shape()[2..], size) {
        return mean_pool(x, shape, &options, true);
    }
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let (input, output) = (sizes(x.shape()), sizes(&shape));
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!(wide(dtype), E => for_planes(&x, &mut out, &|_, xs: &[E], out: &mut [E]| {
        for_adaptive(input, output, |at, cover| {
            let count = cover.iter().map(ExactSizeIterator::len).product();
            let mut sum = E::ZERO;
            for_rows(input, cover, |row| xs[row].iter().for_each(|&x| sum = sum.plus(x)));
            out[at] = sum.over(E::of(count));
        });
    }));
    cast(out, dtype)
}

pub fn adaptive_avg_pool_grad(grad: NdTensor, target: Shape) -> NdTensor {
    if let Some(options) = even(&target[2..], &grad.shape()[2..]) {
        return mean_pool_grad(grad, target, &options, true);
    }
    let dtype = grad.spec().dtype;
    let grad = cast(grad, wide(dtype)).into_contiguous();
    let (input, output) = (sizes(&target), sizes(grad.shape()));
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    with_wide!(wide(dtype), E => for_planes(&grad, &mut out, &|_, grad: &[E], out: &mut [E]| {
        out.fill(E::ZERO);
        for_adaptive(input, output, |at, cover| {
            let count = cover.iter().map(ExactSizeIterator::len).product();
            let share = grad[at].over(E::of(count));
            for_rows(input, cover, |row| out[row].iter_mut().for_each(|out| *out = out.plus(share)));
        });
    }));
    cast(out, dtype)
}
