use std::marker::PhantomData;
use std::sync::Arc;

use super::translate::read_translated;
use crate::{Dataset, DatasetError, Receive};

/// The items `start..end` of a dataset.
///
/// ```
/// use std::sync::Arc;
/// use burn::data::dataset::transform::PartialDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let all = Arc::new(InMemDataset::new((0..10).collect()));
/// let train = PartialDataset::new(Arc::clone(&all), 0, 8);
/// let valid = PartialDataset::new(all, 8, 10);
/// assert_eq!(train.len(), 8);
/// assert_eq!(valid.iter().collect::<Vec<_>>(), [8, 9]);
/// ```
#[derive(Clone, Debug)]
pub struct PartialDataset<D, I> {
    dataset: D,
    start: usize,
    end: usize,
    item: PhantomData<fn() -> I>,
}

impl<D: Dataset<I>, I> PartialDataset<D, I> {
    /// Keeps the items from `start` to before `end`; what lies beyond the length is left out.
    pub fn new(dataset: D, start: usize, end: usize) -> Self {
        Self { dataset, start, end, item: PhantomData }
    }
}

impl<D: Dataset<I>, I> PartialDataset<Arc<D>, I> {
    /// Splits a dataset into `count` parts in order, whose lengths differ by at most one.
    ///
    /// ```
    /// use burn::data::dataset::transform::PartialDataset;
    /// use burn::data::dataset::{Dataset, InMemDataset};
    ///
    /// let parts = PartialDataset::split(InMemDataset::new((0..10).collect::<Vec<_>>()), 3);
    /// assert_eq!(parts.iter().map(Dataset::len).collect::<Vec<_>>(), [3, 3, 4]);
    /// ```
    pub fn split(dataset: D, count: usize) -> Vec<Self> {
        let len = dataset.len() as u128;
        let dataset = Arc::new(dataset);
        let cut = |part: usize| (len * part as u128 / count as u128) as usize;
        (0..count).map(|part| Self::new(Arc::clone(&dataset), cut(part), cut(part + 1))).collect()
    }
}

impl<D: Dataset<I>, I> Dataset<I> for PartialDataset<D, I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        match self.start.checked_add(index) {
            Some(index) if index < self.end => self.dataset.try_get(index),
            Some(_) | None => Ok(None),
        }
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
        let place = |index: usize| Ok(self.start.checked_add(index).filter(|&index| index < self.end));
        read_translated(&self.dataset, indices, place, receive);
    }

    fn len(&self) -> usize {
        self.end.min(self.dataset.len()).saturating_sub(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    fn partial(start: usize, end: usize) -> PartialDataset<InMemDataset<usize>, usize> {
        PartialDataset::new((0..5).collect(), start, end)
    }

    #[test]
    fn a_range_beyond_the_length_is_cut() {
        assert_eq!(partial(3, 9).len(), 2);
        assert_eq!(partial(3, 9).iter().collect::<Vec<_>>(), [3, 4]);
        assert_eq!(partial(6, 9).len(), 0);
        assert_eq!(partial(4, 2).len(), 0);
        assert_eq!(partial(4, 2).get(0), None);
        assert_eq!(partial(1, 9).get(usize::MAX), None);
    }

    #[test]
    fn parts_cover_every_item_once() {
        for count in 1..8 {
            let parts = PartialDataset::split((0..5).collect::<InMemDataset<usize>>(), count);
            let items: Vec<usize> = parts.iter().flat_map(Dataset::iter).collect();
            assert_eq!(items, [0, 1, 2, 3, 4]);
        }
    }
}
