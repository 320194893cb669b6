use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::batch_iterator::{BatchIterator, NotStarted};
use super::batch_source::BatchSource;
use super::epoch::Epoch;
use super::plan::{Plan, Shard};
use super::{DataLoaderError, Progress};

/// Hands out the batches of a dataset, epoch after epoch.
///
/// Epochs count from 1. The batches of an epoch, and their order, depend on the dataset, the seed
/// and the number of the epoch: a run that is resumed in epoch 7 sees what the first run would
/// have seen.
pub trait DataLoader<O>: Send + Sync {
    /// Returns the batches of the next epoch: of epoch 1 at the first call, then of 2, and so on.
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<O> + 'a> {
        let epoch = self.next_epoch();
        self.set_next_epoch(epoch + 1);
        self.iter_epoch(epoch)
    }

    /// Returns the batches of a certain epoch, whichever comes next for [`iter`](DataLoader::iter).
    fn iter_epoch<'a>(&'a self, epoch: usize) -> Box<dyn DataLoaderIterator<O> + 'a>;

    /// Returns the number of the epoch that the next call of [`iter`](DataLoader::iter) runs.
    fn next_epoch(&self) -> usize;

    /// Sets the number of the epoch that the next call of [`iter`](DataLoader::iter) runs.
    fn set_next_epoch(&self, epoch: usize);

    /// Returns the number of items of an epoch.
    fn num_items(&self) -> usize;

    /// Returns the number of batches of an epoch, the last and possibly smaller one included.
    fn num_batches(&self) -> usize;

    /// Returns the loader of one of several ranks that train together, which has a part of each batch: each
    /// item goes to one rank, and parts differ by one item at most. Of a last batch with fewer items than
    /// ranks, some ranks have none, and a batch fewer. `None` where the loader cannot be divided; unless
    /// written anew, it cannot.
    fn shard<'a>(&'a self, rank: usize, ranks: usize) -> Option<Box<dyn DataLoader<O> + 'a>> {
        let _ = (rank, ranks);
        None
    }
}

/// The batches of one epoch.
///
/// [`Iterator::next`] panics where [`try_next`](DataLoaderIterator::try_next) returns an error.
pub trait DataLoaderIterator<O>: Iterator<Item = O> {
    /// Returns the next batch, or `None` after the last one and after an error.
    ///
    /// # Errors
    /// If the dataset has no item at an index below its length, if the dataset or the batcher panics, or if
    /// there is no memory for the order of the items. The batches before it are delivered first, for any
    /// number of workers.
    fn try_next(&mut self) -> Result<Option<O>, DataLoaderError>;

    /// Returns the number of items handed out so far.
    fn progress(&self) -> Progress;
}

/// The loader that a [`DataLoaderBuilder`](super::DataLoaderBuilder) builds: it makes batches in
/// the calling thread, or in worker threads that live as long as an iterator.
pub struct BatchDataLoader<O> {
    source: Arc<dyn BatchSource>,
    settings: Settings,
    next_epoch: AtomicUsize,
    batch: PhantomData<fn() -> O>,
}

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
    fn items_of(&self, items: usize) -> usize {
        if self.drop_last { items - items % self.batch_size } else { items }
    }

    fn own_items_of(&self, items: usize) -> usize {
        self.shard.items_of(self.items_of(items), self.batch_size)
    }
}

impl<O> BatchDataLoader<O> {
    pub(super) fn new(source: Arc<dyn BatchSource>, settings: Settings) -> Self {
        Self { source, settings, next_epoch: AtomicUsize::new(1), batch: PhantomData }
    }

    fn start(&self, epoch: usize) -> Result<Epoch, NotStarted> {
        let (settings, items) = (self.settings, self.source.len());
        match Plan::new(items, settings.batch_size, settings.seed, epoch) {
            Ok(plan) if settings.drop_last => {
                let plan = plan.without_rest().shard(settings.shard);
                Ok(Epoch::new(Arc::clone(&self.source), plan, settings))
            }
            Ok(plan) => Ok(Epoch::new(Arc::clone(&self.source), plan.shard(settings.shard), settings)),
            Err(error) => Err(NotStarted { error: Some(error), items: settings.own_items_of(items) }),
        }
    }
}

impl<O: 'static> DataLoader<O> for BatchDataLoader<O> {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<O> + 'a> {
        self.iter_epoch(self.next_epoch.fetch_add(1, Ordering::Relaxed))
    }

    fn iter_epoch<'a>(&'a self, epoch: usize) -> Box<dyn DataLoaderIterator<O> + 'a> {
        Box::new(BatchIterator::new(self.start(epoch)))
    }

    fn next_epoch(&self) -> usize {
        self.next_epoch.load(Ordering::Relaxed)
    }

    fn set_next_epoch(&self, epoch: usize) {
        self.next_epoch.store(epoch, Ordering::Relaxed);
    }

    fn num_items(&self) -> usize {
        self.settings.own_items_of(self.source.len())
    }

    fn num_batches(&self) -> usize {
        let Settings { batch_size, shard, .. } = self.settings;
        shard.batches_of(self.settings.items_of(self.source.len()), batch_size)
    }

    fn shard<'a>(&'a self, rank: usize, ranks: usize) -> Option<Box<dyn DataLoader<O> + 'a>> {
        if self.settings.shard != Shard::WHOLE || rank >= ranks {
            return None;
        }
        let settings = Settings { shard: Shard { rank, ranks }, ..self.settings };
        let shard: BatchDataLoader<O> = BatchDataLoader::new(Arc::clone(&self.source), settings);
        shard.set_next_epoch(self.next_epoch());
        Some(Box::new(shard))
    }
}

impl<O> fmt::Debug for BatchDataLoader<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchDataLoader")
            .field("settings", &self.settings)
            .field("next_epoch", &self.next_epoch)
            .finish_non_exhaustive()
    }
}
