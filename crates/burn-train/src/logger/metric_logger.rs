use super::LogError;
use crate::metric::MetricEntry;

/// Keeps what the metrics of one phase say, batch by batch.
///
/// An error ends the run.
pub trait MetricLogger: Send {
    /// Begins an epoch. A run that was stopped in its middle has logged `batches` of it before, and
    /// goes on after them; anything else of this epoch is from a run that is done over.
    ///
    /// # Errors
    /// If the log cannot be opened.
    fn start_epoch(&mut self, epoch: usize, batches: usize) -> Result<(), LogError> {
        let _ = (epoch, batches);
        Ok(())
    }

    /// Keeps what a metric says about a batch.
    ///
    /// # Errors
    /// If the log cannot be written.
    fn log(&mut self, epoch: usize, entry: &MetricEntry) -> Result<(), LogError>;

    /// Ends an epoch.
    ///
    /// # Errors
    /// If the log cannot be written.
    fn end_epoch(&mut self, epoch: usize) -> Result<(), LogError> {
        let _ = epoch;
        Ok(())
    }
}
