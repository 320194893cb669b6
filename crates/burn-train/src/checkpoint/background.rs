use super::tree_file::TreeFile;
use super::{CheckpointError, CheckpointState, CheckpointStore, Part};
use burn_core::record::Node;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

/// A thread that writes checkpoints, one at a time.
pub(super) struct Background {
    jobs: Option<Sender<Job>>,
    done: Receiver<Result<(), CheckpointError>>,
    /// Whether a job was submitted whose result was not taken.
    is_busy: bool,
    folder: PathBuf,
    thread: Option<JoinHandle<()>>,
}

/// A checkpoint to write, and checkpoints to delete when it is on the disk.
pub(super) struct Job {
    pub(super) state: Option<CheckpointState>,
    pub(super) parts: Vec<(Part, Node)>,
    pub(super) dropped: Vec<usize>,
}

impl Background {
    pub(super) fn start(
        store: CheckpointStore,
        recorder: Box<dyn TreeFile>,
    ) -> Result<Self, CheckpointError> {
        let (jobs, inbox) = channel::<Job>();
        let (outbox, done) = channel();
        let folder = store.folder().to_path_buf();
        let thread = thread::Builder::new().name("burn-checkpoint".to_string()).spawn(move || {
            while let Ok(job) = inbox.recv() {
                if outbox.send(job.run(&store, &*recorder)).is_err() {
                    break;
                }
            }
        });
        let thread = Some(thread.map_err(CheckpointError::io(&folder))?);
        Ok(Self { jobs: Some(jobs), done, is_busy: false, folder, thread })
    }

    /// Hands a job over. The one before it is done, see [`wait`](Self::wait), so there is memory for one
    /// snapshot only.
    pub(super) fn submit(&mut self, job: Job) -> Result<(), CheckpointError> {
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        self.is_busy = sent;
        if sent { Ok(()) } else { Err(self.panicked()) }
    }

    /// Waits for the job that was submitted last, and returns its result once.
    pub(super) fn wait(&mut self) -> Result<(), CheckpointError> {
        if !std::mem::take(&mut self.is_busy) {
            return Ok(());
        }
        self.done.recv().unwrap_or_else(|_| Err(self.panicked()))
    }

    fn panicked(&self) -> CheckpointError {
        let source = io::Error::other("the thread that writes checkpoints panicked");
        CheckpointError::Io { path: self.folder.clone(), source }
    }
}

impl Drop for Background {
    /// Lets the thread finish its job: a checkpoint is not cut off by the end of a run.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Job {
    fn run(self, store: &CheckpointStore, recorder: &dyn TreeFile) -> Result<(), CheckpointError> {
        let Self { state, parts, dropped } = self;
        let mut parts: Vec<(Part, Option<Node>)> =
            parts.into_iter().map(|(part, tree)| (part, Some(tree))).collect();
        if let Some(state) = state {
            store.save(state, &mut |part, path| {
                let found = parts.iter_mut().find(|(other, _)| *other == part);
                match found.and_then(|(_, tree)| tree.take()) {
                    Some(tree) => recorder.save(tree, path),
                    None => Ok(()),
                }
            })?;
        }
        dropped.into_iter().try_for_each(|epoch| store.delete(epoch))
    }
}
