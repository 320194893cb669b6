use std::sync::Arc;

use crate::DatasetError;

/// A collection of items that are read by index.
///
/// An index below [`len`](Dataset::len) gives `Some`; any other gives `None`. The same index gives
/// an equal item every time, from any thread: a loader relies on both.
///
/// ```
/// use burn::data::dataset::Dataset;
///
/// struct Squares;
///
/// impl Dataset<usize> for Squares {
///     fn get(&self, index: usize) -> Option<usize> {
///         (index < self.len()).then(|| index * index)
///     }
///
///     fn len(&self) -> usize {
///         4
///     }
/// }
///
/// assert_eq!(Squares.iter().collect::<Vec<_>>(), [0, 1, 4, 9]);
/// assert!(!Squares.is_empty());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a dataset of `{I}`",
    note = "implement `Dataset<{I}>` with `get` and `len`, or wrap a `Vec` in `InMemDataset`"
)]
pub trait Dataset<I>: Send + Sync {
    /// Returns the item at `index`, or `None` at and beyond the length.
    fn get(&self, index: usize) -> Option<I>;

    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Returns the item at `index`, `None` at and beyond the length, or why it cannot be read.
    ///
    /// A dataset that reads files as it goes implements this and lets [`get`](Dataset::get) drop
    /// the reason; for all others, what `get` returns is right. A loader asks here, so that its
    /// error can tell the cause.
    ///
    /// # Errors
    /// If the item is there but cannot be read. A dataset of another crate puts its own error into
    /// [`DatasetError::Other`].
    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        Ok(self.get(index))
    }

    /// Tells whether there is no item.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the items in order of index.
    fn iter(&self) -> DatasetIterator<'_, I>
    where
        Self: Sized,
    {
        DatasetIterator::new(self)
    }
}

impl<I, D: Dataset<I> + ?Sized> Dataset<I> for Arc<D> {
    fn get(&self, index: usize) -> Option<I> {
        (**self).get(index)
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        (**self).try_get(index)
    }

    fn len(&self) -> usize {
        (**self).len()
    }
}

impl<I, D: Dataset<I> + ?Sized> Dataset<I> for Box<D> {
    fn get(&self, index: usize) -> Option<I> {
        (**self).get(index)
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        (**self).try_get(index)
    }

    fn len(&self) -> usize {
        (**self).len()
    }
}

/// The items of a [`Dataset`] in order of index; it ends at the first index without an item.
pub struct DatasetIterator<'a, I> {
    dataset: &'a dyn Dataset<I>,
    index: usize,
}

impl<'a, I> DatasetIterator<'a, I> {
    /// Starts at the first item of `dataset`.
    pub fn new(dataset: &'a dyn Dataset<I>) -> Self {
        Self { dataset, index: 0 }
    }
}

impl<I> Iterator for DatasetIterator<'_, I> {
    type Item = I;

    fn next(&mut self) -> Option<I> {
        let item = self.dataset.get(self.index)?;
        self.index += 1;
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.dataset.len().saturating_sub(self.index)))
    }
}

impl<I> std::fmt::Debug for DatasetIterator<'_, I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatasetIterator").field("index", &self.index).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    #[test]
    fn shared_and_boxed_datasets_are_datasets() {
        let shared: Arc<dyn Dataset<u8>> = Arc::new(InMemDataset::new(vec![7, 8]));
        let boxed: Box<dyn Dataset<u8>> = Box::new(Arc::clone(&shared));

        assert_eq!(Dataset::len(&shared), 2);
        assert_eq!(Dataset::get(&boxed, 1), Some(8));
        assert_eq!(boxed.iter().collect::<Vec<_>>(), [7, 8]);
    }

    #[test]
    fn iterator_ends_at_the_length() {
        let dataset = InMemDataset::new(vec!['a', 'b']);
        let mut iterator = DatasetIterator::new(&dataset);

        assert_eq!(iterator.by_ref().count(), 2);
        assert_eq!(iterator.next(), None);
    }
}
