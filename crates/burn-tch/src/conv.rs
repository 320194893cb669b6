//! Convolutions in up to three spatial dimensions.

use crate::autograd::gradient;
use crate::binary::{binary, result};
use crate::layout::{reshape, sizes};
use crate::tensor::TchTensor;
use crate::{cast, create, kernel};
use burn_backend::{
    BinaryOp, ConvArgs, ConvGradArgs, ConvOptions, DType, HasSpec, Operation, Scalar, Shape, TensorSpec,
};
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

fn is_empty(x: &TchTensor) -> bool {
    x.spec().shape.num_elements() == 0
}

/// A convolution, or with `extra`, the output padding, a transposed one.
fn run(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    options: &ConvOptions,
    extra: Option<Vec<i64>>,
) -> Result<Tensor> {
    let [stride, padding, dilation] = [&options.stride, &options.padding, &options.dilation].map(|x| sizes(x));
    let (transposed, groups) = (extra.is_some(), options.groups as i64);
    let extra = extra.unwrap_or_else(|| vec![0; stride.len()]);
    x.f_convolution(weight, bias, stride, padding, dilation, transposed, extra, groups)
}

#[track_caller]
pub fn conv(args: ConvArgs<TchTensor>) -> TchTensor {
    let spec = result(&Operation::Conv(args.by_ref().into()));
    let ConvArgs { x, weight, bias, options } = args;
    if is_empty(&x) || is_empty(&weight) || spec.shape.num_elements() == 0 {
        let nothing = create::full(spec.clone(), Scalar::Int(0), x.device());
        let Some(bias) = bias else { return nothing };
        let channels: Shape = (0..spec.shape.rank()).map(|d| if d == 1 { spec.shape[1] } else { 1 }).collect();
        return binary(BinaryOp::Add, nothing, reshape(bias, channels));
    }
    kernel::torch("convolution", x.device(), spec, || {
        run(x.tch(), weight.tch(), bias.as_ref().map(TchTensor::tch), &options, None)
    })
}

#[track_caller]
pub fn conv_transpose(args: ConvGradArgs<TchTensor>) -> TchTensor {
    let ConvGradArgs { grad, other: weight, target, options } = args;
    let spec = TensorSpec { shape: target.clone(), dtype: grad.dtype() };
    if is_empty(&grad) || is_empty(&weight) || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    let (from, kernel) = (grad.shape(), weight.shape());
    kernel::torch("convolution_transpose", grad.device(), spec, || {
        // By how much the target is larger than the smallest input of a convolution with such a result.
        let extra = |d: usize| {
            let reach = (from[d + 2] - 1) * options.stride[d] + options.dilation[d] * (kernel[d + 2] - 1) + 1;
            (target[d + 2] + 2 * options.padding[d]) as i64 - reach as i64
        };
        let extra = (0..options.stride.len()).map(extra).collect();
        run(grad.tch(), weight.tch(), None, &options, Some(extra))
    })
}

#[track_caller]
pub fn conv_weight_grad(args: ConvGradArgs<TchTensor>) -> TchTensor {
    let dtype = args.grad.dtype();
    // The processor's kernels round partial sums of halves.
    if crate::reduce::is_half(dtype) {
        return cast::cast(conv_weight_grad(args.map(|x| cast::cast(x, DType::F32))), dtype);
    }
    let ConvGradArgs { grad, other: x, target, options } = args;
    let spec = TensorSpec { shape: target.clone(), dtype };
    if is_empty(&grad) || is_empty(&x) || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    kernel::torch("convolution_weight_grad", grad.device(), spec, || {
        let weight = Tensor::f_zeros(sizes(&target), (x.tch().f_kind()?, x.tch().device()))?;
        gradient(&weight, grad.tch(), |weight| run(x.tch(), weight, None, &options, None))
    })
}
