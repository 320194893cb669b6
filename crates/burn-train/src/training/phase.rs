use super::batch_progress::BatchProgress;
use super::metric_slot::{MetricDescription, MetricSlot};
use super::rank_group::RankGroup;
use super::rank_metrics::RankMetrics;
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
    /// Metrics of this rank, where there are several.
    on_ranks: Option<RankMetrics>,
}

impl<'a, I, T> Phase<'a, I, T> {
    pub(crate) fn new(
        split: Split,
        loader: &'a dyn DataLoader<I>,
        metrics: Vec<Box<dyn MetricSlot<T>>>,
    ) -> Self {
        Self { split, loader, batches: None, items: 0, metrics, on_ranks: None }
    }

    /// Measures batches of which every rank has a part: [`combine`](Self::combine) follows.
    pub(super) fn on_ranks(mut self) -> Self {
        self.on_ranks = Some(RankMetrics::default());
        self
    }

    /// Describes the metrics, before the first batch.
    pub(crate) fn describe(&self) -> Vec<MetricDescription> {
        self.metrics.iter().map(|metric| metric.describe()).collect()
    }

    /// Opens the data of an epoch, passes over the first batches, and clears the metrics.
    pub(crate) fn start(&mut self, epoch: usize, skipped: usize) -> Result<(), TrainError> {
        self.metrics.iter_mut().for_each(|metric| metric.clear());
        self.on_ranks.iter_mut().for_each(RankMetrics::clear);
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
        for metric in &mut self.metrics {
            let counts = self.on_ranks.as_mut().and_then(|ranks| Some((ranks, metric.count(output)?)));
            match counts {
                Some((ranks, counts)) => ranks.add_counts(counts),
                None => states.push(metric.update(output, &metadata)),
            }
        }
    }

    /// Replaces the metrics of this rank by those of the batches of all ranks.
    ///
    /// # Errors
    /// If a rank ended or failed.
    pub(super) fn combine(
        &mut self,
        group: &dyn RankGroup,
        states: &mut Vec<MetricState>,
    ) -> Result<(), TrainError> {
        let Some(ranks) = &mut self.on_ranks else { return Ok(()) };
        let mut counts = ranks.combine(group, states)?.into_iter();
        for (index, metric) in self.metrics.iter_mut().enumerate() {
            if let Some(state) = metric.add(&mut counts) {
                states.insert(index.min(states.len()), state);
            }
        }
        Ok(())
    }

    /// Lets go of the data, and with it of its worker threads.
    pub(crate) fn end(&mut self) {
        self.batches = None;
    }
}

fn failed(split: Split, epoch: usize) -> impl FnOnce(DataLoaderError) -> TrainError {
    move |source| TrainError::Data { split, epoch, source }
}
