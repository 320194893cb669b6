//! Order along a dimension. NaN is larger than everything, and equals stay in order.

use crate::compare::by_order;
use crate::library::Torch;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, cast, kernel};
use burn_backend::{DType, HasSpec, TensorSpec};
use burn_library_backend::{Kernels, with_dtype};
use tch::{TchError, Tensor};

pub fn sort_with_indices(x: TchTensor, dim: usize, descending: bool, index: DType) -> (TchTensor, TchTensor) {
    let size = x.spec().shape[dim];
    first_in_order("sort", x, dim, size, descending, index)
}

/// LibTorch's kernel gives equals in any order, so it runs on the processor where there are none; to look for
/// them on another device would wait for it.
#[track_caller]
pub fn topk(x: TchTensor, k: usize, dim: usize, largest: bool, index: DType) -> (TchTensor, TchTensor) {
    let (dtype, device, size) = (x.dtype(), x.device(), x.spec().shape[dim]);
    let is_part = 0 < k && k < size && x.spec().shape.num_elements() > 0;
    if !is_part || device != LibTorchDevice::Cpu || dtype == DType::Bool {
        return first_in_order("topk", x, dim, k, largest, index);
    }
    let shape = x.spec().shape.with(dim, k);
    let spec = TensorSpec { shape: shape.clone(), dtype };
    drop(Torch::take(&with_dtype(&x, DType::Bool), device));
    match unequal(&x, k as i64, dim as i64, largest) {
        Ok(Some(found)) => {
            let specs = [spec, TensorSpec { shape, dtype: DType::I64 }];
            let (values, places) = kernel::two("topk", device, specs, || Ok(found));
            (values, cast::cast(places, index))
        }
        Ok(None) => first_in_order("sort", x, dim, k, largest, index),
        Err(error) => Torch::raise("topk", Some(spec), device, &error),
    }
}

/// The `k` first elements in order along `dim`, and where they were; `None` where one of them is NaN, or
/// equals another element.
fn unequal(x: &TchTensor, k: i64, dim: i64, largest: bool) -> Result<Option<(Tensor, Tensor)>, TchError> {
    let (dtype, ordered) = (x.dtype(), by_order(x.dtype(), x.tch())?);
    let (values, places) = ordered.f_topk(k, dim, largest, true)?;
    let (last, before, behind) =
        (values.f_narrow(dim, k - 1, 1)?, values.f_narrow(dim, 0, k - 1)?, values.f_narrow(dim, 1, k - 1)?);
    let (reached, falls) = match largest {
        true => (ordered.f_ge_tensor(&last)?, before.f_gt_tensor(&behind)?),
        false => (ordered.f_le_tensor(&last)?, before.f_lt_tensor(&behind)?),
    };
    let count = |x: Tensor| x.f_count_nonzero(None)?.f_int64_value(&[]);
    let is_unequal = count(reached)? == values.numel() as i64 && count(falls)? == before.numel() as i64;
    Ok(if is_unequal { Some((by_order(dtype, &values)?, places)) } else { None })
}

/// The `k` first elements in order along `dim`, and where they were.
#[track_caller]
fn first_in_order(
    op: &'static str,
    x: TchTensor,
    dim: usize,
    k: usize,
    descending: bool,
    index: DType,
) -> (TchTensor, TchTensor) {
    let (dtype, shape) = (x.dtype(), x.shape());
    let specs = [TensorSpec { shape: shape.clone(), dtype }, TensorSpec { shape, dtype: DType::I64 }];
    let is_whole = k == x.spec().shape[dim];
    let (values, places) = kernel::two(op, x.device(), specs, || {
        let ordered = by_order(dtype, x.tch())?;
        // The kernel of GPUs puts a NaN whose sign is set below all numbers.
        let is_mixed = dtype.is_float() && x.device() != LibTorchDevice::Cpu;
        let ordered = if is_mixed { ordered.f_masked_fill(&ordered.f_isnan()?, f64::NAN)? } else { ordered };
        let sorted = ordered.f_sort_stable(true, dim as i64, descending)?;
        Ok((by_order(dtype, &sorted.0)?, sorted.1))
    });
    let first = |x: TchTensor| {
        if is_whole {
            return x;
        }
        let spec = TensorSpec { shape: x.spec().shape.with(dim, k), dtype: x.dtype() };
        Torch::run("narrow", x.device(), spec, || {
            crate::memory::copied(&x.tch().f_narrow(dim as i64, 0, k as i64)?)
        })
    };
    (first(values), cast::cast(first(places), index))
}
