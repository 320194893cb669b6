use std::fmt;

/// Why an epoch ended before its last batch.
///
/// Batches are counted from zero; an index is the one handed to the dataset.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataLoaderError {
    /// The dataset returned `None` for an index below its length.
    MissingItem {
        /// The index of the item.
        index: usize,
        /// The length of the dataset.
        len: usize,
    },
    /// The dataset could not read an item.
    UnreadableItem {
        /// The index of the item.
        index: usize,
        /// The reason that the dataset gives.
        message: String,
    },
    /// The dataset panicked while it read an item.
    DatasetPanicked {
        /// The index of the item.
        index: usize,
        /// The message of the panic.
        message: String,
    },
    /// The batcher panicked.
    BatcherPanicked {
        /// The number of the batch.
        batch: usize,
        /// The indices of its items.
        indices: Vec<usize>,
        /// The message of the panic.
        message: String,
    },
    /// There is no memory for the random order of the items.
    NoOrder {
        /// The length of the dataset.
        items: usize,
        /// The missing memory, and the way around it.
        message: String,
    },
    /// A worker thread ended without handing in its batch.
    WorkerLost {
        /// The number of the batch.
        batch: usize,
        /// The indices of its items.
        indices: Vec<usize>,
    },
}

impl fmt::Display for DataLoaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingItem { index, len } => {
                write!(f, "the dataset returned no item at index {index}, below its length {len}")
            }
            Self::UnreadableItem { index, message } => {
                write!(f, "the dataset cannot read the item at index {index}: {message}")
            }
            Self::DatasetPanicked { index, message } => {
                write!(f, "the dataset panicked at index {index}: {message}")
            }
            Self::BatcherPanicked { batch, indices, message } => {
                write!(f, "the batcher panicked in batch {batch} ({}): {message}", Indices(indices))
            }
            Self::NoOrder { items, message } => {
                write!(f, "the {items} items cannot be shuffled: {message}")
            }
            Self::WorkerLost { batch, indices } => {
                write!(f, "a data loader worker ended while it made batch {batch} ({})", Indices(indices))
            }
        }
    }
}

burn_ir::debug_as_display!(DataLoaderError);

impl std::error::Error for DataLoaderError {}

/// Writes the first few indices of a batch.
struct Indices<'a>(&'a [usize]);

impl fmt::Display for Indices<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        f.write_str("indices")?;
        for index in self.0.iter().take(SHOWN) {
            write!(f, " {index}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            hidden => write!(f, " and {hidden} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_batch_is_named_by_its_first_indices() {
        let error =
            DataLoaderError::BatcherPanicked { batch: 2, indices: (0..64).collect(), message: "boom".into() };
        assert_eq!(
            error.to_string(),
            "the batcher panicked in batch 2 (indices 0 1 2 3 4 5 6 7 and 56 more): boom"
        );
    }
}
