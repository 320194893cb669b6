use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::translate::read_translated;
use crate::random::try_permutation;
use crate::{Dataset, DatasetError, Receive};

/// The items of a dataset at given indices, in the order of the indices.
///
/// PyTorch: `torch.utils.data.Subset`.
///
/// ```
/// use burn::data::dataset::transform::SelectionDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let letters = InMemDataset::new(vec!['a', 'b', 'c']);
/// let selected = SelectionDataset::new(letters.clone(), vec![2, 0, 2])?;
/// assert_eq!(selected.iter().collect::<Vec<_>>(), ['c', 'a', 'c']);
///
/// // Those for which a condition holds, which reads each item once.
/// let vowels = SelectionDataset::filter(letters, |letter| "aeiou".contains(*letter))?;
/// assert_eq!(vowels.indices(), [0]);
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SelectionDataset<D, I> {
    dataset: D,
    indices: Arc<[usize]>,
    item: PhantomData<fn() -> I>,
}

impl<D: Dataset<I>, I> SelectionDataset<D, I> {
    /// Selects the items at `indices`; an index may come several times.
    ///
    /// # Errors
    /// If an index is not below the length of the dataset.
    pub fn new(dataset: D, indices: Vec<usize>) -> Result<Self, DatasetError> {
        let len = dataset.len();
        match indices.iter().find(|&&index| index >= len) {
            Some(&index) => Err(DatasetError::NoItem { index, len }),
            None => Ok(Self { dataset, indices: indices.into(), item: PhantomData }),
        }
    }

    /// Selects the items for which `condition` holds; it is the one transform that reads every item first.
    ///
    /// # Errors
    /// Why the first item that cannot be read cannot.
    pub fn filter(dataset: D, condition: impl Fn(&I) -> bool) -> Result<Self, DatasetError> {
        let mut indices = Vec::new();
        for (index, item) in dataset.try_iter().enumerate() {
            let item = item.map_err(|source| DatasetError::Item { index, source: Box::new(source) })?;
            if condition(&item) {
                indices.push(index);
            }
        }
        Ok(Self { dataset, indices: indices.into(), item: PhantomData })
    }

    /// Selects every item, in the order of the dataset: a beginning for [`slice`](Self::slice) and
    /// [`split`](Self::split).
    pub fn all(dataset: D) -> Self {
        let indices = (0..dataset.len()).collect();
        Self { dataset, indices, item: PhantomData }
    }

    /// Selects every item, in the random order of `seed`: [`permutation`](crate::random::permutation)`(len,
    /// seed, 0)`.
    ///
    /// # Errors
    /// If there is no memory for the order.
    pub fn shuffled(dataset: D, seed: u64) -> Result<Self, DatasetError> {
        let indices = try_permutation(dataset.len(), seed, 0)?.into();
        Ok(Self { dataset, indices, item: PhantomData })
    }

    /// Selects the items at the positions `range` of this selection; what lies beyond its length is left out.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use burn::data::dataset::transform::SelectionDataset;
    /// use burn::data::dataset::{Dataset, InMemDataset};
    ///
    /// let letters = Arc::new(InMemDataset::new(vec!['a', 'b', 'c', 'd', 'e']));
    /// let all = SelectionDataset::all(letters);
    /// assert_eq!(all.slice(1..3).iter().collect::<Vec<_>>(), ['b', 'c']);
    /// let parts = all.split(2);
    /// assert_eq!(parts[1].iter().collect::<Vec<_>>(), ['c', 'd', 'e']);
    /// ```
    pub fn slice(&self, range: Range<usize>) -> Self
    where
        D: Clone,
    {
        let end = range.end.min(self.indices.len());
        let indices = &self.indices[range.start.min(end)..end];
        Self { dataset: self.dataset.clone(), indices: indices.into(), item: PhantomData }
    }

    /// Cuts the selection into `count` parts in order, whose lengths differ by at most one.
    pub fn split(&self, count: usize) -> Vec<Self>
    where
        D: Clone,
    {
        let len = self.indices.len() as u128;
        let cut = |part: usize| (len * part as u128 / count as u128) as usize;
        (0..count).map(|part| self.slice(cut(part)..cut(part + 1))).collect()
    }

    /// Takes indices that are known to be below the length.
    pub(super) fn of_valid(dataset: D, indices: &[usize]) -> Self {
        Self { dataset, indices: indices.into(), item: PhantomData }
    }

    /// Returns the indices of the items in the dataset that they are selected from.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }
}

impl<D: Dataset<I>, I> Dataset<I> for SelectionDataset<D, I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        self.indices.get(index).map_or(Ok(None), |&index| self.dataset.try_get(index))
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
        read_translated(&self.dataset, indices, |index| Ok(self.indices.get(index).copied()), receive);
    }

    fn len(&self) -> usize {
        self.indices.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    #[test]
    fn an_index_beyond_the_dataset_is_refused() {
        let error = SelectionDataset::new((0..3).collect::<InMemDataset<u8>>(), vec![0, 3]).unwrap_err();
        assert!(matches!(error, DatasetError::NoItem { index: 3, len: 3 }), "{error}");
    }

    #[test]
    fn parts_of_a_shuffled_selection_hold_every_item_once() {
        let shuffled = SelectionDataset::shuffled((0..10).collect::<InMemDataset<usize>>(), 3).unwrap();
        assert_eq!(shuffled.indices(), crate::random::permutation(10, 3, 0));
        for count in 1..12 {
            let parts = shuffled.split(count);
            let lengths: Vec<usize> = parts.iter().map(Dataset::len).collect();
            assert!(lengths.iter().all(|&len| len.abs_diff(10 / count) <= 1), "{lengths:?}");
            let items: Vec<usize> = parts.iter().flat_map(Dataset::iter).collect();
            assert_eq!(items, shuffled.iter().collect::<Vec<_>>());
        }
        assert!(shuffled.split(0).is_empty());
        let cut = |range| shuffled.slice(range).len();
        assert_eq!([cut(8..20), cut(20..30), cut(3..3), cut(0..usize::MAX)], [2, 0, 0, 10]);
        #[expect(clippy::reversed_empty_ranges, reason = "a caller may compute such a range")]
        let reversed = cut(5..2);
        assert_eq!(reversed, 0);
    }

    #[test]
    fn many_items_are_those_of_each_index() {
        let selected = SelectionDataset::new((10..20).collect::<InMemDataset<u8>>(), vec![9, 0, 4]).unwrap();
        assert_eq!(selected.get_many(&[2, 0]).unwrap(), [14, 19]);
        let error = selected.get_many(&[0, 3]).unwrap_err();
        assert!(matches!(&error, DatasetError::Item { index: 3, .. }), "{error}");
    }
}
