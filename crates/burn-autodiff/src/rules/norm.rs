use super::{B, Operand, Sink, Tensor};
use burn_backend::ops::{add, mul, narrow, neg, scale, square, sub, wide};
use burn_backend::{
    BinaryOp, Dims, HasSpec, LayerNormArgs, LayerNormGradArgs, ReduceOp, Scalar, TypedCalls, UnaryOp,
};

/// Computes the gradients of layer normalization: by the input with a kernel of its own; by the weight `g y`,
/// where `y` is the normalized input; by the bias `g`.
pub fn layer_norm(args: LayerNormArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let LayerNormArgs { x, weight, bias, epsilon } = args;
    if let Some(bias) = &bias {
        sink.add(bias, || grad.clone());
    }
    let value = sink.value(&x);
    if let Some(weight) = &weight {
        sink.add(weight, || mul::<B>(grad.clone(), normalised(value.clone(), epsilon)));
    }
    let weight = weight.map(|weight| sink.value(&weight));
    sink.add(&x, || B::layer_norm_grad(LayerNormGradArgs { grad, x: value, weight, epsilon }));
}

/// `x` with the mean 0 and the variance 1.
fn normalised(x: Tensor, epsilon: f64) -> Tensor {
    B::layer_norm(LayerNormArgs { x, weight: None, bias: None, epsilon })
}

fn mean(x: Tensor) -> Tensor {
    let last = x.shape().rank() - 1;
    B::reduce(ReduceOp::Mean, x, Dims::from([last]))
}

/// Computes the gradients of `layer_norm_grad`, which is linear in the gradient `g`, with a symmetric matrix,
/// so by `g` it is itself. By the input it is `-(y (mean(u h) - mean(u) mean(h) - 3 p q) + q (u - mean(u)) +
/// p (h - mean(h))) / deviation^2`, where `u` comes from above, `h` is `g` times the weight, `p` is `mean(u
/// y)` and `q` is `mean(h y)`.
pub fn layer_norm_grad(args: LayerNormGradArgs<Operand>, above: Tensor, sink: &mut Sink<'_>) {
    let LayerNormGradArgs { grad, x, weight, epsilon } = args;
    let value = sink.value(&x);
    let factor = weight.as_ref().map(|weight| sink.value(weight));
    let weighted = |x: Tensor| match &factor {
        Some(factor) => mul::<B>(x, factor.clone()),
        None => x,
    };
    let turned = |grad: Tensor| {
        B::layer_norm_grad(LayerNormGradArgs { grad, x: value.clone(), weight: None, epsilon })
    };
    sink.add(&grad, || weighted(turned(above.clone())));
    let given = sink.value(&grad);
    if let Some(weight) = &weight {
        sink.add(weight, || mul::<B>(given.clone(), turned(above.clone())));
    }
    sink.add(&x, || {
        let (dtype, value) = (value.dtype(), wide::<B>(value.clone()));
        let (u, h) = (wide::<B>(above.clone()), wide::<B>(weighted(given.clone())));
        let y = normalised(value.clone(), epsilon);
        let (u_mean, h_mean) = (mean(u.clone()), mean(h.clone()));
        let (p, q) = (mean(mul::<B>(u.clone(), y.clone())), mean(mul::<B>(h.clone(), y.clone())));
        let both = mean(mul::<B>(u.clone(), h.clone()));
        let along = sub::<B>(
            sub::<B>(both, mul::<B>(u_mean.clone(), h_mean.clone())),
            scale::<B>(mul::<B>(p.clone(), q.clone()), 3.0),
        );
        let sides = add::<B>(mul::<B>(q, sub::<B>(u, u_mean)), mul::<B>(p, sub::<B>(h, h_mean)));
        let slope = neg::<B>(add::<B>(mul::<B>(y, along), sides));
        narrow::<B>(mul::<B>(slope, inverse_variance(value, epsilon)), dtype)
    });
}

/// `1 / (variance + epsilon)`.
fn inverse_variance(x: Tensor, epsilon: f64) -> Tensor {
    let centred = sub::<B>(x.clone(), mean(x));
    let variance = mean(square::<B>(centred));
    B::unary(UnaryOp::Recip, B::binary_scalar(BinaryOp::Add, variance, Scalar::Float(epsilon)))
}
