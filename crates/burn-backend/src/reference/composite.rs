use super::precision::{narrow, wide};
use crate::{Backend, ops};
use burn_ir::{BinaryOp, Dims, HasSpec, LayerNormArgs, LayerNormGradArgs, ReduceOp, Scalar, UnaryOp};

/// Computes `exp(x - max) / sum(exp(x - max))` along `dim`.
pub fn softmax<B: Backend>(x: B::Tensor, dim: usize) -> B::Tensor {
    let dtype = x.dtype();
    let exp = B::unary(UnaryOp::Exp, shifted::<B>(wide::<B>(x), dim));
    let sum = ops::sum_dims::<B>(exp.clone(), Dims::from([dim]));
    narrow::<B>(ops::div::<B>(exp, sum), dtype)
}

/// Computes `(x - max) - log(sum(exp(x - max)))` along `dim`.
pub fn log_softmax<B: Backend>(x: B::Tensor, dim: usize) -> B::Tensor {
    let dtype = x.dtype();
    let shifted = shifted::<B>(wide::<B>(x), dim);
    let sum = ops::sum_dims::<B>(B::unary(UnaryOp::Exp, shifted.clone()), Dims::from([dim]));
    narrow::<B>(ops::sub::<B>(shifted, B::unary(UnaryOp::Log, sum)), dtype)
}

fn shifted<B: Backend>(x: B::Tensor, dim: usize) -> B::Tensor {
    if x.spec().shape[dim] == 0 {
        return x;
    }
    let max = B::reduce(ReduceOp::Max, x.clone(), Dims::from([dim]));
    ops::sub::<B>(x, B::detach(max))
}

/// Standardizes `x` to mean 0 and variance 1 along its last dimension, and returns the standard deviation,
/// too.
fn standardised<B: Backend>(x: B::Tensor, epsilon: f64) -> (B::Tensor, B::Tensor) {
    let centred = ops::sub::<B>(x.clone(), last_mean::<B>(x));
    let variance = last_mean::<B>(ops::square::<B>(centred.clone()));
    let variance = B::binary_scalar(BinaryOp::Add, variance, Scalar::Float(epsilon));
    let deviation = B::unary(UnaryOp::Sqrt, variance);
    (ops::div::<B>(centred, deviation.clone()), deviation)
}

fn last_mean<B: Backend>(x: B::Tensor) -> B::Tensor {
    let last = x.spec().shape.rank() - 1;
    B::reduce(ReduceOp::Mean, x, Dims::from([last]))
}

/// See [`LayerNormArgs`].
pub fn layer_norm<B: Backend>(args: LayerNormArgs<B::Tensor>) -> B::Tensor {
    let LayerNormArgs { x, weight, bias, epsilon } = args;
    let dtype = x.dtype();
    let normal = standardised::<B>(wide::<B>(x), epsilon).0;
    let scaled = match weight {
        Some(weight) => ops::mul::<B>(normal, wide::<B>(weight)),
        None => normal,
    };
    let shifted = match bias {
        Some(bias) => ops::add::<B>(scaled, wide::<B>(bias)),
        None => scaled,
    };
    narrow::<B>(shifted, dtype)
}

/// Computes `(g - mean(g) - y mean(g y)) / deviation`, where `y` is the input normalised and `g` the gradient
/// times the weight.
pub fn layer_norm_grad<B: Backend>(args: LayerNormGradArgs<B::Tensor>) -> B::Tensor {
    let LayerNormGradArgs { grad, x, weight, epsilon } = args;
    let (dtype, grad) = (x.dtype(), wide::<B>(grad));
    let (y, deviation) = standardised::<B>(wide::<B>(x), epsilon);
    let g = match weight {
        Some(weight) => ops::mul::<B>(grad, wide::<B>(weight)),
        None => grad,
    };
    let along = last_mean::<B>(ops::mul::<B>(g.clone(), y.clone()));
    let centred = ops::sub::<B>(g.clone(), last_mean::<B>(g));
    narrow::<B>(ops::div::<B>(ops::sub::<B>(centred, ops::mul::<B>(y, along)), deviation), dtype)
}
