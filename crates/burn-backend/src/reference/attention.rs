//! Attention as a matrix of scores.

use super::precision::{narrow, wide};
use crate::{Backend, ops};
use burn_ir::{
    AttentionArgs, AttentionGradArgs, BinaryOp, CompareOp, DType, Dims, HasSpec, Packed,
    QuantizedAttentionArgs, QuantizedRows, ReduceOp, Scalar, Shape, TensorSpec, UnaryOp, attention_dtype,
};

/// See [`AttentionArgs`].
pub fn attention<B: Backend>(args: AttentionArgs<B::Tensor>) -> (B::Tensor, B::Tensor) {
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    let (dtype, shape, key_heads) = (query.dtype(), query.shape(), key.spec().shape[1]);
    let [query, key, value] = [query, key, value].map(wide::<B>);
    let scores = scores::<B>(ops::scale::<B>(query, scale), key, mask, causal);
    let (weights, log_sums) = weights::<B>(scores);
    let result = B::matmul(join_shared_heads::<B>(weights, key_heads), value);
    (narrow::<B>(split_shared_heads::<B>(result, &shape), dtype), log_sums)
}

/// Computes the gradients of attention: with `d = grad value^T`, the gradient of the weights `w`, the
/// gradient of the scores is `w (d - sum(w d))`.
pub fn attention_grad<B: Backend>(args: AttentionGradArgs<B::Tensor>) -> (B::Tensor, B::Tensor, B::Tensor) {
    let AttentionGradArgs { grad, query, key, value, output: _, log_sums: _, mask, causal, scale } = args;
    let (dtype, shape, key_heads) = (query.dtype(), query.shape(), key.spec().shape[1]);
    let [grad, query, key, value] = [grad, query, key, value].map(wide::<B>);
    let query = ops::scale::<B>(query, scale);
    let weights = weights::<B>(scores::<B>(query.clone(), key.clone(), mask, causal)).0;
    let [grad, query, weights] = [grad, query, weights].map(|x| join_shared_heads::<B>(x, key_heads));
    let sloped = B::matmul(grad.clone(), ops::transpose::<B>(value));
    let value_grad = B::matmul(ops::transpose::<B>(weights.clone()), grad);
    let along = ops::mul::<B>(weights.clone(), sloped.clone());
    let level = ops::sum_dims::<B>(along, Dims::from([3]));
    let score_grad = ops::mul::<B>(weights, ops::sub::<B>(sloped, level));
    let key_grad = B::matmul(ops::transpose::<B>(score_grad.clone()), query);
    let query_grad = split_shared_heads::<B>(ops::scale::<B>(B::matmul(score_grad, key), scale), &shape);
    let narrow = |x| narrow::<B>(x, dtype);
    (narrow(query_grad), narrow(key_grad), narrow(value_grad))
}

/// Computes attention to dequantized copies of keys and values, which are not rounded to half precision.
pub fn quantized_attention<B: Backend>(args: QuantizedAttentionArgs<B::Tensor>) -> (B::Tensor, B::Tensor) {
    let QuantizedAttentionArgs { query, key, value, mask, causal, scale } = args;
    let (dtype, computed) = (query.dtype(), attention_dtype(query.dtype()));
    let [key, value] = [key, value].map(|rows| {
        let (shape, scheme) = (rows.shape(), rows.scheme());
        let list = |x: B::Tensor| {
            let count = x.spec().shape.num_elements();
            B::reshape(x, Shape::new([count]))
        };
        let QuantizedRows { words, scale } = rows;
        let scale = list(narrow::<B>(scale, computed));
        B::dequantize(Packed { values: list(words), scale, zero: None, scheme, shape })
    });
    let (query, mask) = (wide::<B>(query), mask.map(wide::<B>));
    let (result, log_sums) = B::attention(AttentionArgs { query, key, value, mask, causal, scale });
    (narrow::<B>(result, dtype), log_sums)
}

/// Joins the rows of all heads that share a key as one matrix.
fn join_shared_heads<B: Backend>(x: B::Tensor, key_heads: usize) -> B::Tensor {
    let shape = x.shape();
    let rows = shape[1] / key_heads * shape[2];
    B::reshape(x, Shape::from([shape[0], key_heads, rows, shape[3]]))
}

/// Splits them again: heads and rows are those of `query`.
fn split_shared_heads<B: Backend>(x: B::Tensor, query: &Shape) -> B::Tensor {
    let last = x.spec().shape[3];
    B::reshape(x, query.with(3, last))
}

/// Computes the scores `query key^T + mask`, minus infinity where a key is hidden.
fn scores<B: Backend>(query: B::Tensor, key: B::Tensor, mask: Option<B::Tensor>, causal: bool) -> B::Tensor {
    let (shape, key_heads, keys) = (query.shape(), key.spec().shape[1], key.spec().shape[2]);
    let products = B::matmul(join_shared_heads::<B>(query, key_heads), ops::transpose::<B>(key));
    let mut scores = split_shared_heads::<B>(products, &shape);
    let hide = |scores, mask| B::mask_fill(scores, mask, Scalar::Float(f64::NEG_INFINITY));
    if let Some(mask) = mask {
        let is_bool = mask.dtype() == DType::Bool;
        scores = if is_bool { hide(scores, mask) } else { ops::add::<B>(scores, wide::<B>(mask)) };
    }
    if causal {
        let device = B::device(&scores);
        let index = if B::has_dtype(&device, DType::I32) { DType::I32 } else { DType::I64 };
        let places = |shape: [usize; 2]| {
            let count = shape[0] * shape[1];
            let spec = TensorSpec::new([count], index);
            B::reshape(B::range(spec, Scalar::Int(0), Scalar::Int(1), &device), Shape::from(shape))
        };
        let later = B::compare(CompareOp::Greater, places([1, keys]), places([shape[2], 1]));
        scores = hide(scores, B::reshape(later, Shape::from([1, 1, shape[2], keys])));
    }
    scores
}

/// Computes the softmax of each row, 0 where all scores are minus infinity, and the logarithm of its
/// denominator.
fn weights<B: Backend>(scores: B::Tensor) -> (B::Tensor, B::Tensor) {
    let shape = scores.shape();
    let last = || Dims::from([3]);
    let hidden = Scalar::Float(f64::NEG_INFINITY);
    let hidden = B::compare_scalar(CompareOp::Equal, B::detach(scores.clone()), hidden);
    let blind = B::reduce(ReduceOp::All, hidden, last());
    let nothing = |x, blind| B::mask_fill(x, blind, Scalar::Int(0));
    let scores = nothing(scores, blind.clone());
    let (shifted, largest) = if shape[3] == 0 {
        (scores, None)
    } else {
        let largest = B::reduce(ReduceOp::Max, B::detach(scores.clone()), last());
        (ops::sub::<B>(scores, largest.clone()), Some(largest))
    };
    let exp = B::unary(UnaryOp::Exp, shifted);
    let sum = ops::sum_dims::<B>(exp.clone(), last());
    let log = B::unary(UnaryOp::Log, B::detach(sum.clone()));
    let log = match largest {
        Some(largest) => B::binary(BinaryOp::Add, log, largest),
        None => log,
    };
    let log_sums = B::reshape(nothing(log, blind.clone()), Shape::from(&shape[..3]));
    (nothing(ops::div::<B>(exp, sum), blind), log_sums)
}
