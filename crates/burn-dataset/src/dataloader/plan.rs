use std::ops::Range;

use super::DataLoaderError;
use crate::random::{Generator, try_permutation};

/// Which items make up which batch of one epoch.
pub(super) struct Plan {
    /// The random order, or none when items come in the order of the dataset.
    order: Option<Vec<usize>>,
    items: usize,
    batch_size: usize,
    /// The seed of the random numbers of items in this epoch.
    item_seed: u64,
}

impl Plan {
    /// # Errors
    /// If there is no memory for the order.
    pub(super) fn new(
        items: usize,
        batch_size: usize,
        seed: Option<u64>,
        epoch: usize,
    ) -> Result<Self, DataLoaderError> {
        let order = seed.map(|seed| try_permutation(items, seed, epoch as u64)).transpose();
        let order = order.map_err(|error| DataLoaderError::NoOrder { items, message: error.to_string() })?;
        let item_seed = Generator::with_stream(seed.unwrap_or(0), epoch as u64).next_u64();
        Ok(Self { order, items, batch_size, item_seed })
    }

    /// Leaves out the items of a last batch that is smaller than the others.
    pub(super) fn without_rest(mut self) -> Self {
        self.items -= self.items % self.batch_size;
        self
    }

    /// Returns the random numbers of the item at `index`: the same in every run, others in every epoch.
    pub(super) fn generator(&self, index: usize) -> Generator {
        Generator::with_stream(self.item_seed, index as u64)
    }

    pub(super) fn items(&self) -> usize {
        self.items
    }

    pub(super) fn batches(&self) -> usize {
        self.items.div_ceil(self.batch_size)
    }

    /// Returns how many items the first `batches` batches hold.
    pub(super) fn items_in(&self, batches: usize) -> usize {
        batches.saturating_mul(self.batch_size).min(self.items)
    }

    /// Returns the indices of the items of a batch.
    pub(super) fn indices(&self, batch: usize) -> Indices<'_> {
        Indices { order: self.order.as_deref(), positions: self.items_in(batch)..self.items_in(batch + 1) }
    }
}

/// The indices of the items of one batch.
pub(super) struct Indices<'a> {
    order: Option<&'a [usize]>,
    positions: Range<usize>,
}

impl Iterator for Indices<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let position = self.positions.next()?;
        Some(self.order.map_or(position, |order| order[position]))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }
}

impl ExactSizeIterator for Indices<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_batch_keeps_the_rest() {
        let plan = Plan::new(7, 3, None, 1).unwrap();
        let batches: Vec<Vec<usize>> =
            (0..plan.batches()).map(|batch| plan.indices(batch).collect()).collect();
        assert_eq!(batches, [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
        assert_eq!([0, 1, 2, 3].map(|batches| plan.items_in(batches)), [0, 3, 6, 7]);
    }

    #[test]
    fn every_epoch_has_its_own_order_of_the_same_items() {
        let order = |epoch| -> Vec<usize> { Plan::new(50, 50, Some(7), epoch).unwrap().indices(0).collect() };
        let mut first = order(1);
        assert_eq!(first, order(1));
        assert_ne!(first, order(2));
        first.sort_unstable();
        assert_eq!(first, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_batch_larger_than_the_dataset_holds_all_of_it() {
        let plan = Plan::new(3, usize::MAX, None, 1).unwrap();
        assert_eq!(plan.batches(), 1);
        assert_eq!(plan.indices(0).len(), 3);
    }
}
