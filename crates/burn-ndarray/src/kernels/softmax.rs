use crate::NdArray;
use crate::elements::dtype::wide;
use crate::elements::number::Number;
use crate::elements::pieces::along_first;
use crate::kernels::cast::cast;
use crate::kernels::math::Float;
use crate::kernels::reduce::{Fold, fold_run};
use crate::left_out::with_feature;
use crate::simd::{Operand, Run, dispatch, walk};
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, HasSpec, reference};
use core::slice;

/// Cost of one element, in additions.
const COST: usize = 6;

/// Exponentials that are added while they are in the first cache.
const BLOCK: usize = 1024;

/// Where a kernel reads rows and writes as many, perhaps over them.
#[derive(Clone, Copy, Debug)]
struct SoftmaxRows<E> {
    from: *const E,
    to: *mut E,
    count: usize,
    size: usize,
}

pub fn softmax(x: NdTensor, dim: usize) -> NdTensor {
    if dim + 1 != x.shape().rank() {
        return reference::softmax::<NdArray>(x, dim);
    }
    of_parts(x, |x| {
        if x.spec().dtype == DType::F64 {
            with_feature!("dtypes", "softmax", rows(x, COST * 4, softmax_f64))
        } else {
            rows(x, COST, softmax_f32)
        }
    })
}

/// Runs a kernel of rows on some of them after the other, where they are widened.
fn of_parts(x: NdTensor, kernel: impl Fn(NdTensor) -> NdTensor) -> NdTensor {
    if x.shape().rank() < 2 {
        return kernel(x);
    }
    let shape = x.shape().clone();
    along_first([x], shape, |[x], _| kernel(x))
}

pub fn log_softmax(x: NdTensor, dim: usize) -> NdTensor {
    if dim + 1 != x.shape().rank() {
        return reference::log_softmax::<NdArray>(x, dim);
    }
    of_parts(x, |x| {
        if x.spec().dtype == DType::F64 {
            with_feature!("dtypes", "log_softmax", rows(x, COST * 4, log_softmax_f64))
        } else {
            rows(x, COST, log_softmax_f32)
        }
    })
}

/// Runs a kernel on rows of `E`, in place if nothing else holds `x`.
fn rows<E: Number>(x: NdTensor, cost: usize, kernel: fn(SoftmaxRows<E>)) -> NdTensor {
    let dtype = x.spec().dtype;
    let mut x = cast(x, wide(dtype)).into_contiguous();
    let size = x.shape()[x.shape().rank() - 1].max(1);
    let count = x.len() / size;
    let from = Shared(x.start().cast::<E>().cast_mut());
    let mut new = (!x.is_writable()).then(|| NdTensor::new(x.spec().clone()));
    let to = Shared(new.as_mut().unwrap_or(&mut x).start_mut().cast::<E>());
    parallel::for_ranges(count, size * cost, &|range| {
        let at = range.start * size;
        let (from, to) = (from.get().wrapping_add(at), to.get().wrapping_add(at));
        kernel(SoftmaxRows { from, to, count: range.len(), size });
    });
    cast(new.unwrap_or(x), dtype)
}

/// Calls `body` with the elements of each row and with where the results go. What is read of a row is read
/// before the results are written over it.
macro_rules! for_rows {
    ($rows:expr, |$row:ident, $out:ident| $body:expr) => {{
        let rows = $rows;
        for k in 0..rows.count {
            let ($row, $out) = (rows.from.wrapping_add(k * rows.size), rows.to.wrapping_add(k * rows.size));
            $body
        }
    }};
}

/// # Safety
/// The elements may be read and written; they are the same or lie elsewhere.
#[inline(always)]
unsafe fn block<E>(from: *const E, to: *mut E, len: usize) -> Run<1> {
    let operand = Operand { start: from.cast(), repeated: false, width: size_of::<E>() };
    // SAFETY: by the contract.
    unsafe { Run::new(to.cast(), size_of::<E>(), [operand], len) }
}

/// `e^(x - max)` of a block, and the sum.
///
/// # Safety
/// The block may be read and written; it is the same or lies elsewhere.
#[inline(always)]
unsafe fn exponentials<E: Float + Number, const FMA: bool>(
    from: *const E,
    to: *mut E,
    len: usize,
    max: E,
) -> E {
    // SAFETY: by the contract.
    let run = unsafe { block(from, to, len) };
    walk!(&run, E, [0 x: E], (x - max).exp::<FMA>());
    // SAFETY: by the contract.
    fold_run(Fold::Sum, unsafe { slice::from_raw_parts(to, len) })
}

/// `e^(x - max) / sum`.
#[inline(always)]
fn normalise<E: Float + Number, const FMA: bool>(rows: SoftmaxRows<E>) {
    for_rows!(rows, |row, out| {
        // SAFETY: rows may be read and written; a block is written after it was read.
        unsafe {
            let max = fold_run(Fold::Max, slice::from_raw_parts(row, rows.size));
            let mut sum = <E as Number>::ZERO;
            for at in (0..rows.size).step_by(BLOCK) {
                let len = BLOCK.min(rows.size - at);
                sum = sum + exponentials::<E, FMA>(row.add(at), out.add(at), len, max);
            }
            let scale = <E as Float>::ONE / sum;
            for x in slice::from_raw_parts_mut(out, rows.size) {
                *x = *x * scale;
            }
        }
    });
}

/// `x - max - log(sum(e^(x - max)))`.
#[inline(always)]
fn normalise_log<E: Float + Number, const FMA: bool>(rows: SoftmaxRows<E>) {
    let mut kept = [<E as Number>::ZERO; BLOCK];
    for_rows!(rows, |row, out| {
        // SAFETY: rows may be read and written; an element is written after it was read for the last time.
        let (run, max) = unsafe {
            (block(row, out, rows.size), fold_run(Fold::Max, slice::from_raw_parts(row, rows.size)))
        };
        let mut sum = <E as Number>::ZERO;
        for at in (0..rows.size).step_by(BLOCK) {
            let len = BLOCK.min(rows.size - at);
            // SAFETY: a block of the row, and as many elements of the result.
            sum = sum + unsafe { exponentials::<E, FMA>(row.add(at), kept.as_mut_ptr(), len, max) };
        }
        let log = sum.log::<FMA>();
        walk!(&run, E, [0 x: E], x - max - log);
    });
}

#[inline(always)]
fn softmax_body_f32<const FMA: bool>(rows: SoftmaxRows<f32>) {
    normalise::<f32, FMA>(rows);
}
#[inline(always)]
fn softmax_body_f64<const FMA: bool>(rows: SoftmaxRows<f64>) {
    normalise::<f64, FMA>(rows);
}
#[inline(always)]
fn log_softmax_body_f32<const FMA: bool>(rows: SoftmaxRows<f32>) {
    normalise_log::<f32, FMA>(rows);
}
#[inline(always)]
fn log_softmax_body_f64<const FMA: bool>(rows: SoftmaxRows<f64>) {
    normalise_log::<f64, FMA>(rows);
}
dispatch! { fn softmax_f32(rows: SoftmaxRows<f32>) = softmax_body_f32 }
dispatch! { fn softmax_f64(rows: SoftmaxRows<f64>) = softmax_body_f64 }
dispatch! { fn log_softmax_f32(rows: SoftmaxRows<f32>) = log_softmax_body_f32 }
dispatch! { fn log_softmax_f64(rows: SoftmaxRows<f64>) = log_softmax_body_f64 }
