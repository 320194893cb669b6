use crate::{Dataset, DatasetError, DatasetIterator, TryDatasetIterator};
use derive_new::new;

/// A dataset of items held in memory; reading one clones it.
///
/// ```
/// use burn::data::dataset::InMemDataset;
///
/// let dataset = InMemDataset::new(vec!["zero", "one"]);
/// assert_eq!(dataset.len(), 2);
/// assert_eq!(dataset.get(1), Some("one"));
/// assert_eq!(dataset.get(2), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, new)]
pub struct InMemDataset<I> {
    items: Vec<I>,
}

impl<I> InMemDataset<I> {
    /// Reads every item of a dataset into memory, for one that is slow to read.
    ///
    /// # Panics
    /// If an item cannot be read; [`try_from_dataset`](InMemDataset::try_from_dataset) returns the
    /// error.
    #[track_caller]
    pub fn from_dataset(dataset: &dyn Dataset<I>) -> Self {
        Self { items: DatasetIterator::new(dataset).collect() }
    }

    /// Reads every item of a dataset into memory.
    ///
    /// # Errors
    /// Why the first item that cannot be read cannot.
    pub fn try_from_dataset(dataset: &dyn Dataset<I>) -> Result<Self, DatasetError> {
        TryDatasetIterator::new(dataset).collect::<Result<_, _>>().map(Self::new)
    }

    /// Returns the items.
    pub fn into_items(self) -> Vec<I> {
        self.items
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<I: Clone> InMemDataset<I> {
    /// Returns a clone of the item at `index`, or `None` at and beyond the length.
    pub fn get(&self, index: usize) -> Option<I> {
        self.items.get(index).cloned()
    }
}

impl<I: Clone + Send + Sync> Dataset<I> for InMemDataset<I> {
    fn get(&self, index: usize) -> Option<I> {
        self.items.get(index).cloned()
    }

    fn len(&self) -> usize {
        self.items.len()
    }
}

impl<I> FromIterator<I> for InMemDataset<I> {
    fn from_iter<T: IntoIterator<Item = I>>(items: T) -> Self {
        Self { items: items.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_whole_dataset_into_memory() {
        let dataset = InMemDataset::new(vec![1, 2, 3]);
        assert_eq!(InMemDataset::from_dataset(&dataset), dataset);
    }

    #[test]
    fn collects_from_an_iterator() {
        let dataset: InMemDataset<usize> = (0..3).collect();
        assert_eq!(dataset.iter().collect::<Vec<_>>(), [0, 1, 2]);
    }
}
