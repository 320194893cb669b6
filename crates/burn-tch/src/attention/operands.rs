use crate::library::Torch;
use crate::memory::in_order;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use burn_backend::{AttentionArgs, DType, HasSpec, TensorSpec};
use burn_library_backend::{Kernels, Memory};
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// Rows of a bias begin at multiples of so many elements, as the kernels read them.
const BIAS_ROW: usize = 16;

/// Query, key and value with the elements of a row in order, and a bias for the scores instead of a mask.
pub struct Operands {
    pub query: Tensor,
    pub key: Tensor,
    pub value: Tensor,
    /// `[batch, heads, queries, keys]`, minus infinity where a key is hidden.
    pub bias: Option<Tensor>,
    pub causal: bool,
    pub scale: f64,
    _bias_memory: Option<Memory>,
}

impl Operands {
    /// # Errors
    /// When a copy fails.
    #[track_caller]
    pub fn new(args: AttentionArgs<&TchTensor>) -> Result<Self> {
        let AttentionArgs { query, key, value, mask, causal, scale } = args;
        let (bias, memory) = mask.map(|mask| bias(mask, query, key)).transpose()?.unzip();
        let [query, key, value] = [rows(query)?, rows(key)?, rows(value)?];
        Ok(Operands { query, key, value, bias, causal, scale, _bias_memory: memory })
    }

    /// Whether several heads of the query have one of the key.
    pub fn shares_heads(&self) -> bool {
        self.query.size()[1] != self.key.size()[1]
    }
}

/// Heads in rows of elements that lie in order.
#[track_caller]
pub fn rows(x: &TchTensor) -> Result<Tensor> {
    let x = x.tch();
    if x.stride().last() == Some(&1) { Ok(x.shallow_clone()) } else { in_order(x) }
}

/// Whether the mask can be a bias, which has the element type of the query.
pub fn is_bias(mask: &TchTensor, query: &TchTensor) -> bool {
    mask.dtype() == DType::Bool || mask.dtype() == query.dtype()
}

/// A mask as a bias of the scores.
#[track_caller]
fn bias(mask: &TchTensor, query: &TchTensor, key: &TchTensor) -> Result<(Tensor, Memory)> {
    let [queries, keys] = [query, key].map(|x| &x.spec().shape);
    let whole = mask.shape().with(3, keys[2].next_multiple_of(BIAS_ROW));
    let memory = Torch::take(&TensorSpec { shape: whole.clone(), dtype: query.dtype() }, query.device());
    let place = (query.tch().f_kind()?, query.tch().device());
    let mut bias = Tensor::f_zeros(sizes(&whole), place)?.f_narrow(3, 0, keys[2] as i64)?;
    if mask.dtype() == DType::Bool {
        let _ = bias.f_masked_fill_(mask.tch(), f64::NEG_INFINITY)?;
    } else {
        bias.f_copy_(mask.tch())?;
    }
    let scores = sizes(&[queries[0], queries[1], queries[2], keys[2]]);
    Ok((bias.f_expand(scores, false)?, memory))
}
