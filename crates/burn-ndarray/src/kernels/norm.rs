//! Normalisation of rows: memory is read and written once, since a row stays in the first cache between its
//! mean, its variance and its result.

use crate::elements::dtype::wide;
use crate::elements::number::Number;
use crate::elements::pieces::along_first;
use crate::kernels::cast::cast;
use crate::kernels::math::Float;
use crate::left_out::with_feature;
use crate::memory::Room;
use crate::simd::{self, dispatch};
use crate::tensor::NdTensor;
use crate::threads::parallel;
use alloc::borrow::Cow;
use alloc::vec;
use burn_backend::{DType, HasSpec, LayerNormArgs, LayerNormGradArgs};

/// Cost of one element, in additions.
const COST: usize = 4;

/// Inputs of some rows.
#[derive(Clone, Copy, Debug)]
struct NormRows<'a, E> {
    /// `None`: they stand in the place of the results.
    first: Option<&'a [E]>,
    /// The second input of a gradient.
    second: &'a [E],
    weight: &'a [E],
    bias: &'a [E],
    epsilon: E,
}

type Kernel<E> = fn(NormRows<'_, E>, &mut [E]);

pub fn layer_norm(args: LayerNormArgs<NdTensor>) -> NdTensor {
    let LayerNormArgs { x, weight, bias, epsilon } = args;
    let kernel = |x| run([Some(x), None, weight.clone(), bias.clone()], epsilon, normal_f32, normal_f64);
    if x.shape().rank() < 2 {
        return kernel(x);
    }
    let shape = x.shape().clone();
    along_first([x], shape, |[x], _| kernel(x))
}

pub fn layer_norm_grad(args: LayerNormGradArgs<NdTensor>) -> NdTensor {
    let LayerNormGradArgs { grad, x, weight, epsilon } = args;
    let kernel = |grad, x| run([Some(grad), Some(x), weight.clone(), None], epsilon, slope_f32, slope_f64);
    if x.shape().rank() < 2 {
        return kernel(grad, x);
    }
    let shape = x.shape().clone();
    along_first([grad, x], shape, |[grad, x], _| kernel(grad, x))
}

/// Calls a kernel with the first input, which the result is like; the second one; weight and bias.
fn run(inputs: [Option<NdTensor>; 4], epsilon: f64, single: Kernel<f32>, double: Kernel<f64>) -> NdTensor {
    let dtype = inputs[0].as_ref().expect("the first input is there").spec().dtype;
    let inputs = inputs.map(|x| x.map(|x| cast(x, wide(dtype)).into_contiguous()));
    let result = if dtype == DType::F64 {
        with_feature!("dtypes", "layer_norm", typed(inputs, epsilon, double))
    } else {
        typed(inputs, epsilon as f32, single)
    };
    cast(result, dtype)
}

fn typed<E: Float + Number>(inputs: [Option<NdTensor>; 4], epsilon: E, kernel: Kernel<E>) -> NdTensor {
    let [first, second, weight, bias] = inputs;
    let first = first.expect("the first input is there");
    let size = first.shape()[first.shape().rank() - 1].max(1);
    let (mut out, first) = match first.is_writable() {
        true => (first, None),
        false => (NdTensor::new(first.spec().clone()), Some(first)),
    };
    let _room = Room::new::<E>(2 * size);
    let weight = list(weight.as_ref(), size, <E as Number>::ONE);
    let bias = list(bias.as_ref(), size, <E as Number>::ZERO);
    let (first, second) = (first.as_ref().map(NdTensor::slice), second.as_ref().map(NdTensor::slice));
    // Several rows per chunk, so that a chunk is worth a call.
    let chunk = size * (2048 / size).max(1);
    let results: &mut [E] = out.as_mut_slice().expect("unique and in order");
    parallel::for_chunks(results, chunk, chunk * COST, &|index, rows| {
        let place = (index * chunk, rows.len());
        let first = first.map(|xs| part(xs, place));
        let second = second.map_or(&[][..], |xs| part(xs, place));
        let inputs = NormRows { first, second, weight: &weight, bias: &bias, epsilon };
        kernel(inputs, rows);
    });
    out
}

fn part<E>(xs: &[E], (start, len): (usize, usize)) -> &[E] {
    &xs[start..start + len]
}

/// The elements of a list, or one number as many times.
fn list<E: Number>(list: Option<&NdTensor>, size: usize, otherwise: E) -> Cow<'_, [E]> {
    match list {
        Some(list) => Cow::Borrowed(list.slice()),
        None => Cow::Owned(vec![otherwise; size]),
    }
}

/// The sum of `value(x)`.
#[inline(always)]
fn total<E: Number>(xs: &[E], value: impl Fn(E) -> E) -> E {
    simd::fold(xs, <E as Number>::ZERO, value, E::plus)
}

/// Mean, and one by the deviation.
#[inline(always)]
fn moments<E: Float + Number>(row: &[E], epsilon: E) -> (E, E) {
    let scale = <E as Float>::ONE / <E as Number>::of(row.len());
    let mean = total(row, |x| x) * scale;
    let variance = total(row, |x| (x - mean) * (x - mean)) * scale;
    (mean, <E as Float>::ONE / (variance + epsilon).sqrt())
}

/// `(x - mean) / deviation weight + bias` of each row.
#[inline(always)]
fn normal<E: Float + Number>(rows: NormRows<'_, E>, out: &mut [E]) {
    let size = rows.weight.len();
    let (weight, bias) = (rows.weight, &rows.bias[..size]);
    for (index, out) in out.chunks_exact_mut(size).enumerate() {
        if let Some(xs) = rows.first {
            let x = &xs[index * size..][..size];
            let (mean, scale) = moments(x, rows.epsilon);
            for i in 0..size {
                out[i] = (x[i] - mean) * scale * weight[i] + bias[i];
            }
        } else {
            let (mean, scale) = moments(out, rows.epsilon);
            for i in 0..size {
                out[i] = (out[i] - mean) * scale * weight[i] + bias[i];
            }
        }
    }
}

/// `(g - mean(g) - y mean(g y)) / deviation` of each row, where `y` is the input normalised, and `g` the
/// gradient times the weight.
#[inline(always)]
fn slope<E: Float + Number>(rows: NormRows<'_, E>, out: &mut [E]) {
    let size = rows.weight.len();
    let weight = rows.weight;
    let count = <E as Float>::ONE / <E as Number>::of(size);
    for (index, out) in out.chunks_exact_mut(size).enumerate() {
        let x = &rows.second[index * size..][..size];
        let (mean, scale) = moments(x, rows.epsilon);
        // The gradient times the weight stands in the place of the result while the row is worked on.
        match rows.first {
            Some(grads) => {
                let grad = &grads[index * size..][..size];
                (0..size).for_each(|i| out[i] = grad[i] * weight[i]);
            }
            None => (0..size).for_each(|i| out[i] = out[i] * weight[i]),
        }
        let level = total(out, |x| x) * count;
        let product = simd::fold_pairs(out, x, <E as Number>::ZERO, |g, x| g * (x - mean), E::plus);
        let along = product * count * scale * scale;
        for i in 0..size {
            out[i] = (out[i] - level - (x[i] - mean) * along) * scale;
        }
    }
}

macro_rules! kernels {
    ($($body:ident $name:ident $ty:ty = $f:ident;)*) => {$(
        #[inline(always)]
        fn $body<const FMA: bool>(rows: NormRows<'_, $ty>, out: &mut [$ty]) {
            $f(rows, out);
        }
        dispatch! { fn $name(rows: NormRows<'_, $ty>, out: &mut [$ty]) = $body }
    )*};
}
kernels! {
    normal_body_f32 normal_f32 f32 = normal;
    normal_body_f64 normal_f64 f64 = normal;
    slope_body_f32 slope_f32 f32 = slope;
    slope_body_f64 slope_f64 f64 = slope;
}
