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
    shard: Shard,
}

/// Part of each batch that one of several ranks has: parts are consecutive, and differ by one item at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    pub(super) rank: usize,
    pub(super) ranks: usize,
}

impl Shard {
    /// All items of each batch.
    pub(super) const WHOLE: Self = Self { rank: 0, ranks: 1 };

    /// Returns the positions of this rank among those of a batch.
    fn part(self, batch: Range<usize>) -> Range<usize> {
        let (each, more) = (batch.len() / self.ranks, batch.len() % self.ranks);
        let start = |rank: usize| batch.start + rank * each + rank.min(more);
        start(self.rank)..start(self.rank + 1)
    }

    /// Returns how many of the first `items` items of an epoch are in the parts of this rank.
    pub(super) fn items_of(self, items: usize, batch_size: usize) -> usize {
        let (whole, rest) = (items / batch_size, items % batch_size);
        // Without batches, a batch size that no part can be counted of does no harm.
        whole.saturating_mul(self.part(0..if whole > 0 { batch_size } else { 0 }).len())
            + self.part(0..rest).len()
    }

    /// Returns how many batches this rank has items of.
    pub(super) fn batches_of(self, items: usize, batch_size: usize) -> usize {
        let (whole, rest) = (items / batch_size, items % batch_size);
        let has_items = |items: usize| usize::from(!self.part(0..items).is_empty());
        whole * has_items(if whole > 0 { batch_size } else { 0 }) + has_items(rest)
    }
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
        Ok(Self { order, items, batch_size, item_seed, shard: Shard::WHOLE })
    }

    /// Leaves a part of each batch, which it has for one of several ranks.
    pub(super) fn shard(self, shard: Shard) -> Self {
        Self { shard, ..self }
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

    /// Returns the number of batches that have items of this rank: only the last may have none.
    pub(super) fn batches(&self) -> usize {
        self.shard.batches_of(self.items, self.batch_size)
    }

    /// Returns how many items the first `batches` batches hold, on all ranks.
    fn end_of(&self, batches: usize) -> usize {
        batches.saturating_mul(self.batch_size).min(self.items)
    }

    /// Returns how many items of this rank the first `batches` batches hold.
    pub(super) fn items_in(&self, batches: usize) -> usize {
        self.shard.items_of(self.end_of(batches), self.batch_size)
    }

    /// Returns how many items of an epoch this rank has.
    pub(super) fn own_items(&self) -> usize {
        self.shard.items_of(self.items, self.batch_size)
    }

    /// Returns the indices of the items of a batch.
    pub(super) fn indices(&self, batch: usize) -> Indices<'_> {
        let positions = self.shard.part(self.end_of(batch)..self.end_of(batch + 1));
        Indices { order: self.order.as_deref(), positions }
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
    fn shards_of_a_batch_hold_each_item_once() {
        for (items, batch_size, ranks) in
            [(8, 8, 2), (23, 8, 3), (100, 16, 8), (9, 100, 4), (17, 4, 4), (0, 4, 2)]
        {
            let whole = Plan::new(items, batch_size, Some(3), 1).unwrap();
            let shards: Vec<Plan> = (0..ranks)
                .map(|rank| Plan::new(items, batch_size, Some(3), 1).unwrap().shard(Shard { rank, ranks }))
                .collect();
            for batch in 0..whole.batches() {
                let parts = shards.iter().flat_map(|shard| shard.indices(batch).collect::<Vec<_>>());
                assert_eq!(parts.collect::<Vec<_>>(), whole.indices(batch).collect::<Vec<_>>());
            }
            for shard in &shards {
                let counts: Vec<usize> =
                    (0..whole.batches()).map(|batch| shard.indices(batch).len()).collect();
                assert_eq!(shard.own_items(), counts.iter().sum::<usize>());
                assert_eq!(shard.batches(), counts.iter().filter(|count| **count > 0).count());
                for batches in 0..=whole.batches() {
                    assert_eq!(shard.items_in(batches), counts[..batches].iter().sum::<usize>());
                }
            }
        }
    }

    #[test]
    fn a_batch_larger_than_the_dataset_holds_all_of_it() {
        let plan = Plan::new(3, usize::MAX, None, 1).unwrap();
        assert_eq!(plan.batches(), 1);
        assert_eq!(plan.indices(0).len(), 3);
    }
}
