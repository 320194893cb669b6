use std::marker::PhantomData;

use crate::{Dataset, DatasetError};

/// The overlapping windows of a dataset: item `i` holds the items `i..i + size`.
///
/// ```
/// use burn::data::dataset::transform::WindowsDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let series = InMemDataset::new(vec![1, 2, 3, 4]);
/// let windows = WindowsDataset::new(series, 3);
/// assert_eq!(windows.iter().collect::<Vec<_>>(), [[1, 2, 3], [2, 3, 4]]);
/// ```
#[derive(Clone, Debug)]
pub struct WindowsDataset<D, I> {
    dataset: D,
    size: usize,
    item: PhantomData<fn() -> I>,
}

impl<D: Dataset<I>, I> WindowsDataset<D, I> {
    /// Slides a window of `size` items over `dataset`, one item at a time.
    ///
    /// # Panics
    /// If `size` is zero.
    #[track_caller]
    pub fn new(dataset: D, size: usize) -> Self {
        assert!(size > 0, "a window holds at least one item");
        Self { dataset, size, item: PhantomData }
    }
}

impl<D: Dataset<I>, I> Dataset<Vec<I>> for WindowsDataset<D, I> {
    fn get(&self, index: usize) -> Option<Vec<I>> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<Vec<I>>, DatasetError> {
        match index.checked_add(self.size) {
            Some(end) if end <= self.dataset.len() => {
                (index..end).map(|index| self.dataset.try_get(index)).collect()
            }
            Some(_) | None => Ok(None),
        }
    }

    fn len(&self) -> usize {
        self.dataset.len().checked_sub(self.size).map_or(0, |rest| rest.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    fn windows(size: usize) -> WindowsDataset<InMemDataset<usize>, usize> {
        WindowsDataset::new((0..4).collect(), size)
    }

    #[test]
    fn the_number_of_windows_follows_their_size() {
        assert_eq!([1, 2, 4, 5, 9].map(|size| windows(size).len()), [4, 3, 1, 0, 0]);
        assert_eq!(windows(2).iter().collect::<Vec<_>>(), [[0, 1], [1, 2], [2, 3]]);
        assert_eq!(windows(5).get(0), None);
        assert_eq!(windows(2).get(usize::MAX), None);
    }
}
