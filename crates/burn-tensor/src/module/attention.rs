use crate::activation::try_softmax;
use crate::check::ensure;
use crate::{Bool, Tensor, TensorError};
use burn_backend::Backend;
use burn_derive::fallible;

/// Which keys a query does not look at; it broadcasts to `[batch, heads, queries, keys]`.
#[derive(Clone, Debug)]
pub enum AttentionMask<B: Backend> {
    /// True where a query does not look at a key. PyTorch's masks are true where it does.
    Hide(Tensor<B, 4, Bool>),
    /// Added to the scores; minus infinity hides.
    Add(Tensor<B, 4>),
}

impl<B: Backend> From<Tensor<B, 4, Bool>> for AttentionMask<B> {
    fn from(hidden: Tensor<B, 4, Bool>) -> Self {
        AttentionMask::Hide(hidden)
    }
}

impl<B: Backend> From<Tensor<B, 4>> for AttentionMask<B> {
    fn from(added: Tensor<B, 4>) -> Self {
        AttentionMask::Add(added)
    }
}

/// How queries look at keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttentionOptions {
    /// Whether query `i` looks at keys `0..=i` only.
    pub causal: bool,
    /// The factor of the scores; `1 / sqrt(size)` by default.
    pub scale: Option<f64>,
}

/// Scaled dot-product attention (Vaswani et al., 2017): `softmax(scale query key^T + mask) value`.
/// PyTorch: `torch.nn.functional.scaled_dot_product_attention(enable_gqa=True)`, with a mask of the other sense.
///
/// `query: [batch, heads, queries, size]`, `key: [batch, key_heads, keys, size]`,
/// `value: [batch, key_heads, keys, size_out]` give `[batch, heads, queries, size_out]`. `heads` is a multiple of
/// `key_heads`: each of these serves as many heads in a row (grouped queries; Ainslie et al., 2023). A query that looks
/// at no key gives zeros, and its gradients are zero. Dropout of the scores is left to the module.
///
/// ```
/// # use burn_tensor::{Bool, Tensor, backend::Backend, module::*};
/// fn look<B: Backend>(query: Tensor<B, 4>, memory: Tensor<B, 4>, padding: Tensor<B, 2, Bool>) -> Tensor<B, 4> {
///     let [batch, keys] = padding.dims();
///     let hidden = padding.reshape([batch, 1, 1, keys]);
///     attention(query, memory.clone(), memory, Some(hidden.into()), AttentionOptions::default())
/// }
/// ```
///
/// # Errors
/// When shapes do not fit.
#[fallible]
pub fn try_attention<B: Backend>(
    query: Tensor<B, 4>,
    key: Tensor<B, 4>,
    value: Tensor<B, 4>,
    mask: Option<AttentionMask<B>>,
    options: AttentionOptions,
) -> Result<Tensor<B, 4>, TensorError> {
    let ([batch, heads, queries, size], [_, key_heads, keys, _]) = (query.dims(), key.dims());
    let size_out = value.dims()[3];
    ensure!(
        key.dims() == [batch, key_heads, keys, size]
            && value.dims() == [batch, key_heads, keys, size_out]
            && key_heads > 0
            && heads.is_multiple_of(key_heads),
        "attention",
        "query {:?}, key {:?} and value {:?} do not fit",
        query.shape(),
        key.shape(),
        value.shape()
    );
    let device = query.device();
    let scale = options.scale.unwrap_or_else(|| 1.0 / libm::sqrt(size as f64));
    // The queries of all heads that share a key are one matrix.
    let together = [batch, key_heads, heads / key_heads * queries];
    let [b, h, rows] = together;
    let scores =
        query.try_mul_scalar(scale)?.try_reshape([b, h, rows, size])?.try_matmul(key.try_transpose()?)?;
    let mut scores = scores.try_reshape([batch, heads, queries, keys])?;
    let masked = mask.is_some() || options.causal;
    match mask {
        Some(AttentionMask::Hide(hidden)) => scores = scores.try_mask_fill(hidden, f64::NEG_INFINITY)?,
        Some(AttentionMask::Add(added)) => {
            let (found, wanted) = (added.dims(), scores.dims());
            let fits = found.iter().zip(wanted).all(|(&found, wanted)| found == wanted || found == 1);
            ensure!(fits, "attention", "a mask {found:?} for scores {wanted:?}");
            scores = scores.try_add(added)?;
        }
        None => {}
    }
    if options.causal {
        let later = Tensor::<B, 2, Bool>::try_tril_mask([queries, keys], 0, &device)?;
        scores = scores.try_mask_fill(later.try_reshape([1, 1, queries, keys])?, f64::NEG_INFINITY)?;
    }
    let weights = if masked { softmax_or_zero(scores)? } else { try_softmax(scores, 3)? };
    let weights = weights.try_reshape([b, h, rows, keys])?;
    weights.try_matmul(value)?.try_reshape([batch, heads, queries, size_out])
}

/// Softmax along the last dimension, 0 where all scores are minus infinity.
#[track_caller]
fn softmax_or_zero<B: Backend>(scores: Tensor<B, 4>) -> Result<Tensor<B, 4>, TensorError> {
    let blind = scores.clone().detach().equal_elem(f64::NEG_INFINITY).try_all_dim(3)?;
    let weights = try_softmax(scores.try_mask_fill(blind.clone(), 0)?, 3)?;
    weights.try_mask_fill(blind, 0)
}
