//! Thread that runs the calls of requests, in their order.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

type Job = Box<dyn FnOnce() + Send>;

/// Number of calls that are started and not done.
#[derive(Debug, Default)]
struct Pending {
    count: Mutex<usize>,
    done: Condvar,
}

impl Pending {
    fn change(&self, change: impl FnOnce(&mut usize)) {
        change(&mut self.count.lock().unwrap_or_else(PoisonError::into_inner));
        self.done.notify_all();
    }

    fn wait(&self) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        while *count > 0 {
            count = self.done.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[derive(Debug)]
struct Running {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

/// Runs calls in the background; the thread starts with the first of them.
#[derive(Debug, Default)]
pub struct Worker {
    pending: Arc<Pending>,
    running: Mutex<Option<Running>>,
}

impl Worker {
    /// Runs a call after those before it.
    ///
    /// # Errors
    /// When the system starts no more threads.
    pub fn start(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_none() {
            let (jobs, queue) = channel::<Job>();
            let thread = Builder::new()
                .name("collectives".into())
                .spawn(move || queue.into_iter().for_each(|job| job()))?;
            *running = Some(Running { jobs, thread });
        }
        let pending = self.pending.clone();
        pending.change(|count| *count += 1);
        let done = Done(pending);
        if let Some(running) = &*running {
            let job: Job = Box::new(move || {
                let _done = done;
                job();
            });
            // The queue ends with the thread, which ends with the worker.
            let _ = running.jobs.send(job);
        }
        Ok(())
    }

    /// Waits until all calls that were started are done.
    pub fn wait(&self) {
        self.pending.wait();
    }
}

/// Counts a call as done, also when it is dropped.
struct Done(Arc<Pending>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.change(|count| *count -= 1);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let running = self.running.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Running { jobs, thread }) = running {
            drop(jobs);
            let _ = thread.join();
        }
    }
}
