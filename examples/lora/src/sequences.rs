//! Sequences of a text.

use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor, TensorData};

/// Sequences of equal length that follow each other in a text, with the token after each position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequences {
    rows: Vec<Vec<i64>>,
    length: usize,
}

impl Sequences {
    /// Cuts tokens into sequences of `length`; what is left over is not used.
    ///
    /// # Errors
    /// There are too few tokens for a sequence.
    pub fn new(tokens: &[u32], length: usize) -> Result<Self, String> {
        let rows: Vec<Vec<i64>> = (0..tokens.len().saturating_sub(length))
            .step_by(length.max(1))
            .map(|start| tokens[start..=start + length].iter().map(|token| i64::from(*token)).collect())
            .collect();
        match rows.is_empty() || length == 0 {
            true => {
                Err(format!("the text has {} tokens; expected more than {length}, a sequence", tokens.len()))
            }
            false => Ok(Sequences { rows, length }),
        }
    }

    /// Returns the number of sequences.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Returns `size` sequences and the token after each position, both `[size, length]`, from number `first`
    /// on; after the last comes the first.
    pub fn batch<B: Backend>(&self, first: usize, size: usize, device: &B::Device) -> [Tensor<B, 2, Int>; 2] {
        [0, 1].map(|offset| {
            let rows = (first..first + size).map(|row| &self.rows[row % self.rows.len()]);
            let tokens: Vec<i64> = rows.flat_map(|row| row[offset..offset + self.length].to_vec()).collect();
            Tensor::from_data(TensorData::new(tokens, [size, self.length]), device)
        })
    }
}
