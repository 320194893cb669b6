use std::fmt;
use std::sync::Arc;

use crate::{Dataset, DatasetError};

/// Several datasets of different types, but of the same items, one after the other.
///
/// The lengths are asked once, and an item is found in a time that grows with the logarithm of the number of
/// parts. Parts of one type may also be a [`ComposedDataset`](super::ComposedDataset). PyTorch:
/// `torch.utils.data.ConcatDataset`.
///
/// ```
/// use burn::data::dataset::transform::{ConcatDataset, RngDataset};
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let measured = InMemDataset::new(vec![0.5, 0.25]);
/// let generated = RngDataset::new(100, 42, |random| random.unit());
/// let all = ConcatDataset::new().with(measured).with(generated);
/// assert_eq!(all.len(), 102);
/// assert_eq!(all.get(1), Some(0.25));
/// ```
pub struct ConcatDataset<I> {
    parts: Vec<Arc<dyn Dataset<I>>>,
    /// The length of each part together with all before it.
    ends: Vec<usize>,
}

impl<I> ConcatDataset<I> {
    /// Starts without a part.
    pub fn new() -> Self {
        Self { parts: Vec::new(), ends: Vec::new() }
    }

    /// Adds a dataset after the others.
    pub fn with<D: Dataset<I> + 'static>(mut self, dataset: D) -> Self {
        let start = self.ends.last().copied().unwrap_or(0);
        self.ends.push(dataset.len().saturating_add(start));
        self.parts.push(Arc::new(dataset));
        self
    }

    /// Returns the part of the item at `index`, and its index there.
    fn place(&self, index: usize) -> Option<(usize, usize)> {
        let part = self.ends.partition_point(|&end| end <= index);
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        (part < self.parts.len()).then(|| (part, index - start))
    }
}

impl<I> Default for ConcatDataset<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I> Clone for ConcatDataset<I> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), ends: self.ends.clone() }
    }
}

impl<I> fmt::Debug for ConcatDataset<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConcatDataset").field("ends", &self.ends).finish_non_exhaustive()
    }
}

impl<I> Dataset<I> for ConcatDataset<I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        self.place(index).map_or(Ok(None), |(part, index)| self.parts[part].try_get(index))
    }

    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    #[test]
    fn every_item_of_every_part_comes_once() {
        let part = |items: &[u8]| InMemDataset::new(items.to_vec());
        let all = ConcatDataset::new().with(part(&[])).with(part(&[1, 2])).with(part(&[])).with(part(&[3]));
        assert_eq!(all.iter().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((all.get(3), all.get(usize::MAX)), (None, None));
        assert!(ConcatDataset::<u8>::new().is_empty());
        assert_eq!(ConcatDataset::<u8>::new().get(0), None);
    }
}
