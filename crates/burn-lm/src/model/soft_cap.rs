use super::paged_attention::{KeyRun, ScoreOptions};
use burn_core::tensor::activation::softmax;
use burn_core::tensor::{Backend, Bool, Tensor};

/// `cap tanh(x / cap)`.
pub fn soft_cap<B: Backend, const D: usize>(x: Tensor<B, D>, cap: f64) -> Tensor<B, D> {
    (x * (1.0 / cap)).tanh() * cap
}

/// Attention of heads `[batch, heads, length, size]` whose scores are capped before the softmax, which the
/// attention operation does not do. Scores of all runs are one tensor; keys and values stay where they are.
pub fn capped_attention<B: Backend>(
    query: Tensor<B, 4>,
    runs: Vec<KeyRun<B>>,
    options: ScoreOptions<B>,
    cap: f64,
) -> Tensor<B, 4> {
    let ([batch, heads, queries, size], key_heads) = (query.dims(), runs[0].key.dims()[1]);
    let device = query.device();
    // The rows of all heads that share a key head are one matrix.
    let rows = heads / key_heads * queries;
    let query = (query * options.scale).reshape([batch, key_heads, rows, size]);
    let scores = runs.iter().map(|run| query.clone().matmul(run.key.clone().transpose()));
    let scores = Tensor::cat(scores.collect(), 3);
    let keys = scores.dims()[3];
    let scores = soft_cap(scores.reshape([batch, heads, queries, keys]), cap);
    let scores = match options.hidden {
        Some(hidden) => scores.mask_fill(hidden, f64::NEG_INFINITY),
        None => scores,
    };
    let scores = match options.causal {
        true => {
            let later = Tensor::<B, 4, Bool>::tril_mask([1, 1, queries, keys], 0, &device);
            scores.mask_fill(later, f64::NEG_INFINITY)
        }
        false => scores,
    };
    let weights = softmax(scores, 3).reshape([batch, key_heads, rows, keys]);
    let mut first = 0;
    let parts = runs.into_iter().map(|run| {
        let count = run.value.dims()[2];
        let own = if count == keys { weights.clone() } else { weights.clone().narrow(3, first, count) };
        first += count;
        own.matmul(run.value)
    });
    let sum = parts.reduce(|sum, part| sum + part).expect("there are runs");
    sum.reshape([batch, heads, queries, size])
}
