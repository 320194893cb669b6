use std::marker::PhantomData;
use std::sync::Arc;

use super::translate::read_translated;
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
    fn many_items_are_those_of_each_index() {
        let selected = SelectionDataset::new((10..20).collect::<InMemDataset<u8>>(), vec![9, 0, 4]).unwrap();
        assert_eq!(selected.get_many(&[2, 0]).unwrap(), [14, 19]);
        let error = selected.get_many(&[0, 3]).unwrap_err();
        assert!(matches!(&error, DatasetError::Item { index: 3, .. }), "{error}");
    }
}
