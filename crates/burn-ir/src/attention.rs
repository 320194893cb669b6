//! Scaled dot-product attention.

use crate::{DType, HasSpec, QuantizationScheme, QuantizationType, Shape};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Arguments of attention, `softmax(scale query key^T + mask) value` (Vaswani et al., 2017), and the
/// logarithms of the sums that the softmax divides by.
///
/// `query: [batch, heads, queries, size]`, `key: [batch, key_heads, keys, size]`, `value: [batch, key_heads,
/// keys, size_out]` give `[batch, heads, queries, size_out]` and `[batch, heads, queries]`; `heads` is a
/// multiple of `key_heads`, each of which serves as many heads in a row. A query whose scores are all minus
/// infinity attends to no key: it gives zeros, and the logarithm 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct AttentionArgs<T> {
    pub query: T,
    pub key: T,
    pub value: T,
    /// Broadcasts to `[batch, heads, queries, keys]`. Bools hide where they are true, floats are added to the
    /// scores.
    pub mask: Option<T>,
    /// Whether query `i` attends to keys `0..=i` only.
    pub causal: bool,
    /// Scale of the scores.
    pub scale: f64,
}

/// Arguments of attention to keys and values of eight bits, as language models keep them between steps:
/// [`AttentionArgs`] with the dequantized rows, which are not rounded to the dtype of the query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct QuantizedAttentionArgs<T> {
    pub query: T,
    pub key: QuantizedRows<T>,
    pub value: QuantizedRows<T>,
    /// See [`AttentionArgs::mask`].
    pub mask: Option<T>,
    /// Whether query `i` attends to keys `0..=i` only.
    pub causal: bool,
    /// Scale of the scores.
    pub scale: f64,
}

/// Rows of `QInt8` numbers, symmetric, with a scale for each block of neighbours: `x = number * scale`.
///
/// Row after row, words and scales are those of a [`Packed`](crate::Packed) tensor by
/// [`scheme`](Self::scheme). Having the dimensions of the rows, they can be written and viewed in parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct QuantizedRows<T> {
    /// Words of four numbers, the first in the lowest bits, `[.., size / 4]` of dtype `I32`.
    pub words: T,
    /// Scales, `[.., size / block]`, floats.
    pub scale: T,
}

/// Arguments of attention with a cache, one step of decoding: a row of keys and of values for each sequence
/// is written to the cache, and a query of each sequence attends to the positions that the cache has of it.
/// The function `flash_attn_with_kvcache` (Dao, 2024) and the operator `GroupQueryAttention` of ONNX Runtime
/// do the same.
///
/// Gives the contexts, `[sequences, heads, 1, size]`, and the two caches. The keys of sequence `s` are
/// positions `start + s step ..` of the cache, `keys` of them; its row is written to one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct CachedAttentionArgs<T> {
    /// The new rows, `[sequences, key_heads, size]`.
    pub key: T,
    /// Position in the cache of each new row, `[sequences]`.
    pub places: T,
    pub value: T,
    /// Rotary position encoding of the first elements of queries and new keys (Su et al., 2021): cosines and
    /// sines, `[sequences, 2, rotated elements]`, an even number of them, which may be 0. Rotated are
    /// `x cos + swapped(x) sin`, where `swapped` exchanges the elements of a pair, and the sines of the first
    /// elements of pairs have a minus.
    pub rotation: T,
    /// Whether pairs are neighbours, not elements half of the rotated ones apart.
    pub interleaved: bool,
    pub start: usize,
    /// Positions from one sequence to the next, at least `keys`.
    pub step: usize,
    pub keys: usize,
    /// The queries, `[sequences, heads, 1, size]`, and in place of keys and values their caches,
    /// `[key_heads, positions, size]`. The mask broadcasts to `[sequences, heads, 1, keys]`, and nothing is
    /// causal.
    pub attention: AttentionArgs<T>,
}

impl<T: HasSpec> QuantizedRows<T> {
    /// Returns the shape of the rows. The words must have a dimension at least.
    pub fn shape(&self) -> Shape {
        let words = &self.words.spec().shape;
        let last = words.rank() - 1;
        words.with(last, words[last].saturating_mul(QuantizationType::QInt8.per_word()))
    }

    /// Returns the scheme of rows with a scale for each block.
    pub fn scheme(&self) -> QuantizationScheme {
        let (rows, scale) = (self.shape(), &self.scale.spec().shape);
        let last = rows.rank() - 1;
        // Rows without elements have no blocks.
        let block = rows[last].checked_div(scale[last]).unwrap_or(1);
        QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8).per_block(block)
    }
}

/// Arguments of the gradients of an attention by its query, key and value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct AttentionGradArgs<T> {
    /// Gradient of the first result.
    pub grad: T,
    pub query: T,
    pub key: T,
    pub value: T,
    /// The first result. It and the second one follow from the other operands, and are here to save time.
    pub output: T,
    /// The second result.
    pub log_sums: T,
    pub mask: Option<T>,
    pub causal: bool,
    pub scale: f64,
}

/// Returns the dtype in which attention over elements of `dtype` is computed, which is also that of its
/// log-sums.
pub fn attention_dtype(dtype: DType) -> DType {
    if dtype == DType::F64 { DType::F64 } else { DType::F32 }
}
