use std::ops::ControlFlow;
use std::sync::Arc;

use crate::DatasetError;
use crate::transform::WindowsDataset;

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

    /// Reads the items at `indices` in this order, and hands each to `receive` until it answers
    /// [`ControlFlow::Break`].
    ///
    /// This is what a data loader calls for a batch. A dataset for which many items together are cheaper than
    /// each alone, such as a database with a connection to borrow, implements it; for all others, one
    /// [`try_get`](Dataset::try_get) after the other is right. An implementation calls `receive` once for
    /// each index, in order, before it reads the next item.
    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
        for &index in indices {
            if receive(self.try_get(index)).is_break() {
                return;
            }
        }
    }

    /// Returns the items at `indices`, in this order; an index may come several times.
    ///
    /// # Errors
    /// [`DatasetError::Item`], with the index, for the first item that cannot be read or is not there.
    ///
    /// ```
    /// use burn::data::dataset::{Dataset, InMemDataset};
    ///
    /// let letters = InMemDataset::new(vec!['a', 'b', 'c']);
    /// assert_eq!(letters.get_many(&[2, 0, 2])?, ['c', 'a', 'c']);
    /// assert!(letters.get_many(&[1, 3]).unwrap_err().to_string().contains("index 3"));
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    fn get_many(&self, indices: &[usize]) -> Result<Vec<I>, DatasetError> {
        let (mut items, mut failed) = (Vec::with_capacity(indices.len()), None);
        self.read_many(indices, &mut |item| {
            let index = indices.get(items.len()).copied().unwrap_or_default();
            match item.and_then(|item| item.ok_or(DatasetError::NoItem { index, len: self.len() })) {
                Ok(item) => items.push(item),
                Err(source) => {
                    failed = Some(DatasetError::Item { index, source: Box::new(source) });
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        failed.map_or(Ok(items), Err)
    }

    /// Returns the overlapping windows of `size` consecutive items, as [`WindowsDataset::new`] does.
    ///
    /// ```
    /// use burn::data::dataset::{Dataset, InMemDataset};
    ///
    /// let windows = InMemDataset::new(vec![1, 2, 3]).windows(2);
    /// assert_eq!(windows.iter().collect::<Vec<_>>(), [[1, 2], [2, 3]]);
    /// ```
    ///
    /// # Panics
    /// If `size` is zero.
    #[track_caller]
    fn windows(self, size: usize) -> WindowsDataset<Self, I>
    where
        Self: Sized,
    {
        WindowsDataset::new(self, size)
    }

    /// Returns whether there is no item.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the items in order of index.
    ///
    /// # Panics
    /// The iterator panics at an item that cannot be read, and says which one and why;
    /// [`try_iter`](Dataset::try_iter) returns an error instead and continues after it.
    fn iter(&self) -> DatasetIterator<'_, I>
    where
        Self: Sized,
    {
        DatasetIterator::new(self)
    }

    /// Returns an iterator over the items, or why each cannot be read, in order of index.
    ///
    /// It has as many items as the dataset, whichever of them are errors. What cannot be read is
    /// left out with `filter_map(Result::ok)`.
    ///
    /// ```
    /// use burn::data::dataset::{Dataset, DatasetError};
    ///
    /// /// Has no number 13.
    /// struct Superstitious;
    ///
    /// impl Dataset<usize> for Superstitious {
    ///     fn get(&self, index: usize) -> Option<usize> {
    ///         self.try_get(index).ok().flatten()
    ///     }
    ///
    ///     fn try_get(&self, index: usize) -> Result<Option<usize>, DatasetError> {
    ///         if index == 13 {
    ///             return Err(DatasetError::Other("there is no 13".into()));
    ///         }
    ///         Ok((index < self.len()).then_some(index))
    ///     }
    ///
    ///     fn len(&self) -> usize {
    ///         16
    ///     }
    /// }
    ///
    /// assert_eq!(Superstitious.try_iter().count(), 16);
    /// assert_eq!(Superstitious.try_iter().filter_map(Result::ok).count(), 15);
    /// assert!(Superstitious.try_iter().collect::<Result<Vec<_>, _>>().is_err());
    /// ```
    fn try_iter(&self) -> TryDatasetIterator<'_, I>
    where
        Self: Sized,
    {
        TryDatasetIterator::new(self)
    }
}

/// The receiver of the items of [`Dataset::read_many`].
pub type Receive<'a, I> = dyn FnMut(Result<Option<I>, DatasetError>) -> ControlFlow<()> + 'a;

macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<I, D: Dataset<I> + ?Sized> Dataset<I> for $pointer<D> {
            fn get(&self, index: usize) -> Option<I> {
                (**self).get(index)
            }

            fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
                (**self).try_get(index)
            }

            fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
                (**self).read_many(indices, receive);
            }

            fn len(&self) -> usize {
                (**self).len()
            }
        }
    )*};
}
pointers!(Arc Box);

/// The items of a [`Dataset`] in order of index, or why each cannot be read.
///
/// It ends at the length of the dataset and nowhere else.
pub struct TryDatasetIterator<'a, I> {
    dataset: &'a dyn Dataset<I>,
    index: usize,
}

impl<'a, I> TryDatasetIterator<'a, I> {
    /// Starts at the first item of `dataset`.
    pub fn new(dataset: &'a dyn Dataset<I>) -> Self {
        Self { dataset, index: 0 }
    }
}

impl<I> Iterator for TryDatasetIterator<'_, I> {
    type Item = Result<I, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (index, len) = (self.index, self.dataset.len());
        if index >= len {
            return None;
        }
        self.index += 1;
        let item = self.dataset.try_get(index);
        Some(item.and_then(|item| item.ok_or(DatasetError::NoItem { index, len })))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.dataset.len().saturating_sub(self.index);
        (rest, Some(rest))
    }
}

impl<I> std::fmt::Debug for TryDatasetIterator<'_, I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TryDatasetIterator").field("index", &self.index).finish_non_exhaustive()
    }
}

/// The items of a [`Dataset`] in order of index; it panics at one that cannot be read.
#[derive(Debug)]
pub struct DatasetIterator<'a, I>(TryDatasetIterator<'a, I>);

impl<'a, I> DatasetIterator<'a, I> {
    /// Starts at the first item of `dataset`.
    pub fn new(dataset: &'a dyn Dataset<I>) -> Self {
        Self(TryDatasetIterator::new(dataset))
    }
}

impl<I> Iterator for DatasetIterator<'_, I> {
    type Item = I;

    #[track_caller]
    fn next(&mut self) -> Option<I> {
        let index = self.0.index;
        match self.0.next()? {
            Ok(item) => Some(item),
            Err(error) => panic!(
                "Dataset::iter: the item at index {index} cannot be read: {error}. Use `try_iter` to go on behind it"
            ),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
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

    /// Ten items, of which some are not there and some cannot be read.
    struct Broken;

    impl Dataset<usize> for Broken {
        fn get(&self, index: usize) -> Option<usize> {
            self.try_get(index).ok().flatten()
        }

        fn try_get(&self, index: usize) -> Result<Option<usize>, DatasetError> {
            match index {
                0 | 5 => Err(DatasetError::Other("a torn page".into())),
                3 | 10.. => Ok(None),
                index => Ok(Some(index)),
            }
        }

        fn len(&self) -> usize {
            10
        }
    }

    #[test]
    fn an_iterator_goes_on_behind_what_cannot_be_read() {
        let items: Vec<_> = Broken.try_iter().map(|item| item.map_err(|error| error.to_string())).collect();
        assert_eq!(items.len(), 10);
        assert_eq!(items[0], Err("a torn page".to_owned()));
        assert_eq!(items[3], Err("the dataset has no item at index 3, below its length 10".to_owned()));
        let readable: Vec<_> = Broken.try_iter().filter_map(Result::ok).collect();
        assert_eq!(readable, [1, 2, 4, 6, 7, 8, 9]);
        assert_eq!(Broken.try_iter().size_hint(), (10, Some(10)));
    }

    #[test]
    #[should_panic(expected = "the item at index 0 cannot be read: a torn page")]
    fn items_alone_panic_at_the_first_that_cannot_be_read() {
        let _: Vec<_> = Broken.iter().collect();
    }
}
