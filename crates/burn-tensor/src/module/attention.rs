use crate::check::{check, together};
use crate::promotion::all_promoted;
use crate::{Bool, Tensor, TensorError};
use alloc::boxed::Box;
use burn_backend::{Attention, AttentionArgs, Backend, HasSpec, Operation};
use burn_derive::fallible;

/// Attention mask: hides keys from queries, or is added to the scores. It broadcasts to `[batch, heads,
/// queries, keys]`.
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

/// Options of attention.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttentionOptions {
    /// Whether query `i` attends to keys `0..=i` only.
    pub causal: bool,
    /// The factor of the scores; `1 / sqrt(size)` by default.
    pub scale: Option<f64>,
}

/// Computes scaled dot-product attention (Vaswani et al., 2017): `softmax(scale query key^T + mask) value`.
/// PyTorch: `torch.nn.functional.scaled_dot_product_attention(enable_gqa=True)`, with a mask of the other
/// sense.
///
/// `query: [batch, heads, queries, size]`, `key: [batch, key_heads, keys, size]`, `value: [batch, key_heads,
/// keys, size_out]` give `[batch, heads, queries, size_out]`. `heads` is a multiple of `key_heads`: each of
/// these serves as many heads in a row (grouped queries; Ainslie et al., 2023). A query that looks at no key
/// gives zeros, and its gradients are zero. Scores are made and forgotten in tiles (Dao et al., 2022) where
/// the backend has a kernel for that. Dropout of the scores is left to the module.
///
/// ```
/// use burn::tensor::{Bool, Tensor, backend::Backend, module::*};
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
    let [.., size] = query.dims();
    let scale = options.scale.unwrap_or_else(|| 1.0 / libm::sqrt(size as f64));
    let (hidden, added) = match mask {
        Some(AttentionMask::Hide(hidden)) => (Some(hidden.into_handle()), None),
        Some(AttentionMask::Add(added)) => (None, Some(added.into_handle())),
        None => (None, None),
    };
    let floats = [query.into_handle(), key.into_handle(), value.into_handle()].into_iter().chain(added);
    let mut floats = all_promoted::<B>(floats.collect()).into_iter();
    let mut next = || floats.next().expect("as many as there were");
    let (query, key, value) = (next(), next(), next());
    let mask = hidden.or(floats.next());
    let args = AttentionArgs { query, key, value, mask, causal: options.causal, scale };
    check(&Operation::Attention(Attention::Attention(Box::new(args.map_ref(HasSpec::spec)))))?;
    together::<B>("attention", &args.query, &[&args.key, &args.value])?;
    args.mask.iter().try_for_each(|mask| together::<B>("attention", &args.query, &[mask]))?;
    Ok(Tensor::from_handle(B::attention(args).0))
}
