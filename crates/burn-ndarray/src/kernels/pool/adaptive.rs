use super::geometry::{area, for_planes, sizes};
use super::mean::{mean_pool, mean_pool_grad};
use crate::elements::arithmetic::Arithmetic;
use crate::elements::dtype::{wide, with_wide};
use crate::elements::number::Number;
use crate::elements::pieces::along_first;
use crate::kernels::cast::cast;
use crate::kernels::window::{SPATIAL, Spatial};
use crate::tensor::NdTensor;
use burn_backend::{Dims, HasSpec, PoolOptions, Shape, TensorSpec};

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
    along_first([x], shape, |[x], shape| adaptive_avg_pool_part(x, shape))
}

fn adaptive_avg_pool_part(x: NdTensor, shape: Shape) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let (input, output) = (sizes(x.shape()), sizes(&shape));
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!("pool", wide(dtype), E => for_planes(&x, &mut out, &|_, xs: &[E], out: &mut [E]| {
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
    along_first([grad], target, |[grad], target| adaptive_avg_pool_grad_part(grad, target))
}

fn adaptive_avg_pool_grad_part(grad: NdTensor, target: Shape) -> NdTensor {
    let dtype = grad.spec().dtype;
    let grad = cast(grad, wide(dtype)).into_contiguous();
    let (input, output) = (sizes(&target), sizes(grad.shape()));
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    with_wide!("pool", wide(dtype), E => for_planes(&grad, &mut out, &|_, grad: &[E], out: &mut [E]| {
        out.fill(E::ZERO);
        for_adaptive(input, output, |at, cover| {
            let count = cover.iter().map(ExactSizeIterator::len).product();
            let share = grad[at].over(E::of(count));
            for_rows(input, cover, |row| out[row].iter_mut().for_each(|out| *out = out.plus(share)));
        });
    }));
    cast(out, dtype)
}
