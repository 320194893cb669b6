//! Means over windows that share a plane between a number of results.

use super::windows::{closed, opened};
use crate::library::Torch;
use crate::reduce::is_half;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, cast, create};
use burn_backend::{DType, Dims, HasSpec, Operation, Pooling, Scalar, Shape, TensorSpec};
use burn_library_backend::{Kernels, result};
use tch::Tensor;

#[track_caller]
pub fn adaptive_avg_pool(x: TchTensor, size: Dims) -> TchTensor {
    let dtype = x.dtype();
    if is_half(dtype) {
        return cast::cast(adaptive_avg_pool(cast::cast(x, DType::F32), size), dtype);
    }
    let spec = result(&Operation::Pooling(Pooling::AdaptiveAvgPool { x: &x, size: size.clone() }));
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Torch::run("adaptive_avg_pool", x.device(), spec, || {
        let (is_line, size) = (size.len() == 1, sizes(&size));
        let x = opened(x.tch(), is_line)?;
        let result = match size[..] {
            [width] => x.f_adaptive_avg_pool2d([1, width])?,
            [_, _] => x.f_adaptive_avg_pool2d(size)?,
            _ => x.f_adaptive_avg_pool3d(size)?,
        };
        closed(result, is_line)
    })
}

/// Each element of `grad` in equal parts to its window.
#[track_caller]
pub fn adaptive_avg_pool_grad(grad: TchTensor, target: Shape) -> TchTensor {
    let dtype = grad.dtype();
    // GPUs add to elements of several windows in no certain order, which is not seen in `f32` when the sums
    // are `f64`.
    let wide = if grad.device() == LibTorchDevice::Cpu { DType::F32 } else { DType::F64 };
    if is_half(dtype) || (dtype == DType::F32 && wide == DType::F64) {
        return cast::cast(adaptive_avg_pool_grad(cast::cast(grad, wide), target), dtype);
    }
    let spec = TensorSpec { shape: target.clone(), dtype };
    if grad.spec().shape.num_elements() == 0 || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    Torch::run("adaptive_avg_pool_backward", grad.device(), spec, || {
        let is_line = target.rank() == 3;
        let grad = opened(grad.tch(), is_line)?;
        // Only its shape is read.
        let x = opened(&Tensor::f_empty(sizes(&target), (grad.f_kind()?, grad.device()))?, is_line)?;
        let result = if target.rank() == 5 {
            x.f_internal_adaptive_avg_pool3d_backward(&grad)?
        } else {
            x.f_internal_adaptive_avg_pool2d_backward(&grad)?
        };
        closed(result, is_line)
    })
}
