use super::plan::Shard;

/// Options of the builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) batch_size: usize,
    pub(super) seed: Option<u64>,
    pub(super) num_workers: usize,
    /// Batches that each worker may make ahead of the one that is waited for.
    pub(super) batches_ahead: usize,
    /// Whether a last batch that is smaller than the others is left out.
    pub(super) drop_last: bool,
    pub(super) shard: Shard,
}

impl Settings {
    /// Returns how many of the items of a dataset are in batches, on all ranks.
    pub(super) fn items_of(&self, items: usize) -> usize {
        if self.drop_last { items - items % self.batch_size } else { items }
    }

    pub(super) fn own_items_of(&self, items: usize) -> usize {
        self.shard.items_of(self.items_of(items), self.batch_size)
    }
}
