use super::max::{max_pool_with_indices, to_largest};
use super::windows::Windows;
use crate::leaf::Leaf;
use crate::library::Torch;
use crate::reduce::is_half;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use crate::{cast, create};
use burn_backend::{
    DType, HasSpec, Operation, PoolArgs, PoolGradArgs, PoolKind, PoolOptions, Pooling, Scalar, TensorSpec,
    kernels, reference,
};
use burn_library_backend::{Kernels, result};
use tch::{TchError, Tensor};

/// LibTorch has no mean over windows with gaps.
fn has_gaps(options: &PoolOptions) -> bool {
    options.dilation.iter().any(|&dilation| dilation != 1)
}

#[track_caller]
pub fn pool(args: PoolArgs<TchTensor>) -> TchTensor {
    let dtype = args.x.dtype();
    let PoolKind::Avg { count_include_pad } = args.kind else {
        return max_pool_with_indices(args.x, args.options, DType::I64).0;
    };
    if is_half(dtype) {
        return cast::cast(pool(args.map(|x| cast::cast(x, DType::F32))), dtype);
    }
    let spec = result(&Operation::Pooling(Pooling::Pool(Box::new(args.by_ref()))));
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), args.x.device());
    }
    if has_gaps(&args.options) {
        kernels::ran(|| "composition avg_pool".into());
        return reference::pool::<Leaf>(args);
    }
    let windows = Windows::new(&args.options, &args.x.spec().shape);
    let x = args.x;
    Torch::run("avg_pool", x.device(), spec, || {
        let x = windows.opened(x.tch())?;
        let Windows { kernel, stride, padding, .. } = &windows;
        windows.closed(if windows.is_volume() {
            x.f_avg_pool3d(kernel, stride, padding, false, count_include_pad, None)?
        } else {
            x.f_avg_pool2d(kernel, stride, padding, false, count_include_pad, None)?
        })
    })
}

#[track_caller]
pub fn pool_grad(args: PoolGradArgs<TchTensor>) -> TchTensor {
    let dtype = args.grad.dtype();
    if is_half(dtype) {
        return cast::cast(pool_grad(args.map(|x| cast::cast(x, DType::F32))), dtype);
    }
    let spec = TensorSpec { shape: args.target.clone(), dtype };
    if args.grad.spec().shape.num_elements() == 0 || spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), args.grad.device());
    }
    if has_gaps(&args.options) && matches!(args.kind, PoolKind::Avg { .. }) {
        kernels::ran(|| "composition avg_pool_grad".into());
        return reference::pool_grad::<Leaf>(args);
    }
    let PoolGradArgs { kind, grad, x, target, options } = args;
    let windows = Windows::new(&options, &target);
    match (kind, x) {
        (PoolKind::Max, Some(x)) => {
            Torch::run("max_pool_backward", grad.device(), spec, || to_largest(x.tch(), grad.tch(), &windows))
        }
        (PoolKind::Max, None) => unreachable!("the gradient of a maximum needs the input"),
        (PoolKind::Avg { count_include_pad }, _) => {
            Torch::run("avg_pool_backward", grad.device(), spec, || {
                shares(&grad, &sizes(&target), &windows, count_include_pad)
            })
        }
    }
}

/// Each element of the gradient in equal parts to its window.
fn shares(
    grad: &TchTensor,
    target: &[i64],
    windows: &Windows,
    count_include_pad: bool,
) -> Result<Tensor, TchError> {
    let grad = windows.opened(grad.tch())?;
    // Only its shape is read.
    let x = windows.opened(&Tensor::f_empty(target, (grad.f_kind()?, grad.device()))?)?;
    let Windows { kernel, stride, padding, .. } = windows;
    windows.closed(if windows.is_volume() {
        x.f_avg_pool3d_backward(&grad, kernel, stride, padding, false, count_include_pad, None)?
    } else {
        x.f_avg_pool2d_backward(&grad, kernel, stride, padding, false, count_include_pad, None)?
    })
}
