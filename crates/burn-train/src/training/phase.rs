use super::batch_progress::BatchProgress;
use super::metric_slot::{MetricDescription, MetricSlot};
use super::workload::Position;
use crate::renderer::MetricState;
use crate::{Split, TrainError};
use burn_dataset::dataloader::{DataLoader, DataLoaderError, DataLoaderIterator};

/// One phase of the epochs: its data and its metrics.
pub(crate) struct Phase<'a, I, T> {
    split: Split,
    loader: &'a dyn DataLoader<I>,
    batches: Option<Box<dyn DataLoaderIterator<I> + 'a>>,
    /// The items of the epoch that were handed out.
    items: usize,
    metrics: Vec<Box<dyn MetricSlot<T>>>,
}

impl<'a, I, T> Phase<'a, I, T> {
    pub(crate) fn new(
        split: Split,
        loader: &'a dyn DataLoader<I>,
        metrics: Vec<Box<dyn MetricSlot<T>>>,
    ) -> Self {
        Self { split, loader, batches: None, items: 0, metrics }
    }

    /// Describes the metrics, before the first batch.
    pub(crate) fn describe(&self) -> Vec<MetricDescription> {
        self.metrics.iter().map(|metric| metric.describe()).collect()
    }

    /// Opens the data of an epoch, passes over the first batches, and clears the metrics.
    pub(crate) fn start(&mut self, epoch: usize, skipped: usize) -> Result<(), TrainError> {
        self.metrics.iter_mut().for_each(|metric| metric.clear());
        let batches = self.batches.insert(self.loader.iter_epoch(epoch));
        for _ in 0..skipped {
            batches.try_next().map_err(failed(self.split, epoch))?;
        }
        self.items = batches.progress().items_processed;
        Ok(())
    }

    /// Takes the next batch, and returns the progress of the epoch with it.
    pub(crate) fn next(&mut self, epoch: usize) -> Result<Option<(I, BatchProgress)>, TrainError> {
        let Some(batches) = &mut self.batches else { return Ok(None) };
        let batch = batches.try_next().map_err(failed(self.split, epoch))?;
        let progress = batches.progress();
        let items = progress.items_processed.saturating_sub(self.items);
        self.items = progress.items_processed;
        Ok(batch.map(|batch| (batch, BatchProgress { progress, items })))
    }

    /// Lets every metric look at the output of a step.
    pub(crate) fn measure(
        &mut self,
        output: &T,
        (at, progress, lr): (&Position, BatchProgress, Option<f64>),
        states: &mut Vec<MetricState>,
    ) {
        let metadata = at.metadata(progress, lr);
        states.extend(self.metrics.iter_mut().map(|metric| metric.update(output, &metadata)));
    }

    /// Lets go of the data, and with it of its worker threads.
    pub(crate) fn end(&mut self) {
        self.batches = None;
    }
}

fn failed(split: Split, epoch: usize) -> impl FnOnce(DataLoaderError) -> TrainError {
    move |source| TrainError::Data { split, epoch, source }
}
