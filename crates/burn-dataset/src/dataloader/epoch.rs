use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::batch_source::{BatchSource, ErasedBatch, Job};
use super::plan::Plan;
use super::settings::Settings;
use super::workers::Workers;
use super::{DataLoaderError, Progress};

/// The batches of one epoch, made here or by workers.
pub(super) struct Epoch {
    source: Arc<dyn BatchSource>,
    plan: Arc<Plan>,
    workers: Option<Workers>,
    delivered: usize,
    ended: bool,
}

impl Epoch {
    pub(super) fn new(source: Arc<dyn BatchSource>, plan: Plan, settings: Settings) -> Self {
        let plan = Arc::new(plan);
        let workers = (settings.num_workers > 0 && plan.batches() > 0)
            .then(|| Workers::start(Arc::clone(&source), Arc::clone(&plan), settings))
            .filter(|workers| !workers.is_empty());
        Self { source, plan, workers, delivered: 0, ended: false }
    }

    /// Returns the next batch, `None` after the last one and after an error.
    pub(super) fn next(&mut self) -> Result<Option<ErasedBatch>, DataLoaderError> {
        if self.ended || self.remaining() == 0 {
            self.end();
            return Ok(None);
        }
        let made = match &self.workers {
            Some(workers) => workers.next(),
            None => self.make_here(),
        };
        match made {
            Ok(batch) => {
                self.delivered += 1;
                Ok(Some(batch))
            }
            Err(error) => {
                self.end();
                Err(error)
            }
        }
    }

    pub(super) fn progress(&self) -> Progress {
        Progress::new(self.plan.items_in(self.delivered), self.plan.own_items())
    }

    /// Returns the number of batches still to come.
    pub(super) fn remaining(&self) -> usize {
        if self.ended { 0 } else { self.plan.batches() - self.delivered }
    }

    fn make_here(&self) -> Result<ErasedBatch, DataLoaderError> {
        let never = AtomicBool::new(false);
        let job = Job::new(&self.plan, self.delivered, &never);
        job.run(&*self.source).expect("a job that is never stopped gives a batch or an error")
    }

    fn end(&mut self) {
        self.ended = true;
        self.workers = None;
    }
}
