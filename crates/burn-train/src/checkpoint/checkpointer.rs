use super::{CheckpointError, CheckpointState, CheckpointStore, CheckpointingStrategy, Part};
use burn_core::record::RecordError;
use std::path::PathBuf;

/// Saves checkpoints and deletes those that the strategy does not keep.
pub(crate) struct Checkpointer {
    store: CheckpointStore,
    strategy: Box<dyn CheckpointingStrategy>,
}

impl Checkpointer {
    pub(crate) fn new(store: CheckpointStore, strategy: Box<dyn CheckpointingStrategy>) -> Self {
        Self { store, strategy }
    }

    /// Saves the end of an epoch if the strategy keeps it, and then deletes what it does not keep.
    ///
    /// A checkpoint of a later epoch is of a run that went another way; the strategy does not see it.
    pub(crate) fn finish_epoch(
        &self,
        state: CheckpointState,
        write: &mut dyn FnMut(Part, PathBuf) -> Result<(), RecordError>,
    ) -> Result<(), CheckpointError> {
        let saved = self.store.complete()?.into_iter().map(|saved| saved.state().epoch);
        let earlier: Vec<usize> = saved.filter(|&epoch| epoch < state.epoch).collect();
        let epochs: Vec<usize> = earlier.iter().copied().chain([state.epoch]).collect();
        let kept = self.strategy.keep(&epochs, &state.history);
        if kept.contains(&state.epoch) {
            self.store.save(state, write)?;
        }
        let dropped = earlier.into_iter().filter(|epoch| !kept.contains(epoch));
        dropped.into_iter().try_for_each(|epoch| self.store.delete(epoch))
    }

    /// Saves an epoch that is stopped in its middle, whatever the strategy says.
    pub(crate) fn save_unfinished(
        &self,
        state: CheckpointState,
        write: &mut dyn FnMut(Part, PathBuf) -> Result<(), RecordError>,
    ) -> Result<(), CheckpointError> {
        self.store.save(state, write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Split;
    use crate::checkpoint::{KeepLastNCheckpoints, MetricCheckpointingStrategy};
    use crate::history::{Aggregate, Direction, MetricHistory};

    fn run(strategy: impl CheckpointingStrategy + 'static, losses: &[f64], stale: &[usize]) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        let write = &mut |_: Part, path: PathBuf| {
            std::fs::write(path, "x").expect("the folder is there");
            Ok(())
        };
        for &epoch in stale {
            store.save(CheckpointState { epoch, ..Default::default() }, write).unwrap();
        }
        let checkpointer = Checkpointer::new(store.clone(), Box::new(strategy));
        let mut history = MetricHistory::default();
        for (epoch, &loss) in (1..).zip(losses) {
            history.record(Split::Valid, epoch, "Loss", loss, "");
            let state = CheckpointState { epoch, history: history.clone(), ..Default::default() };
            checkpointer.finish_epoch(state, write).unwrap();
        }
        store.complete().unwrap().iter().map(|saved| saved.state().epoch).collect()
    }

    #[test]
    fn what_the_strategy_does_not_keep_is_deleted() {
        assert_eq!(run(KeepLastNCheckpoints::new(2), &[0.0; 5], &[]), [4, 5]);
        let best = MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid);
        assert_eq!(run(best, &[0.3, 0.1, 0.2, 0.4], &[]), [2]);
    }

    #[test]
    fn later_epochs_of_an_older_run_do_not_count() {
        assert_eq!(run(KeepLastNCheckpoints::new(1), &[0.0; 2], &[2, 9]), [2, 9]);
    }
}
