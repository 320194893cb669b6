use alloc::vec::Vec;
use burn_core::tensor::module::AttentionMask;
use burn_core::tensor::{Backend, Bool, Tensor, TensorError};

/// Returns the causal attention mask, `[batch, length, length]`: `true` where the key comes after the query.
///
/// [`MhaInput::causal`](super::MhaInput::causal) does the same without a mask in memory.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::attention::generate_autoregressive_mask;
///
/// let mask = generate_autoregressive_mask::<NdArray>(1, 2, &Default::default());
/// assert_eq!(mask.into_data().to_vec::<bool>().unwrap(), [false, true, false, false]);
/// ```
pub fn generate_autoregressive_mask<B: Backend>(
    batch: usize,
    length: usize,
    device: &B::Device,
) -> Tensor<B, 3, Bool> {
    Tensor::tril_mask([batch, length, length], 0, device)
}

/// Sizes of the scores.
#[derive(Clone, Copy, Debug)]
pub struct ScoreSizes {
    pub batch: usize,
    pub heads: usize,
    pub queries: usize,
    pub keys: usize,
}

/// Masks of an attention; see [`MhaInput`](super::MhaInput).
#[derive(Clone, Debug)]
pub struct Masks<B: Backend> {
    pub pad: Option<Tensor<B, 2, Bool>>,
    pub attn: Option<Tensor<B, 3, Bool>>,
    pub add: Option<Tensor<B, 4>>,
    pub causal: bool,
}

impl<B: Backend> Default for Masks<B> {
    fn default() -> Self {
        Masks { pad: None, attn: None, add: None, causal: false }
    }
}

impl<B: Backend> Masks<B> {
    /// Checks that the masks have the sizes of the scores.
    pub fn check(&self, layer: &'static str, sizes: ScoreSizes) -> Result<(), TensorError> {
        let ScoreSizes { batch, heads, queries, keys } = sizes;
        if let Some(pad) = &self.pad {
            check_mask(layer, "padding mask", &pad.dims(), &[batch, keys], 2)?;
        }
        if let Some(attn) = &self.attn {
            check_mask(layer, "attention mask", &attn.dims(), &[batch, queries, keys], 2)?;
        }
        if let Some(add) = &self.add {
            check_mask(layer, "additive mask", &add.dims(), &[batch, heads, queries, keys], 1)?;
        }
        Ok(())
    }

    /// Prepends `count` keys that every query attends to.
    pub fn with_visible_keys(self, count: usize) -> Self {
        if count == 0 {
            return self;
        }
        Masks {
            pad: self.pad.map(|mask| in_front(mask, count)),
            attn: self.attn.map(|mask| in_front(mask, count)),
            add: self.add.map(|mask| {
                let [batch, heads, queries, _] = mask.dims();
                let front = Tensor::zeros([batch, heads, queries, count], (&mask.device(), mask.dtype()));
                Tensor::cat(Vec::from([front, mask]), 3)
            }),
            causal: self.causal,
        }
    }

    /// Merges the padding, attention and additive masks into one, for layers that share them.
    pub fn merged_for(self, layer: &'static str, sizes: [usize; 4]) -> Result<Self, TensorError> {
        let [batch, heads, queries, keys] = sizes;
        self.check(layer, ScoreSizes { batch, heads, queries, keys })?;
        let count = usize::from(self.pad.is_some())
            + usize::from(self.attn.is_some())
            + usize::from(self.add.is_some());
        if count < 2 {
            return Ok(self);
        }
        let causal = self.causal;
        let (attn, add) = match self.one() {
            Some(AttentionMask::Hide(hidden)) => {
                let [batch, _, queries, keys] = hidden.dims();
                (Some(hidden.reshape([batch, queries, keys])), None)
            }
            Some(AttentionMask::Add(added)) => (None, Some(added)),
            None => (None, None),
        };
        Ok(Masks { pad: None, attn, add, causal })
    }

    /// Returns the mask of the attention operation for queries that come after `offset` keys, and whether the
    /// operation hides later keys itself: it does when the first query is at the first key and `flag` permits
    /// it.
    pub fn for_scores(
        mut self,
        sizes: ScoreSizes,
        offset: usize,
        flag: bool,
        device: &B::Device,
    ) -> (Option<AttentionMask<B>>, bool) {
        // A query at or after the last key attends to all of them.
        let causal = self.causal && sizes.keys > offset + 1;
        if !causal || (flag && offset == 0) {
            return (self.one(), causal);
        }
        let later = Tensor::<B, 3, Bool>::tril_mask([1, sizes.queries, sizes.keys], offset as i64, device);
        self.attn = Some(match self.attn {
            Some(attn) => attn.bool_or(later),
            None => later,
        });
        (self.one(), false)
    }

    fn one(self) -> Option<AttentionMask<B>> {
        let attn = self.attn.map(|mask| {
            let [batch, queries, keys] = mask.dims();
            mask.reshape([batch, 1, queries, keys])
        });
        let pad = self.pad.map(|mask| {
            let [batch, keys] = mask.dims();
            mask.reshape([batch, 1, 1, keys])
        });
        let hidden = match (attn, pad) {
            (Some(attn), Some(pad)) => Some(attn.bool_or(pad)),
            (attn, pad) => attn.or(pad),
        };
        match (hidden, self.add) {
            (Some(hidden), Some(added)) => {
                let nothing = Tensor::full([1; 4], f64::NEG_INFINITY, (&added.device(), added.dtype()));
                Some(AttentionMask::Add(added.mask_where(hidden, nothing)))
            }
            (Some(hidden), None) => Some(AttentionMask::Hide(hidden)),
            (None, added) => added.map(AttentionMask::Add),
        }
    }
}

/// `false` for `count` more keys in front.
fn in_front<B: Backend, const D: usize>(mask: Tensor<B, D, Bool>, count: usize) -> Tensor<B, D, Bool> {
    let mut dims = mask.dims();
    dims[D - 1] = count;
    Tensor::cat(Vec::from([Tensor::zeros(dims, &mask.device()), mask]), D - 1)
}

/// Whether a mask is `expected`. The dimensions before the last `exact` may be 1.
fn check_mask(
    layer: &'static str,
    name: &str,
    found: &[usize],
    expected: &[usize],
    exact: usize,
) -> Result<(), TensorError> {
    let free = expected.len() - exact;
    let fits = (0..expected.len()).all(|dim| found[dim] == expected[dim] || (dim < free && found[dim] == 1));
    if fits {
        return Ok(());
    }
    Err(TensorError::argument(
        layer,
        format_args!("wrong shape of the {name}; expected {expected:?}, got {found:?}"),
    ))
}
