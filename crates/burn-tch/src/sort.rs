//! Order along a dimension. NaN is larger than everything, and equals stay in order.

use crate::compare::by_order;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, cast, kernel};
use burn_backend::{DType, HasSpec, TensorSpec};

pub fn sort_with_indices(x: TchTensor, dim: usize, descending: bool, index: DType) -> (TchTensor, TchTensor) {
    let size = x.spec().shape[dim];
    first_in_order("sort", x, dim, size, descending, index)
}

/// LibTorch's own kernel gives equals in any order.
pub fn topk(x: TchTensor, k: usize, dim: usize, largest: bool, index: DType) -> (TchTensor, TchTensor) {
    first_in_order("topk", x, dim, k, largest, index)
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
    let (values, places) = kernel::torch_two(op, x.device(), specs, || {
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
        kernel::torch("narrow", x.device(), spec, || {
            crate::memory::copied(&x.tch().f_narrow(dim as i64, 0, k as i64)?)
        })
    };
    (first(values), cast::cast(first(places), index))
}
