//! Attention with a cache: rotations, writes and attention one after the other.

use super::rotary::{narrow, rotary_embedding};
use crate::Backend;
use burn_ir::{AttentionArgs, CachedAttentionArgs, Dims, HasSpec, IndexUpdate, Shape};

/// See [`CachedAttentionArgs`].
pub fn cached_attention<B: Backend>(
    args: CachedAttentionArgs<B::Tensor>,
) -> (B::Tensor, B::Tensor, B::Tensor) {
    let CachedAttentionArgs { key, places, value, rotation, interleaved, start, step, keys, attention } =
        args;
    let AttentionArgs { query, key: key_cache, value: value_cache, mask, causal, scale } = attention;
    let shape = query.shape();
    let [sequences, heads, size] = [0, 1, 3].map(|dim| shape[dim]);
    let rotated = |x| rotary_embedding::<B>(x, &rotation, interleaved);
    let query = rotated(B::reshape(query, Shape::from([sequences, heads, size])));
    let key = rotated(key);
    let written = |cache: B::Tensor, rows: B::Tensor| {
        let rows = B::permute(rows, Dims::from([1, 0, 2]));
        B::select_assign(cache, 1, places.clone(), rows, IndexUpdate::Assign)
    };
    let (key_cache, value_cache) = (written(key_cache, key), written(value_cache, value));
    let visible = |cache: &B::Tensor| {
        let key_heads = cache.spec().shape[0];
        let all = narrow::<B>(cache.clone(), 1, start..start + sequences * step);
        let runs = B::reshape(all, Shape::from([key_heads, sequences, step, size]));
        B::permute(narrow::<B>(runs, 2, 0..keys), Dims::from([1, 0, 2, 3]))
    };
    let query = B::reshape(query, shape);
    let (key, value) = (visible(&key_cache), visible(&value_cache));
    let (context, _log_sums) = B::attention(AttentionArgs { query, key, value, mask, causal, scale });
    (context, key_cache, value_cache)
}
