use std::any::Any;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::plan::Plan;
use super::{Batcher, DataLoaderError};
use crate::random::Generator;
use crate::{Dataset, DatasetError};

/// A batch that says it is larger grows with its items.
const MOST_RESERVED: usize = 1 << 16;

/// Indices that are handed to a dataset together: a batch may hold more.
const MOST_TOGETHER: usize = 1 << 10;

/// A batch whose type only the two ends of the loader know: what lies between is compiled once.
pub(super) type ErasedBatch = Box<dyn Any + Send>;

/// Items that a loader makes batches of.
pub(super) trait BatchSource: Send + Sync {
    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Makes the batch of a job, telling the job where it is.
    fn make(&self, job: &Job<'_>) -> Result<ErasedBatch, Unmade>;
}

/// Why a source made no batch.
pub(super) enum Unmade {
    /// The dataset had no item at this index.
    Missing(usize),
    /// The dataset could not read the item at this index.
    Unreadable(usize, DatasetError),
    /// The iterator no longer waits for the batch.
    Stopped,
}

/// A change of items by random numbers.
pub(super) type Augment<I> = dyn Fn(I, &mut Generator) -> I + Send + Sync;

/// A dataset and the batcher of its items.
pub(super) struct Batches<I, O> {
    pub(super) dataset: Arc<dyn Dataset<I>>,
    pub(super) batcher: Arc<dyn Batcher<I, O>>,
    pub(super) augment: Option<Arc<Augment<I>>>,
}

impl<I, O: Send + 'static> BatchSource for Batches<I, O> {
    fn len(&self) -> usize {
        self.dataset.len()
    }

    fn make(&self, job: &Job<'_>) -> Result<ErasedBatch, Unmade> {
        let mut items = Vec::with_capacity(job.len().min(MOST_RESERVED));
        let mut indices = job.plan.indices(job.batch);
        loop {
            let chunk: Vec<usize> = indices.by_ref().take(MOST_TOGETHER).collect();
            if chunk.is_empty() {
                break;
            }
            self.read(job, &chunk, &mut items)?;
        }
        job.begin_batch();
        Ok(Box::new(self.batcher.batch(items)))
    }
}

impl<I, O> Batches<I, O> {
    /// Reads the items at `indices` in one call of the dataset.
    fn read(&self, job: &Job<'_>, indices: &[usize], items: &mut Vec<I>) -> Result<(), Unmade> {
        let (mut read, mut unmade) = (0, None);
        job.begin_item(indices[0])?;
        self.dataset.read_many(indices, &mut |item| {
            match self.receive(job, &indices[read..], item) {
                Ok(item) => items.push(item),
                Err(error) => {
                    unmade = Some(error);
                    return ControlFlow::Break(());
                }
            }
            read += 1;
            match indices.get(read).map_or(Ok(()), |&index| job.begin_item(index)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    unmade = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        match unmade {
            Some(error) => Err(error),
            // The dataset ended before it had handed over every item.
            None => indices.get(read).map_or(Ok(()), |&index| Err(Unmade::Missing(index))),
        }
    }

    fn receive(
        &self,
        job: &Job<'_>,
        indices: &[usize],
        item: Result<Option<I>, DatasetError>,
    ) -> Result<I, Unmade> {
        // More items than indices are a mistake of the dataset, returned as an error after the last one.
        let index = indices.first().copied().unwrap_or(job.plan.items());
        let item = item.map_err(|error| Unmade::Unreadable(index, error))?.ok_or(Unmade::Missing(index))?;
        Ok(match &self.augment {
            Some(augment) => augment(item, &mut job.plan.generator(index)),
            None => item,
        })
    }
}

/// One batch to be made.
pub(super) struct Job<'a> {
    pub(super) plan: &'a Plan,
    pub(super) batch: usize,
    stopped: &'a AtomicBool,
    reading: Cell<Option<usize>>,
}

impl<'a> Job<'a> {
    pub(super) fn new(plan: &'a Plan, batch: usize, stopped: &'a AtomicBool) -> Self {
        Self { plan, batch, stopped, reading: Cell::new(None) }
    }

    /// Makes the batch; `None` if the loader was dropped.
    pub(super) fn run(&self, source: &dyn BatchSource) -> Option<Result<ErasedBatch, DataLoaderError>> {
        match catch_unwind(AssertUnwindSafe(|| source.make(self))) {
            Ok(Ok(batch)) => Some(Ok(batch)),
            Ok(Err(Unmade::Stopped)) => None,
            Ok(Err(Unmade::Missing(index))) => {
                Some(Err(DataLoaderError::MissingItem { index, len: self.plan.items() }))
            }
            Ok(Err(Unmade::Unreadable(index, error))) => {
                Some(Err(DataLoaderError::UnreadableItem { index, message: error.to_string() }))
            }
            Err(payload) => Some(Err(self.panicked(message_of(&*payload)))),
        }
    }

    fn len(&self) -> usize {
        self.plan.indices(self.batch).len()
    }

    fn begin_item(&self, index: usize) -> Result<(), Unmade> {
        self.reading.set(Some(index));
        if self.stopped.load(Ordering::Relaxed) { Err(Unmade::Stopped) } else { Ok(()) }
    }

    fn begin_batch(&self) {
        self.reading.set(None);
    }

    fn panicked(&self, message: String) -> DataLoaderError {
        match self.reading.get() {
            Some(index) => DataLoaderError::DatasetPanicked { index, message },
            None => DataLoaderError::BatcherPanicked {
                batch: self.batch,
                indices: self.plan.indices(self.batch).collect(),
                message,
            },
        }
    }
}

/// Returns the text that a panic was raised with.
pub(super) fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
        .to_owned()
}
