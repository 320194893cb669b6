use super::background::{Background, Job};
use super::{CheckpointError, CheckpointState, CheckpointStore, CheckpointingStrategy, Part, TreeFile};
use burn_core::record::{Node, RecordError};
use std::path::PathBuf;

/// Gives the tree of a part, if the run has this part.
pub(crate) type Trees<'a> = &'a mut dyn FnMut(Part) -> Result<Option<Node>, RecordError>;

/// Saves checkpoints and deletes those that the strategy does not keep.
pub(crate) struct Checkpointer {
    store: CheckpointStore,
    strategy: Box<dyn CheckpointingStrategy>,
    writer: Writer,
}

/// Where files are written.
enum Writer {
    /// In the thread of the run.
    Inline(Box<dyn TreeFile>),
    /// In a thread of its own, while the run goes on.
    Background(Background),
}

impl Checkpointer {
    pub(crate) fn new(
        store: CheckpointStore,
        strategy: Box<dyn CheckpointingStrategy>,
        recorder: Box<dyn TreeFile>,
    ) -> Self {
        Self { store, strategy, writer: Writer::Inline(recorder) }
    }

    /// Writes in a thread of its own. What is saved is the state at the time of the call; an error comes out
    /// of the next call, or of [`finish`](Self::finish).
    ///
    /// # Errors
    /// If there is no thread to have.
    pub(crate) fn in_background(self) -> Result<Self, CheckpointError> {
        let writer = match self.writer {
            Writer::Inline(recorder) => Writer::Background(Background::start(self.store.clone(), recorder)?),
            background @ Writer::Background(_) => background,
        };
        Ok(Self { writer, ..self })
    }

    /// Saves the end of an epoch if the strategy keeps it, and then deletes what it does not keep.
    ///
    /// A checkpoint of a later epoch is of a run that went another way; the strategy does not see it.
    pub(crate) fn finish_epoch(
        &mut self,
        state: CheckpointState,
        trees: Trees<'_>,
    ) -> Result<(), CheckpointError> {
        // The strategy sees checkpoints that are on the disk.
        self.wait()?;
        let saved = self.store.complete()?.into_iter().map(|saved| saved.state().epoch);
        let earlier: Vec<usize> = saved.filter(|&epoch| epoch < state.epoch).collect();
        let epochs: Vec<usize> = earlier.iter().copied().chain([state.epoch]).collect();
        let kept = self.strategy.keep(&epochs, &state.history);
        let saves = kept.contains(&state.epoch);
        let dropped: Vec<usize> = earlier.into_iter().filter(|epoch| !kept.contains(epoch)).collect();
        self.write(saves.then_some(state), dropped, trees)
    }

    /// Saves an epoch that is stopped in its middle, whatever the strategy says.
    pub(crate) fn save_unfinished(
        &mut self,
        state: CheckpointState,
        trees: Trees<'_>,
    ) -> Result<(), CheckpointError> {
        self.wait()?;
        self.write(Some(state), Vec::new(), trees)
    }

    /// Returns the file of the model in the checkpoint of an epoch, if there is one.
    pub(crate) fn model_file(&self, epoch: usize) -> Option<PathBuf> {
        self.store.find(epoch).map(|saved| saved.file(Part::Model))
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// If something could not be written.
    pub(crate) fn finish(&mut self) -> Result<(), CheckpointError> {
        self.wait()
    }

    fn wait(&mut self) -> Result<(), CheckpointError> {
        match &mut self.writer {
            Writer::Inline(_) => Ok(()),
            Writer::Background(background) => background.wait(),
        }
    }

    fn write(
        &mut self,
        state: Option<CheckpointState>,
        dropped: Vec<usize>,
        trees: Trees<'_>,
    ) -> Result<(), CheckpointError> {
        match &mut self.writer {
            Writer::Inline(recorder) => {
                if let Some(state) = state {
                    self.store.save(state, &mut |part, path| match trees(part)? {
                        Some(tree) => recorder.save(tree, path),
                        None => Ok(()),
                    })?;
                }
                dropped.into_iter().try_for_each(|epoch| self.store.delete(epoch))
            }
            Writer::Background(background) => {
                let mut parts = Vec::new();
                if state.is_some() {
                    for part in Part::ALL {
                        parts.extend(trees(part)?.map(|tree| (part, tree)));
                    }
                }
                background.submit(Job { state, parts, dropped })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Split;
    use crate::checkpoint::{KeepLastNCheckpoints, MetricCheckpointingStrategy};
    use crate::history::{Aggregate, Direction, MetricHistory};

    /// Writes a byte for each part, or fails.
    #[derive(Debug)]
    struct OneByte {
        fails: bool,
    }

    impl TreeFile for OneByte {
        fn save(&self, _tree: Node, path: PathBuf) -> Result<(), RecordError> {
            if self.fails {
                return Err(RecordError::File { path: path.display().to_string(), cause: "full".into() });
            }
            std::fs::write(path, "x").expect("the folder is there");
            Ok(())
        }

        fn load(&self, _path: PathBuf) -> Result<Node, RecordError> {
            Ok(Node::Null)
        }
    }

    fn run(
        strategy: impl CheckpointingStrategy + 'static,
        losses: &[f64],
        stale: &[usize],
        background: bool,
    ) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        for &epoch in stale {
            let write = &mut |_: Part, path: PathBuf| {
                std::fs::write(path, "x").expect("the folder is there");
                Ok(())
            };
            store.save(CheckpointState { epoch, ..Default::default() }, write).unwrap();
        }
        let recorder = Box::new(OneByte { fails: false });
        let mut checkpointer = Checkpointer::new(store.clone(), Box::new(strategy), recorder);
        if background {
            checkpointer = checkpointer.in_background().unwrap();
        }
        let mut history = MetricHistory::default();
        for (epoch, &loss) in (1..).zip(losses) {
            history.record(Split::Valid, epoch, "Loss", loss, "");
            let state = CheckpointState { epoch, history: history.clone(), ..Default::default() };
            checkpointer.finish_epoch(state, &mut |_| Ok(Some(Node::Null))).unwrap();
        }
        checkpointer.finish().unwrap();
        store.complete().unwrap().iter().map(|saved| saved.state().epoch).collect()
    }

    #[test]
    fn checkpoints_that_the_strategy_does_not_keep_are_deleted() {
        for background in [false, true] {
            assert_eq!(run(KeepLastNCheckpoints::new(2), &[0.0; 5], &[], background), [4, 5]);
            let best =
                MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid);
            assert_eq!(run(best, &[0.3, 0.1, 0.2, 0.4], &[], background), [2]);
        }
    }

    #[test]
    fn later_epochs_of_an_older_run_do_not_count() {
        assert_eq!(run(KeepLastNCheckpoints::new(1), &[0.0; 2], &[2, 9], false), [2, 9]);
    }

    #[test]
    fn an_error_in_the_background_comes_out_of_the_next_call() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        let strategy = Box::new(KeepLastNCheckpoints::new(2));
        let checkpointer = Checkpointer::new(store.clone(), strategy, Box::new(OneByte { fails: true }));
        let mut checkpointer = checkpointer.in_background().unwrap();
        let state = |epoch| CheckpointState { epoch, ..Default::default() };
        checkpointer.finish_epoch(state(1), &mut |_| Ok(Some(Node::Null))).unwrap();
        let error = checkpointer.finish_epoch(state(2), &mut |_| Ok(Some(Node::Null))).unwrap_err();
        assert!(error.to_string().contains("full"), "{error}");
        assert!(store.complete().unwrap().is_empty());
        checkpointer.finish().unwrap();
    }
}
