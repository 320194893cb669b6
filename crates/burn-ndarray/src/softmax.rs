use crate::backend::NdArray;
use crate::cast::cast;
use crate::dtype::wide;
use crate::math::Float;
use crate::number::Number;
use crate::parallel;
use crate::reduce::{Fold, fold_run};
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, reference};

/// Cost of one element, in additions.
const COST: usize = 10;

pub fn softmax(x: NdTensor, dim: usize) -> NdTensor {
    if dim + 1 != x.shape().rank() {
        return reference::softmax::<NdArray>(x, dim);
    }
    rows(x, softmax_f32, softmax_f64)
}

pub fn log_softmax(x: NdTensor, dim: usize) -> NdTensor {
    if dim + 1 != x.shape().rank() {
        return reference::log_softmax::<NdArray>(x, dim);
    }
    rows(x, log_softmax_f32, log_softmax_f64)
}

/// Runs a kernel on each row, in place.
fn rows(x: NdTensor, single: fn(&mut [f32], usize), double: fn(&mut [f64], usize)) -> NdTensor {
    let dtype = x.spec().dtype;
    let mut x = cast(x, wide(dtype));
    let size = x.shape()[x.shape().rank() - 1].max(1);
    // Several rows per chunk, so that a chunk is worth a call.
    let chunk = size * (2048 / size).max(1);
    if dtype == DType::F64 {
        parallel::for_chunks(x.make_mut::<f64>(), chunk, chunk * COST * 4, &|_, rows| double(rows, size));
    } else {
        parallel::for_chunks(x.make_mut::<f32>(), chunk, chunk * COST, &|_, rows| single(rows, size));
    }
    cast(x, dtype)
}

/// `e^(x - max) / sum`.
#[inline(always)]
fn normalise<E: Float + Number, const FMA: bool>(rows: &mut [E], size: usize) {
    for row in rows.chunks_exact_mut(size) {
        let max = fold_run(Fold::Max, row);
        row.iter_mut().for_each(|x| *x = (*x - max).exp::<FMA>());
        let scale = <E as Float>::ONE / fold_run(Fold::Sum, row);
        row.iter_mut().for_each(|x| *x = *x * scale);
    }
}

/// `x - max - log(sum(e^(x - max)))`.
#[inline(always)]
fn normalise_log<E: Float + Number, const FMA: bool>(rows: &mut [E], size: usize) {
    const BLOCK: usize = 256;
    for row in rows.chunks_exact_mut(size) {
        let max = fold_run(Fold::Max, row);
        let mut block = [<E as Float>::ZERO; BLOCK];
        let sums = row.chunks(BLOCK).map(|xs| {
            let block = &mut block[..xs.len()];
            block.iter_mut().zip(xs).for_each(|(out, &x)| *out = (x - max).exp::<FMA>());
            fold_run(Fold::Sum, block)
        });
        let log = <E as Number>::sum(sums).log::<FMA>();
        row.iter_mut().for_each(|x| *x = *x - max - log);
    }
}

#[inline(always)]
fn softmax_body_f32<const FMA: bool>(rows: &mut [f32], size: usize) {
    normalise::<f32, FMA>(rows, size);
}
#[inline(always)]
fn softmax_body_f64<const FMA: bool>(rows: &mut [f64], size: usize) {
    normalise::<f64, FMA>(rows, size);
}
#[inline(always)]
fn log_softmax_body_f32<const FMA: bool>(rows: &mut [f32], size: usize) {
    normalise_log::<f32, FMA>(rows, size);
}
#[inline(always)]
fn log_softmax_body_f64<const FMA: bool>(rows: &mut [f64], size: usize) {
    normalise_log::<f64, FMA>(rows, size);
}
dispatch! { fn softmax_f32(rows: &mut [f32], size: usize) = softmax_body_f32 }
dispatch! { fn softmax_f64(rows: &mut [f64], size: usize) = softmax_body_f64 }
dispatch! { fn log_softmax_f32(rows: &mut [f32], size: usize) = log_softmax_body_f32 }
dispatch! { fn log_softmax_f64(rows: &mut [f64], size: usize) = log_softmax_body_f64 }
