//! Batches of token sequences, each with the tokens that come next.

use burn::data::dataloader::Batcher;
use burn::data::dataset::InMemDataset;
use burn::prelude::*;

/// Sequences and, for each token, the one that follows it.
#[derive(Clone, Debug)]
pub struct SequenceBatch<B: Backend> {
    /// `[batch, length]`.
    pub tokens: Tensor<B, 2, Int>,
    /// `[batch, length]`: `tokens`, one position further in the text.
    pub next: Tensor<B, 2, Int>,
}

/// Cuts tokens into sequences of `length` tokens and the one after them, `stride` apart; the rest at the end
/// is left out.
pub fn sequences(tokens: &[usize], length: usize, stride: usize) -> InMemDataset<Vec<usize>> {
    InMemDataset::new(tokens.windows(length + 1).step_by(stride.max(1)).map(<[usize]>::to_vec).collect())
}

/// Makes batches on one device.
#[derive(Clone, Debug)]
pub struct SequenceBatcher<B: Backend> {
    pub device: B::Device,
}

impl<B: Backend> Batcher<Vec<usize>, SequenceBatch<B>> for SequenceBatcher<B> {
    fn batch(&self, sequences: Vec<Vec<usize>>) -> SequenceBatch<B> {
        let (batch, length) = (sequences.len(), sequences.first().map_or(0, |tokens| tokens.len() - 1));
        let part = |from: usize| {
            let tokens = sequences.iter().flat_map(|tokens| &tokens[from..from + length]);
            let tokens: Vec<i64> = tokens.map(|&token| token as i64).collect();
            Tensor::from_data(TensorData::new(tokens, [batch, length]), &self.device)
        };
        SequenceBatch { tokens: part(0), next: part(1) }
    }
}
