use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor};

/// Number of different tokens.
pub const VOCABULARY: usize = 16;

/// Sequences that grow by a constant step, modulo the vocabulary size: the first two tokens determine all
/// others. Returns the tokens `[items, length]` and, flat, the token after each.
pub fn sequences<B: Backend>(
    items: &[usize],
    length: usize,
    device: &B::Device,
) -> (Tensor<B, 2, Int>, Tensor<B, 1, Int>) {
    let token = |item: usize, at: usize| ((item + at * (1 + item / VOCABULARY)) % VOCABULARY) as i64;
    let row = |from: usize| {
        items.iter().flat_map(move |item| (from..from + length).map(move |at| token(*item, at)))
    };
    let (tokens, targets): (Vec<i64>, Vec<i64>) = (row(0).collect(), row(1).collect());
    let tokens = Tensor::<B, 1, Int>::from_data(tokens.as_slice(), device).reshape([items.len(), length]);
    (tokens, Tensor::from_data(targets.as_slice(), device))
}
