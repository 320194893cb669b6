//! The three convolutions are each other's gradients.

use super::{B, Operand, Sink, Tensor};
use burn_backend::ops::sum_dims;
use burn_backend::{Backend, ConvArgs, ConvGradArgs, ConvOptions, Dims, HasSpec, Shape};

fn grad_args<T>(grad: T, other: T, target: &Shape, options: &ConvOptions) -> ConvGradArgs<T> {
    ConvGradArgs { grad, other, target: target.clone(), options: options.clone() }
}

pub fn conv(args: ConvArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let ConvArgs { x, weight, bias, options } = args;
    let (xv, wv, g) = (sink.value(&x), sink.value(&weight), &grad);
    sink.add(&x, || B::conv_transpose(grad_args(g.clone(), wv, &x.spec.shape, &options)));
    sink.add(&weight, || B::conv_weight_grad(grad_args(g.clone(), xv, &weight.spec.shape, &options)));
    if let Some(bias) = bias {
        let dims: Dims = (0..g.spec().shape.rank()).filter(|&d| d != 1).collect();
        sink.add(&bias, || B::reshape(sum_dims::<B>(grad.clone(), dims), bias.spec.shape.clone()));
    }
}

/// `args.grad` is the input of a transposed convolution, `args.other` its weight.
pub fn conv_transpose(args: ConvGradArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let ConvGradArgs { grad: x, other: weight, options, .. } = args;
    let (xv, wv, g) = (sink.value(&x), sink.value(&weight), grad.clone());
    let options = &options;
    sink.add(&x, || B::conv(ConvArgs { x: g, weight: wv, bias: None, options: options.clone() }));
    sink.add(&weight, || B::conv_weight_grad(grad_args(xv, grad, &weight.spec.shape, options)));
}

/// `args.grad` is the gradient of the output, `args.other` the input.
pub fn conv_weight_grad(args: ConvGradArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let ConvGradArgs { grad: out, other: x, options, .. } = args;
    let (ov, xv, g) = (sink.value(&out), sink.value(&x), grad.clone());
    let options = &options;
    sink.add(&out, || B::conv(ConvArgs { x: xv, weight: g, bias: None, options: options.clone() }));
    sink.add(&x, || B::conv_transpose(grad_args(ov, grad, &x.spec.shape, options)));
}
