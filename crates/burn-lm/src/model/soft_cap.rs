use burn_core::tensor::activation::softmax;
use burn_core::tensor::module::AttentionMask;
use burn_core::tensor::{Backend, Bool, Tensor};

/// `cap tanh(x / cap)`.
pub fn soft_cap<B: Backend, const D: usize>(x: Tensor<B, D>, cap: f64) -> Tensor<B, D> {
    (x * (1.0 / cap)).tanh() * cap
}

/// Attention of heads `[batch, heads, length, size]` whose scores are capped before the softmax, which the
/// attention operation does not do.
pub fn capped_attention<B: Backend>(
    [query, key, value]: [Tensor<B, 4>; 3],
    mask: Option<AttentionMask<B>>,
    causal: bool,
    scale: f64,
    cap: f64,
) -> Tensor<B, 4> {
    let ([batch, heads, queries, size], [_, key_heads, keys, _]) = (query.dims(), key.dims());
    let device = query.device();
    // The rows of all heads that share a key head are one matrix.
    let rows = heads / key_heads * queries;
    let query = (query * scale).reshape([batch, key_heads, rows, size]);
    let scores = query.matmul(key.transpose()).reshape([batch, heads, queries, keys]);
    let scores = soft_cap(scores, cap);
    let scores = match mask {
        Some(AttentionMask::Hide(hidden)) => scores.mask_fill(hidden, f64::NEG_INFINITY),
        Some(AttentionMask::Add(added)) => scores + added,
        None => scores,
    };
    let scores = match causal {
        true => {
            let later = Tensor::<B, 4, Bool>::tril_mask([1, 1, queries, keys], 0, &device);
            scores.mask_fill(later, f64::NEG_INFINITY)
        }
        false => scores,
    };
    let weights = softmax(scores, 3).reshape([batch, key_heads, rows, keys]);
    weights.matmul(value).reshape([batch, heads, queries, size])
}
