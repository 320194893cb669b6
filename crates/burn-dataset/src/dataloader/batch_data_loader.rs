use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::batch_iterator::{BatchIterator, NotStarted};
use super::batch_source::BatchSource;
use super::epoch::Epoch;
use super::plan::{Plan, Shard};
use super::settings::Settings;
use super::{DataLoader, DataLoaderIterator};

/// The loader that a [`DataLoaderBuilder`](super::DataLoaderBuilder) builds: it makes batches in
/// the calling thread, or in worker threads that live as long as an iterator.
pub struct BatchDataLoader<O> {
    source: Arc<dyn BatchSource>,
    settings: Settings,
    next_epoch: AtomicUsize,
    batch: PhantomData<fn() -> O>,
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
