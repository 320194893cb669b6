//! Batches of sequences.

use crate::corpus::Tokens;
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor, TensorData};
use std::io;

/// Sequences, and the token after each position.
#[derive(Clone, Debug)]
pub struct TokenBatch<B: Backend> {
    /// `[batch, length]`.
    pub tokens: Tensor<B, 2, Int>,
    /// `[batch, length]`.
    pub next: Tensor<B, 2, Int>,
}

impl<B: Backend> TokenBatch<B> {
    /// Returns a batch of rows of `length + 1` tokens, one after the other.
    pub fn from_rows(rows: Vec<i64>, length: usize, device: &B::Device) -> Self {
        let count = rows.len() / (length + 1);
        let part = |first: usize| {
            let rows = rows.chunks_exact(length + 1).flat_map(|row| row[first..first + length].to_vec());
            Tensor::from_data(TensorData::new(rows.collect::<Vec<i64>>(), [count, length]), device)
        };
        TokenBatch { tokens: part(0), next: part(1) }
    }
}

/// Size of the batches of a split.
#[derive(Clone, Copy, Debug)]
pub struct BatchShape {
    /// Number of sequences.
    pub batch_size: usize,
    /// Tokens of a sequence.
    pub length: usize,
    /// Tokens are below.
    pub vocabulary_size: usize,
}

/// Which batch of a run: the same numbers give the same sequences, whatever was read before.
#[derive(Clone, Copy, Debug)]
pub struct BatchNumber {
    pub seed: u64,
    /// Number of the batch among those of all steps and ranks.
    pub index: u64,
}

/// Reads sequences from random positions.
///
/// # Errors
/// The split has less than a sequence, or a file cannot be read.
pub fn random_batch<B: Backend>(
    split: &Tokens,
    shape: BatchShape,
    number: BatchNumber,
    device: &B::Device,
) -> io::Result<TokenBatch<B>> {
    let BatchShape { batch_size, length, vocabulary_size } = shape;
    let starts = split.starts(length + 1);
    if starts == 0 {
        let cause = format!("the text has no sequence of {} tokens; expected a longer text", length + 1);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, cause));
    }
    let mut rows = Vec::with_capacity(batch_size * (length + 1));
    for row in 0..batch_size as u64 {
        let place = mixed(mixed(number.seed) ^ (number.index * batch_size as u64 + row));
        rows.extend(split.read((place % starts as u64) as usize, length + 1, vocabulary_size)?);
    }
    Ok(TokenBatch::from_rows(rows, length, device))
}

/// Reads the sequences of batch `index` of those that follow each other in a split; `None` after the last.
///
/// # Errors
/// A file cannot be read.
pub fn successive_batch<B: Backend>(
    split: &Tokens,
    shape: BatchShape,
    index: usize,
    device: &B::Device,
) -> io::Result<Option<TokenBatch<B>>> {
    let BatchShape { batch_size, length, vocabulary_size } = shape;
    let (first, starts) = (index * batch_size * length, split.starts(length + 1));
    let positions = (0..batch_size).map(|row| first + row * length).filter(|start| *start < starts);
    let mut rows = Vec::new();
    for start in positions {
        rows.extend(split.read(start, length + 1, vocabulary_size)?);
    }
    Ok((!rows.is_empty()).then(|| TokenBatch::from_rows(rows, length, device)))
}

/// SplitMix64 (Steele et al. 2014): numbers that follow each other give numbers without a pattern.
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
