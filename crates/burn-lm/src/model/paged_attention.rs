use super::soft_cap::soft_cap;
use crate::LmError;
use crate::cache::{StoredRows, floats, joined};
use burn_backend::{AttentionArgs, HasSpec, QuantizedAttentionArgs};
use burn_core::tensor::activation::softmax;
use burn_core::tensor::module::{AttentionMask, AttentionOptions, try_attention};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Bool, Tensor};

/// Queries up to which pages are read where they are. More of them do so much work with each key that a copy
/// of the pages costs little.
pub const FEW_QUERIES: usize = 8;

/// Keys and values of neighbouring positions, `[batch, key heads, positions, d_head]` each.
pub struct KeyRun<B: Backend> {
    pub key: StoredRows<B::Tensor>,
    pub value: StoredRows<B::Tensor>,
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

/// Attention of queries `[batch, heads, queries, d_head]` to runs of keys, which are in the order of their
/// positions and stored alike.
///
/// A few queries attend to each run where it is, and the results are merged by the logarithms of their sums,
/// so that no page is copied. Queries become the floats that keys are stored as, rather than the keys what
/// queries are.
pub fn paged_attention<B: Backend>(
    query: Tensor<B, 4>,
    runs: Vec<KeyRun<B>>,
    options: ScoreOptions<B>,
) -> Result<Tensor<B, 4>, LmError> {
    let (dtype, is_few) = (query.dtype(), query.dims()[2] <= FEW_QUERIES);
    if let Some(cap) = options.soft_cap {
        return Ok(capped_attention(query, runs, options, cap));
    }
    let is_quantized = runs[0].key.scale.is_some();
    let query = match is_few && !is_quantized {
        true => query.cast(runs[0].key.numbers.spec().dtype),
        false => query,
    };
    if runs.len() > 1 && is_few && !options.causal {
        return Ok(try_in_operation("attention", || Ok(merged(query, runs, &options).cast(dtype)))?);
    }
    let (keys, values): (Vec<_>, Vec<_>) = runs.into_iter().map(|run| (run.key, run.value)).unzip();
    let [key, value] = [keys, values].map(joined::<B>);
    let ScoreOptions { hidden, causal, scale, soft_cap: _ } = options;
    if is_quantized {
        let attend = || Ok(attention::<B>(query, [key, value], hidden, causal, scale).0);
        return Ok(try_in_operation("attention", attend)?);
    }
    let [key, value] = [key, value].map(|x| Tensor::from_handle(x.numbers));
    let options = AttentionOptions { causal, scale: Some(scale) };
    Ok(try_attention(query, key, value, hidden.map(AttentionMask::Hide), options)?.cast(dtype))
}

fn merged<B: Backend>(query: Tensor<B, 4>, runs: Vec<KeyRun<B>>, options: &ScoreOptions<B>) -> Tensor<B, 4> {
    let dtype = query.dtype();
    let mut first = 0;
    let mut parts = Vec::with_capacity(runs.len());
    for KeyRun { key, value, blind } in runs {
        let count = key.numbers.spec().shape[2];
        let hidden = options.hidden.clone().map(|hidden| hidden.narrow(3, first, count));
        first += count;
        let (result, log_sums) = attention(query.clone(), [key, value], hidden, false, options.scale);
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

/// Attention to keys and values as they are stored, and the logarithms of the sums.
fn attention<B: Backend>(
    query: Tensor<B, 4>,
    [key, value]: [StoredRows<B::Tensor>; 2],
    hidden: Option<Tensor<B, 4, Bool>>,
    causal: bool,
    scale: f64,
) -> (Tensor<B, 4>, Tensor<B, 3>) {
    let (query, mask) = (query.into_handle(), hidden.map(Tensor::into_handle));
    let (result, log_sums) = match (key.into_quantized(), value.into_quantized()) {
        (Ok(key), Ok(value)) => {
            B::quantized_attention(QuantizedAttentionArgs { query, key, value, mask, causal, scale })
        }
        (Err(key), Err(value)) => B::attention(AttentionArgs { query, key, value, mask, causal, scale }),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => unreachable!("a cache stores both alike"),
    };
    (Tensor::from_handle(result), Tensor::from_handle(log_sums))
}

/// Attention of heads `[batch, heads, length, size]` whose scores are capped before the softmax, which the
/// attention operation does not do. Scores of all runs are one tensor; keys and values stay where they are.
fn capped_attention<B: Backend>(
    query: Tensor<B, 4>,
    runs: Vec<KeyRun<B>>,
    options: ScoreOptions<B>,
    cap: f64,
) -> Tensor<B, 4> {
    let ([batch, heads, queries, size], key_heads) = (query.dims(), runs[0].key.numbers.spec().shape[1]);
    let (device, dtype) = (query.device(), query.dtype());
    // The rows of all heads that share a key head are one matrix.
    let rows = heads / key_heads * queries;
    let query = (query * options.scale).reshape([batch, key_heads, rows, size]);
    let scores =
        runs.iter().map(|run| query.clone().matmul(floats::<B, 4>(run.key.clone(), dtype).transpose()));
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
        let count = run.value.numbers.spec().shape[2];
        let own = if count == keys { weights.clone() } else { weights.clone().narrow(3, first, count) };
        first += count;
        own.matmul(floats(run.value, dtype))
    });
    let sum = parts.reduce(|sum, part| sum + part).expect("there are runs");
    sum.reshape([batch, heads, queries, size])
}
