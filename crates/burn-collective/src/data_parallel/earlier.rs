//! Gradients that a rank has before the backward pass whose buckets travel.

use super::accumulated::AccumulatedGradients;
use super::fixed_order::EarlierChunks;

/// Gradients of the same step that this rank had before the backward pass.
#[derive(Debug)]
pub enum Earlier {
    /// There are none.
    None,
    /// Those of chunks, which are summed in a fixed order.
    Chunks(EarlierChunks),
    /// Those of micro-batches, which are summed.
    MicroBatches(AccumulatedGradients),
}

impl Earlier {
    /// Returns the number of chunks of the pass.
    pub fn chunks(&self) -> usize {
        match self {
            Earlier::None | Earlier::MicroBatches(_) => 0,
            Earlier::Chunks(chunks) => chunks.count(),
        }
    }

    /// Returns the number of items and of micro-batches before the pass, of which the chunks count theirs
    /// with the last.
    pub fn counts(&self) -> (usize, usize) {
        match self {
            Earlier::None | Earlier::Chunks(_) => (0, 0),
            Earlier::MicroBatches(earlier) => (earlier.items(), earlier.micro_batches()),
        }
    }
}
