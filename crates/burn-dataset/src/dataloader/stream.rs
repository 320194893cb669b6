use std::fmt;
use std::iter::Take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::batch_source::message_of;
use super::{Batcher, DataLoader, DataLoaderError, DataLoaderIterator, Progress};
use crate::IterableDataset;

/// Makes batches of a stream, in the order in which its items come, in the calling thread.
///
/// ```
/// use burn::data::dataloader::{DataLoader, StreamDataLoader};
/// use burn::data::dataset::IterableDataset;
///
/// struct Countdown;
///
/// impl IterableDataset<i32> for Countdown {
///     fn stream(&self, _epoch: usize) -> Box<dyn Iterator<Item = i32>> {
///         Box::new((0..100).rev())
///     }
///
///     fn items_per_epoch(&self) -> usize {
///         5
///     }
/// }
///
/// let loader = StreamDataLoader::new(|items: Vec<i32>| items, Countdown, 2);
/// assert_eq!(loader.iter().collect::<Vec<_>>(), [vec![99, 98], vec![97, 96], vec![95]]);
/// ```
pub struct StreamDataLoader<I, O> {
    dataset: Arc<dyn IterableDataset<I>>,
    batcher: Arc<dyn Batcher<I, O>>,
    batch_size: usize,
    next_epoch: AtomicUsize,
}

impl<I, O> StreamDataLoader<I, O> {
    /// Makes batches of `batch_size` items; the last one of an epoch holds what is left.
    ///
    /// # Panics
    /// If `batch_size` is zero.
    #[track_caller]
    pub fn new<B, D>(batcher: B, dataset: D, batch_size: usize) -> Self
    where
        B: Batcher<I, O> + 'static,
        D: IterableDataset<I> + 'static,
    {
        assert!(batch_size > 0, "a batch holds at least one item");
        Self {
            dataset: Arc::new(dataset),
            batcher: Arc::new(batcher),
            batch_size,
            next_epoch: AtomicUsize::new(1),
        }
    }
}

impl<I, O> DataLoader<O> for StreamDataLoader<I, O> {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<O> + 'a> {
        self.iter_epoch(self.next_epoch.fetch_add(1, Ordering::Relaxed))
    }

    fn iter_epoch<'a>(&'a self, epoch: usize) -> Box<dyn DataLoaderIterator<O> + 'a> {
        let total = self.dataset.items_per_epoch();
        Box::new(StreamIterator {
            stream: Some(self.dataset.stream(epoch).take(total)),
            batcher: &*self.batcher,
            batch_size: self.batch_size,
            read: 0,
            delivered: 0,
            total,
        })
    }

    fn next_epoch(&self) -> usize {
        self.next_epoch.load(Ordering::Relaxed)
    }

    fn set_next_epoch(&self, epoch: usize) {
        self.next_epoch.store(epoch, Ordering::Relaxed);
    }

    fn num_items(&self) -> usize {
        self.dataset.items_per_epoch()
    }

    fn num_batches(&self) -> usize {
        self.dataset.items_per_epoch().div_ceil(self.batch_size)
    }
}

impl<I, O> fmt::Debug for StreamDataLoader<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamDataLoader")
            .field("batch_size", &self.batch_size)
            .field("next_epoch", &self.next_epoch)
            .finish_non_exhaustive()
    }
}

struct StreamIterator<'a, I, O> {
    /// The items to come, gone after the last one and after an error.
    stream: Option<Take<Box<dyn Iterator<Item = I> + 'a>>>,
    batcher: &'a dyn Batcher<I, O>,
    batch_size: usize,
    /// The items taken from the stream, and those handed out in batches.
    read: usize,
    delivered: usize,
    total: usize,
}

impl<I, O> StreamIterator<'_, I, O> {
    fn read_items(&mut self) -> Vec<I> {
        let stream = self.stream.iter_mut().flatten();
        stream.take(self.batch_size).inspect(|_| self.read += 1).collect()
    }

    fn make(&mut self) -> Result<Option<O>, DataLoaderError> {
        let first = self.read;
        let items = catch_unwind(AssertUnwindSafe(|| self.read_items())).map_err(|payload| {
            DataLoaderError::DatasetPanicked { index: self.read, message: message_of(&*payload) }
        })?;
        if items.is_empty() {
            return Ok(None);
        }
        let made = catch_unwind(AssertUnwindSafe(|| self.batcher.batch(items)));
        made.map(Some).map_err(|payload| DataLoaderError::BatcherPanicked {
            batch: first / self.batch_size,
            indices: (first..self.read).collect(),
            message: message_of(&*payload),
        })
    }
}

impl<I, O> Iterator for StreamIterator<'_, I, O> {
    type Item = O;

    fn next(&mut self) -> Option<O> {
        self.try_next().unwrap_or_else(|error| panic!("{error}"))
    }
}

impl<I, O> DataLoaderIterator<O> for StreamIterator<'_, I, O> {
    fn try_next(&mut self) -> Result<Option<O>, DataLoaderError> {
        let made = self.make();
        match made {
            Ok(Some(_)) => self.delivered = self.read,
            Ok(None) | Err(_) => self.stream = None,
        }
        made
    }

    fn progress(&self) -> Progress {
        Progress::new(self.delivered, self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts up from the number of the epoch; `end` ends it or panics.
    struct Counter {
        end: fn(usize) -> bool,
    }

    impl IterableDataset<usize> for Counter {
        fn stream(&self, epoch: usize) -> Box<dyn Iterator<Item = usize> + '_> {
            Box::new((epoch..).take_while(|item| !(self.end)(*item)))
        }

        fn items_per_epoch(&self) -> usize {
            7
        }
    }

    fn loader(end: fn(usize) -> bool) -> StreamDataLoader<usize, Vec<usize>> {
        StreamDataLoader::new(|items: Vec<usize>| items, Counter { end }, 3)
    }

    #[test]
    fn epochs_follow_each_other_and_can_be_resumed() {
        let loader = loader(|_| false);
        assert_eq!(loader.iter().collect::<Vec<_>>(), [vec![1, 2, 3], vec![4, 5, 6], vec![7]]);
        loader.set_next_epoch(5);
        assert_eq!(loader.iter().next(), Some(vec![5, 6, 7]));
        assert_eq!(loader.next_epoch(), 6);
        assert_eq!((loader.num_items(), loader.num_batches()), (7, 3));
    }

    #[test]
    fn a_stream_that_ends_early_ends_the_epoch() {
        let loader = loader(|item| item == 5);
        let mut iterator = loader.iter();
        assert_eq!(iterator.by_ref().collect::<Vec<_>>(), [vec![1, 2, 3], vec![4]]);
        assert_eq!(iterator.progress(), Progress::new(4, 7));
    }

    #[test]
    fn a_stream_that_panics_ends_the_epoch_with_an_error() {
        let loader = loader(|item| if item == 5 { panic!("connection lost") } else { false });
        let mut iterator = loader.iter();
        assert_eq!(iterator.try_next(), Ok(Some(vec![1, 2, 3])));
        let message = "connection lost".to_owned();
        assert_eq!(iterator.try_next(), Err(DataLoaderError::DatasetPanicked { index: 4, message }));
        assert_eq!(iterator.progress(), Progress::new(3, 7));
        assert_eq!(iterator.try_next(), Ok(None));
    }
}
