use super::{LogError, MetricLogger};
use crate::metric::MetricEntry;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps the entries in memory. Clones share them, so that one stays outside the run.
///
/// ```
/// use burn::train::logger::{InMemoryMetricLogger, MetricLogger};
/// use burn::train::metric::MetricEntry;
///
/// let log = InMemoryMetricLogger::new();
/// log.clone().log(1, &MetricEntry::new("Loss", "0.5", "0.5,1")).unwrap();
/// assert_eq!(log.lines(1, "Loss"), ["0.5,1"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct InMemoryMetricLogger {
    entries: Arc<Mutex<Vec<(usize, MetricEntry)>>>,
}

impl InMemoryMetricLogger {
    /// Starts with no entry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all entries with their epochs, in the order in which they came.
    pub fn entries(&self) -> Vec<(usize, MetricEntry)> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what a metric logged in an epoch.
    pub fn lines(&self, epoch: usize, name: &str) -> Vec<String> {
        let entries = self.entries().into_iter();
        let wanted = entries.filter(|(other, entry)| *other == epoch && entry.name == name);
        wanted.map(|(_, entry)| entry.serialized).collect()
    }
}

impl MetricLogger for InMemoryMetricLogger {
    fn log(&mut self, epoch: usize, entry: &MetricEntry) -> Result<(), LogError> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push((epoch, entry.clone()));
        Ok(())
    }
}
