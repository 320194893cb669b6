//! The three convolutions, as one walk over every product they are made of.

use crate::Array;
use crate::float::Number;
use burn_backend::{ConvArgs, ConvGradArgs, ConvOptions, Dims, Shape};

/// Calls `f(x, weight, out)` with the offsets of each product in a convolution.
fn for_each_product(
    x: &Shape,
    weight: &Shape,
    out: &Shape,
    o: &ConvOptions,
    mut f: impl FnMut(usize, usize, usize),
) {
    let (group_in, group_out) = (weight[1], weight[0] / o.groups);
    let (x_strides, spatial) = (x.strides(), o.stride.len());
    let kernel: Shape = weight[2..].iter().copied().collect();
    for (out_at, out_index) in indices(out).enumerate() {
        let (batch, channel) = (out_index[0], out_index[1]);
        let group = channel / group_out;
        for (tap, tap_index) in indices(&kernel).enumerate() {
            let place = |d: usize| {
                let padded = out_index[d + 2] * o.stride[d] + tap_index[d] * o.dilation[d];
                padded.checked_sub(o.padding[d]).filter(|&at| at < x[d + 2]).map(|at| at * x_strides[d + 2])
            };
            let Some(inside) = (0..spatial).map(place).sum::<Option<usize>>() else { continue };
            for c in 0..group_in {
                let x_at = batch * x_strides[0] + (group * group_in + c) * x_strides[1] + inside;
                f(x_at, (channel * group_in + c) * kernel.num_elements() + tap, out_at);
            }
        }
    }
}

/// Every index of `shape`, row-major.
fn indices(shape: &Shape) -> impl Iterator<Item = Dims> {
    let strides = shape.strides();
    (0..shape.num_elements()).map(move |at| (0..shape.rank()).map(|d| at / strides[d] % shape[d]).collect())
}

pub fn conv<E: Number>(
    x: Array<E>,
    weight: Array<E>,
    bias: Option<Array<E>>,
    out: Shape,
    o: &ConvOptions,
) -> Array<E> {
    let (x, weight) = (x.into_contiguous(), weight.into_contiguous());
    let inner: usize = out[2..].iter().product();
    let mut values = match bias.map(Array::into_contiguous) {
        Some(bias) => (0..out.num_elements()).map(|at| bias.buffer()[at / inner % out[1]]).collect(),
        None => vec![E::default(); out.num_elements()],
    };
    for_each_product(x.shape(), weight.shape(), &out, o, |a, b, c| {
        values[c] = values[c] + x.buffer()[a] * weight.buffer()[b];
    });
    Array::new(out, values)
}

pub fn conv_transpose<E: Number>(
    grad: Array<E>,
    weight: Array<E>,
    target: Shape,
    o: &ConvOptions,
) -> Array<E> {
    let (grad, weight) = (grad.into_contiguous(), weight.into_contiguous());
    let mut values = vec![E::default(); target.num_elements()];
    for_each_product(&target, weight.shape(), grad.shape(), o, |a, b, c| {
        values[a] = values[a] + grad.buffer()[c] * weight.buffer()[b];
    });
    Array::new(target, values)
}

pub fn conv_weight_grad<E: Number>(grad: Array<E>, x: Array<E>, target: Shape, o: &ConvOptions) -> Array<E> {
    let (grad, x) = (grad.into_contiguous(), x.into_contiguous());
    let mut values = vec![E::default(); target.num_elements()];
    for_each_product(x.shape(), &target, grad.shape(), o, |a, b, c| {
        values[b] = values[b] + grad.buffer()[c] * x.buffer()[a];
    });
    Array::new(target, values)
}

pub fn unpack<T>(args: ConvArgs<T>) -> (T, T, Option<T>, ConvOptions) {
    (args.x, args.weight, args.bias, args.options)
}

pub fn unpack_grad<T>(args: ConvGradArgs<T>) -> (T, T, Shape, ConvOptions) {
    (args.grad, args.other, args.target, args.options)
}
