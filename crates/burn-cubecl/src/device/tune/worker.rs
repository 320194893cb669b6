//! The thread that measures, one for each device that something is measured on.

use super::contest::{Verdict, contest};
use super::key::Key;
use super::trial::MakeTrial;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

thread_local! {
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this is the measuring thread, whose launches belong to no call.
pub fn is_worker() -> bool {
    IS_WORKER.get()
}

/// Measurement of one key.
pub struct Job {
    pub key: Key,
    pub candidates: usize,
    pub advised: usize,
    pub make: MakeTrial,
}

#[derive(Debug, Default)]
pub struct Worker(OnceLock<Option<Sender<Job>>>);

impl Worker {
    /// Measures when the thread gets to it, and passes the verdict to the first `publish` that was given.
    /// Where no thread can be had, nothing is measured.
    pub fn hand(&self, job: Job, publish: impl Fn(&Key, &Verdict) + Send + 'static) {
        let start = move || {
            let (sender, receiver) = channel();
            let thread = std::thread::Builder::new().name("burn-autotune".into());
            thread.spawn(move || work(&receiver, &publish)).ok().map(|_| sender)
        };
        if let Some(sender) = self.0.get_or_init(start) {
            // The thread ends with the process only.
            let _ = sender.send(job);
        }
    }
}

fn work(jobs: &Receiver<Job>, publish: &dyn Fn(&Key, &Verdict)) {
    IS_WORKER.set(true);
    for job in jobs {
        let Job { key, candidates, advised, make } = job;
        // Half of the time the device is left to the program.
        let rest = |took: Duration| std::thread::sleep(took);
        let measured = catch_unwind(AssertUnwindSafe(|| {
            let mut trial = make();
            contest(trial.as_mut(), candidates, advised, rest)
        }));
        if let Ok(Some(verdict)) = measured {
            publish(&key, &verdict);
        }
    }
}
