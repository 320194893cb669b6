//! Normalisation of rows.

use crate::dispatcher::{Argument, call};
use crate::library::Torch;
use crate::memory::in_order;
use crate::tensor::TchTensor;
use burn_backend::{HasSpec, LayerNormArgs, LayerNormGradArgs};
use burn_library_backend::Kernels;
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
    Torch::run("layer_norm", x.device(), spec, || {
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
    Torch::run("layer_norm_backward", x.device(), spec, || {
        let (x, weight) = (in_order(x.tch())?, weight.as_ref().map(TchTensor::tch));
        let (_, mean, deviation) =
            x.f_native_layer_norm(size as i64, None::<Tensor>, None::<Tensor>, epsilon)?;
        let [found, _, _] = call(
            c"aten::native_layer_norm_backward",
            &[
                Argument::Tensor(&in_order(grad.tch())?),
                Argument::Tensor(&x),
                Argument::Ints(&[size as i64]),
                Argument::Tensor(&mean),
                Argument::Tensor(&deviation),
                Argument::Optional(weight),
                Argument::Nothing,
                Argument::Bools(&[true, false, false]),
            ],
        )?;
        Ok(found)
    })
}
