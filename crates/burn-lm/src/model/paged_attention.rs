use super::soft_cap::soft_cap;
use crate::LmError;
use burn_backend::AttentionArgs;
use burn_core::tensor::activation::softmax;
use burn_core::tensor::module::{AttentionMask, AttentionOptions, try_attention};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Bool, Tensor};

/// Queries up to which pages are read where they are. More of them do so much work with each key that a copy
/// of the pages costs little.
pub const FEW_QUERIES: usize = 8;

/// Keys and values of neighbouring positions, `[1, key heads, positions, d_head]` each.
pub struct KeyRun<B: Backend> {
    pub key: Tensor<B, 4>,
    pub value: Tensor<B, 4>,
    /// True for the queries that attend to no key of the run; `None` if there are none.
    pub blind: Option<Tensor<B, 3, Bool>>,
}

/// Which keys queries attend to, and how scores are made.
pub struct ScoreOptions<B: Backend> {
    /// True where a key is hidden.
    pub hidden: Option<Tensor<B, 4, Bool>>,
    /// Whether query `i` attends to keys `0..=i` only.
    pub causal: bool,
    pub scale: f64,
    pub soft_cap: Option<f64>,
}

/// Attention of queries `[1, heads, queries, d_head]` to runs of keys, which are in the order of their
/// positions and of one dtype.
///
/// A few queries attend to each run where it is, and the results are merged by the logarithms of their sums,
/// so that no page is copied. Queries become what keys are stored as, rather than the keys what queries are.
pub fn paged_attention<B: Backend>(
    query: Tensor<B, 4>,
    runs: Vec<KeyRun<B>>,
    options: ScoreOptions<B>,
) -> Result<Tensor<B, 4>, LmError> {
    let (dtype, is_few) = (query.dtype(), query.dims()[2] <= FEW_QUERIES);
    if let Some(cap) = options.soft_cap {
        return Ok(capped_attention(query, runs, options, cap));
    }
    let query = if is_few { query.cast(runs[0].key.dtype()) } else { query };
    if runs.len() > 1 && is_few && !options.causal {
        return Ok(try_in_operation("attention", || Ok(merged(query, runs, &options).cast(dtype)))?);
    }
    let [key, value] = joined(runs);
    let ScoreOptions { hidden, causal, scale, soft_cap: _ } = options;
    let options = AttentionOptions { causal, scale: Some(scale) };
    Ok(try_attention(query, key, value, hidden.map(AttentionMask::Hide), options)?.cast(dtype))
}

fn merged<B: Backend>(query: Tensor<B, 4>, runs: Vec<KeyRun<B>>, options: &ScoreOptions<B>) -> Tensor<B, 4> {
    let dtype = query.dtype();
    let mut first = 0;
    let mut parts = Vec::with_capacity(runs.len());
    for KeyRun { key, value, blind } in runs {
        let count = key.dims()[2];
        let hidden = options.hidden.clone().map(|hidden| hidden.narrow(3, first, count));
        first += count;
        let (result, log_sums) = B::attention(AttentionArgs {
            query: query.clone().into_handle(),
            key: key.into_handle(),
            value: value.into_handle(),
            mask: hidden.map(Tensor::into_handle),
            causal: false,
            scale: options.scale,
        });
        let (result, log_sums) = (Tensor::<B, 4>::from_handle(result), Tensor::<B, 3>::from_handle(log_sums));
        let log_sums = match blind {
            Some(blind) => log_sums.mask_fill(blind, f64::NEG_INFINITY),
            None => log_sums,
        };
        parts.push((result.cast(log_sums.dtype()), log_sums.unsqueeze_dim::<4>(3)));
    }
    let all = parts.iter().map(|(_, log_sums)| log_sums.clone());
    let largest = all.reduce(|largest, log_sums| largest.max_pair(log_sums)).expect("there are runs");
    let weighed = parts.into_iter().map(|(result, log_sums)| {
        let weight = (log_sums - largest.clone()).exp();
        (result * weight.clone(), weight)
    });
    let (sum, weight) = weighed.reduce(|(sum, all), (x, weight)| (sum + x, all + weight)).expect("as above");
    (sum / weight).cast(dtype)
}

/// Keys and values of all runs.
fn joined<B: Backend>(mut runs: Vec<KeyRun<B>>) -> [Tensor<B, 4>; 2] {
    if runs.len() == 1 {
        let KeyRun { key, value, .. } = runs.remove(0);
        return [key, value];
    }
    let (keys, values): (Vec<_>, Vec<_>) = runs.into_iter().map(|run| (run.key, run.value)).unzip();
    [keys, values].map(|parts| Tensor::cat(parts, 2))
}

/// Attention of heads `[batch, heads, length, size]` whose scores are capped before the softmax, which the
/// attention operation does not do. Scores of all runs are one tensor; keys and values stay where they are.
fn capped_attention<B: Backend>(
    query: Tensor<B, 4>,
    runs: Vec<KeyRun<B>>,
    options: ScoreOptions<B>,
    cap: f64,
) -> Tensor<B, 4> {
    let ([batch, heads, queries, size], key_heads) = (query.dims(), runs[0].key.dims()[1]);
    let (device, dtype) = (query.device(), query.dtype());
    // The rows of all heads that share a key head are one matrix.
    let rows = heads / key_heads * queries;
    let query = (query * options.scale).reshape([batch, key_heads, rows, size]);
    let scores = runs.iter().map(|run| query.clone().matmul(run.key.clone().cast(dtype).transpose()));
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
        own.matmul(run.value.cast(dtype))
    });
    let sum = parts.reduce(|sum, part| sum + part).expect("there are runs");
    sum.reshape([batch, heads, queries, size])
}
