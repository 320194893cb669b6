//! Normalisation of rows.

use crate::autograd::gradient;
use crate::kernel;
use crate::memory::in_order;
use crate::tensor::TchTensor;
use burn_backend::{HasSpec, LayerNormArgs, LayerNormGradArgs};
use tch::{TchError, Tensor};

fn run(
    x: &Tensor,
    size: usize,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor, TchError> {
    Ok(x.f_native_layer_norm(size as i64, weight, bias, epsilon)?.0)
}

#[track_caller]
pub fn layer_norm(args: LayerNormArgs<TchTensor>) -> TchTensor {
    let LayerNormArgs { x, weight, bias, epsilon } = args;
    let spec = x.spec().clone();
    if spec.shape.num_elements() == 0 {
        return x;
    }
    let size = spec.shape[spec.shape.rank() - 1];
    kernel::torch("layer_norm", x.device(), spec, || {
        let (weight, bias) = (weight.as_ref().map(TchTensor::tch), bias.as_ref().map(TchTensor::tch));
        run(&in_order(x.tch())?, size, weight, bias, epsilon)
    })
}

/// Mean and deviation, which the forward pass does not keep, are computed again.
#[track_caller]
pub fn layer_norm_grad(args: LayerNormGradArgs<TchTensor>) -> TchTensor {
    let LayerNormGradArgs { grad, x, weight, epsilon } = args;
    let spec = x.spec().clone();
    if spec.shape.num_elements() == 0 {
        return x;
    }
    let size = spec.shape[spec.shape.rank() - 1];
    kernel::torch("layer_norm_backward", x.device(), spec, || {
        let weight = weight.as_ref().map(TchTensor::tch);
        gradient(&in_order(x.tch())?, grad.tch(), |x| run(x, size, weight, None, epsilon))
    })
}
