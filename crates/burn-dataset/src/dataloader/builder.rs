use std::fmt;
use std::sync::Arc;

use super::batch_source::{Augment, Batches};
use super::plan::Shard;
use super::settings::Settings;
use super::workers::BATCHES_AHEAD;
use super::{BatchDataLoader, Batcher, DataLoader};
use crate::Dataset;
use crate::random::Generator;

/// Builds a [`DataLoader`]; every option may be left out.
///
/// ```
/// use burn::data::dataloader::DataLoaderBuilder;
/// use burn::data::dataset::InMemDataset;
///
/// let dataset = InMemDataset::new((0..10).collect());
/// let loader = DataLoaderBuilder::new(|items: Vec<i32>| items)
///     .batch_size(4)
///     .shuffle(42)
///     .num_workers(2)
///     .build(dataset);
///
/// assert_eq!(loader.num_batches(), 3);
/// for epoch in 1..=2 {
///     let sizes: Vec<usize> = loader.iter().map(|batch| batch.len()).collect();
///     assert_eq!(sizes, [4, 4, 2], "epoch {epoch}");
/// }
/// ```
pub struct DataLoaderBuilder<I, O> {
    batcher: Arc<dyn Batcher<I, O>>,
    augment: Option<Arc<Augment<I>>>,
    settings: Settings,
}

impl<I: 'static, O: Send + 'static> DataLoaderBuilder<I, O> {
    /// Starts with batches of one item, in the order of the dataset, made in the calling thread.
    pub fn new<B: Batcher<I, O> + 'static>(batcher: B) -> Self {
        let settings = Settings {
            batch_size: 1,
            seed: None,
            num_workers: 0,
            batches_ahead: BATCHES_AHEAD,
            drop_last: false,
            shard: Shard::WHOLE,
        };
        Self { batcher: Arc::new(batcher), augment: None, settings }
    }

    /// Sets the number of items of a batch; the last batch of an epoch holds what is left.
    ///
    /// # Panics
    /// If `batch_size` is zero.
    #[track_caller]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        assert!(batch_size > 0, "a batch holds at least one item");
        self.settings.batch_size = batch_size;
        self
    }

    /// Leaves out the last batch of an epoch if it has fewer items than the others.
    ///
    /// With [`shuffle`](Self::shuffle), other items are left out in every epoch. PyTorch:
    /// `DataLoader(drop_last=True)`.
    ///
    /// ```
    /// use burn::data::dataloader::DataLoaderBuilder;
    /// use burn::data::dataset::InMemDataset;
    ///
    /// let loader = DataLoaderBuilder::new(|items: Vec<i32>| items)
    ///     .batch_size(4)
    ///     .drop_last(true)
    ///     .build(InMemDataset::new((0..10).collect()));
    /// assert_eq!((loader.num_batches(), loader.num_items()), (2, 8));
    /// assert!(loader.iter().all(|batch| batch.len() == 4));
    /// ```
    pub fn drop_last(mut self, drop_last: bool) -> Self {
        self.settings.drop_last = drop_last;
        self
    }

    /// Shuffles the items anew in every epoch, in an order fixed by `seed` and the epoch.
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.settings.seed = Some(seed);
        self
    }

    /// Sets the number of threads that make batches ahead of time; with zero, each batch is made
    /// when it is asked for. The batches and their order are the same for any number.
    pub fn num_workers(mut self, num_workers: usize) -> Self {
        self.settings.num_workers = num_workers;
        self
    }

    /// Sets the number of batches that each worker may make ahead of the one that is waited for, 2 if it is
    /// left out.
    ///
    /// It bounds the memory of a loader: at most `num_workers * batches` batches are made and not yet
    /// delivered.
    ///
    /// # Panics
    /// If `batches` is zero.
    #[track_caller]
    pub fn prefetch(mut self, batches: usize) -> Self {
        assert!(batches > 0, "a worker makes at least one batch ahead");
        self.settings.batches_ahead = batches;
        self
    }

    /// Changes each item at random when it is read, before the batcher sees it.
    ///
    /// The random numbers that the function is given depend on the seed of the loader (0 without
    /// [`shuffle`](Self::shuffle)), the epoch and the index of the item alone: they differ from epoch to
    /// epoch, and are the same for any number of workers and in a resumed run. Called several times, the
    /// functions follow each other.
    ///
    /// ```
    /// use burn::data::dataloader::DataLoaderBuilder;
    /// use burn::data::dataset::InMemDataset;
    ///
    /// let loader = |workers| {
    ///     DataLoaderBuilder::new(|items: Vec<f32>| items)
    ///         .augment(|item, random| item + random.uniform(-0.1, 0.1) as f32)
    ///         .batch_size(2)
    ///         .num_workers(workers)
    ///         .build(InMemDataset::new(vec![1.0; 6]))
    /// };
    /// let (alone, workers) = (loader(0), loader(2));
    /// let first: Vec<_> = alone.iter().collect();
    /// assert_eq!(first, workers.iter().collect::<Vec<_>>());
    /// assert_ne!(first, alone.iter().collect::<Vec<_>>(), "another epoch");
    /// ```
    pub fn augment<F>(mut self, function: F) -> Self
    where
        F: Fn(I, &mut Generator) -> I + Send + Sync + 'static,
    {
        self.augment = Some(match self.augment {
            Some(before) => {
                Arc::new(move |item: I, random: &mut Generator| function(before(item, random), random))
            }
            None => Arc::new(function),
        });
        self
    }

    /// Builds the loader of a dataset.
    pub fn build<D: Dataset<I> + 'static>(self, dataset: D) -> Arc<dyn DataLoader<O>> {
        let source = Batches { dataset: Arc::new(dataset), batcher: self.batcher, augment: self.augment };
        Arc::new(BatchDataLoader::new(Arc::new(source), self.settings))
    }
}

impl<I, O> fmt::Debug for DataLoaderBuilder<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataLoaderBuilder").field("settings", &self.settings).finish_non_exhaustive()
    }
}
