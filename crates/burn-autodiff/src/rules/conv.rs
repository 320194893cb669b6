//! The three convolutions are each other's gradients.

use super::{B, Operand, Sink, Tensor};
use burn_backend::ops::sum_dims;
use burn_backend::{ConvArgs, ConvGradArgs, ConvOptions, Dims, HasSpec, Shape, TypedCalls};

fn grad_args<T>(grad: T, other: T, target: &Shape, options: &ConvOptions) -> ConvGradArgs<T> {
    ConvGradArgs { grad, other, target: target.clone(), options: options.clone() }
}

pub fn conv(args: ConvArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let ConvArgs { x, weight, bias, options } = args;
    if let Some(value) = sink.other(&weight, &x) {
        sink.add(&x, || B::conv_transpose(grad_args(grad.clone(), value, &x.spec.shape, &options)));
    }
    if let Some(value) = sink.other(&x, &weight) {
        let target = &weight.spec.shape;
        sink.add(&weight, || B::conv_weight_grad(grad_args(grad.clone(), value, target, &options)));
    }
    if let Some(bias) = bias {
        let dims: Dims = (0..grad.spec().shape.rank()).filter(|&d| d != 1).collect();
        sink.add(&bias, || B::reshape(sum_dims::<B>(grad, dims), bias.spec.shape.clone()));
    }
}

/// Computes the gradients of a transposed convolution: `args.grad` is the input of a transposed convolution,
/// `args.other` its weight.
pub fn conv_transpose(args: ConvGradArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let ConvGradArgs { grad: x, other: weight, options, .. } = args;
    if let Some(value) = sink.other(&weight, &x) {
        let args = ConvArgs { x: grad.clone(), weight: value, bias: None, options: options.clone() };
        sink.add(&x, || B::conv(args));
    }
    if let Some(value) = sink.other(&x, &weight) {
        sink.add(&weight, || B::conv_weight_grad(grad_args(value, grad, &weight.spec.shape, &options)));
    }
}

/// Computes the gradients of the weight gradient: `args.grad` is the gradient of the output, `args.other` the
/// input.
pub fn conv_weight_grad(args: ConvGradArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let ConvGradArgs { grad: out, other: x, options, .. } = args;
    if let Some(value) = sink.other(&x, &out) {
        let args = ConvArgs { x: value, weight: grad.clone(), bias: None, options: options.clone() };
        sink.add(&out, || B::conv(args));
    }
    if let Some(value) = sink.other(&out, &x) {
        sink.add(&x, || B::conv_transpose(grad_args(value, grad, &x.spec.shape, &options)));
    }
}
