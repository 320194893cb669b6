use std::marker::PhantomData;
use std::sync::OnceLock;

use super::translate::read_translated;
use crate::random::try_permutation;
use crate::{Dataset, DatasetError, Receive};

/// A dataset in the random order of a seed.
///
/// The order is [`permutation`](crate::random::permutation)`(len, seed, 0)`, made at the first access and
/// kept, eight bytes an item on a 64-bit machine.
///
/// ```
/// use burn::data::dataset::transform::ShuffledDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let cards = InMemDataset::new((0..52).collect::<Vec<_>>());
/// let deck = ShuffledDataset::with_seed(cards.clone(), 42);
/// let again = ShuffledDataset::with_seed(cards, 42);
/// assert_eq!(deck.iter().collect::<Vec<_>>(), again.iter().collect::<Vec<_>>());
/// ```
#[derive(Clone, Debug)]
pub struct ShuffledDataset<D, I> {
    dataset: D,
    seed: u64,
    /// None where there is no memory for it.
    order: OnceLock<Option<Vec<usize>>>,
    item: PhantomData<fn() -> I>,
}

impl<D: Dataset<I>, I> ShuffledDataset<D, I> {
    /// Shuffles `dataset` by `seed`.
    pub fn with_seed(dataset: D, seed: u64) -> Self {
        Self { dataset, seed, order: OnceLock::new(), item: PhantomData }
    }

    /// Returns where the dataset has the item at `index`.
    fn place(&self, index: usize) -> Result<Option<usize>, DatasetError> {
        let items = self.dataset.len();
        let order = self.order.get_or_init(|| try_permutation(items, self.seed, 0).ok());
        let order = order.as_ref().ok_or(DatasetError::TooManyItems { items })?;
        Ok(order.get(index).copied())
    }
}

impl<D: Dataset<I>, I> Dataset<I> for ShuffledDataset<D, I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        self.place(index)?.map_or(Ok(None), |index| self.dataset.try_get(index))
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
        read_translated(&self.dataset, indices, |index| self.place(index), receive);
    }

    fn len(&self) -> usize {
        self.dataset.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    fn shuffled(seed: u64) -> Vec<usize> {
        ShuffledDataset::with_seed((0..100).collect::<InMemDataset<usize>>(), seed).iter().collect()
    }

    #[test]
    fn every_item_comes_once_in_an_order_of_the_seed() {
        let mut items = shuffled(42);
        assert_ne!(items, shuffled(43));
        assert_ne!(items, (0..100).collect::<Vec<_>>());

        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
