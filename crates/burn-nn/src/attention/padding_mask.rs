use alloc::vec::Vec;
use burn_core::tensor::{Backend, Bool, Int, Tensor, TensorData};

/// Token sequences as one batch, and its padding mask.
#[derive(Clone, Debug)]
pub struct GeneratePaddingMask<B: Backend> {
    /// Tokens, `[batch, length]`.
    pub tensor: Tensor<B, 2, Int>,
    /// Padding mask, `[batch, length]`: `true` where there is no token.
    pub mask: Tensor<B, 2, Bool>,
}

/// Pads sequences of tokens at their ends to the length of the longest one, or cuts and pads them to
/// `max_length`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::attention::generate_padding_mask;
///
/// let batch = generate_padding_mask::<NdArray>(0, vec![vec![5, 6], vec![7]], None, &Default::default());
/// assert_eq!(batch.tensor.into_data().to_f64(), [5.0, 6.0, 7.0, 0.0]);
/// assert_eq!(batch.mask.into_data().to_vec::<bool>().unwrap(), [false, false, false, true]);
/// ```
pub fn generate_padding_mask<B: Backend>(
    pad_token: usize,
    tokens_list: Vec<Vec<usize>>,
    max_length: Option<usize>,
    device: &B::Device,
) -> GeneratePaddingMask<B> {
    let (tokens, padding) = padded(pad_token, &tokens_list, max_length);
    GeneratePaddingMask {
        tensor: Tensor::from_data(tokens, device),
        mask: Tensor::from_data(padding, device),
    }
}

/// Not generic: programs would compile it for each backend.
fn padded(pad: usize, list: &[Vec<usize>], max_length: Option<usize>) -> (TensorData, TensorData) {
    let length = max_length.unwrap_or_else(|| list.iter().map(Vec::len).max().unwrap_or(0));
    let at = |tokens: &'_ Vec<usize>, place: usize| tokens.get(place).copied();
    let places = || list.iter().flat_map(|tokens| (0..length).map(move |place| at(tokens, place)));
    let tokens: Vec<i64> = places().map(|token| token.unwrap_or(pad) as i64).collect();
    let padding: Vec<bool> = places().map(|token| token.is_none()).collect();
    let shape = [list.len(), length];
    (TensorData::new(tokens, shape), TensorData::new(padding, shape))
}
