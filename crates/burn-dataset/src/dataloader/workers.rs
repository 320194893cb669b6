use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::DataLoaderError;
use super::batch_source::{BatchSource, ErasedBatch, Job};
use super::plan::Plan;
use super::settings::Settings;

/// Batches that each worker may make ahead of the one that is waited for, where the user says nothing.
pub(super) const BATCHES_AHEAD: usize = 2;

type Made = Result<ErasedBatch, DataLoaderError>;

/// Threads that make the batches of one epoch and hand them over in order.
///
/// A worker claims the next batch that is not claimed, as long as it is within a window after the next
/// batch to deliver: that bounds the memory, and a slow batch does not delay other workers before it does.
pub(super) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    source: Arc<dyn BatchSource>,
    plan: Arc<Plan>,
    window: usize,
    stopped: AtomicBool,
    state: Mutex<State>,
    /// Signalled when a worker may find a batch to claim.
    claimable: Condvar,
    /// Signalled when a batch is made or a worker ends.
    made: Condvar,
}

struct State {
    next_claim: usize,
    next_delivery: usize,
    made: BTreeMap<usize, Made>,
    working: usize,
}

impl Workers {
    /// Starts up to `num_workers` threads; there are fewer when the system refuses them.
    pub(super) fn start(source: Arc<dyn BatchSource>, plan: Arc<Plan>, settings: Settings) -> Self {
        let count = settings.num_workers.min(plan.batches());
        let shared = Arc::new(Shared {
            source,
            plan,
            window: count.saturating_mul(settings.batches_ahead),
            stopped: AtomicBool::new(false),
            state: Mutex::new(State {
                next_claim: 0,
                next_delivery: 0,
                made: BTreeMap::new(),
                working: count,
            }),
            claimable: Condvar::new(),
            made: Condvar::new(),
        });
        let threads: Vec<_> = (0..count).map_while(|number| shared.spawn(number)).collect();
        shared.lock().working -= count - threads.len();
        Self { shared, threads }
    }

    /// Returns whether no thread could be started.
    pub(super) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Waits for the next batch in order.
    pub(super) fn next(&self) -> Made {
        let mut state = self.shared.lock();
        loop {
            let batch = state.next_delivery;
            if let Some(made) = state.made.remove(&batch) {
                state.next_delivery += 1;
                self.shared.claimable.notify_all();
                return made;
            }
            if state.working == 0 {
                return Err(self.shared.lost_batch(batch));
            }
            state = self.shared.made.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
            // The panic of a worker has been delivered, or the loader was dropped.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn spawn(self: &Arc<Self>, number: usize) -> Option<JoinHandle<()>> {
        let shared = Arc::clone(self);
        let builder = std::thread::Builder::new().name(format!("data-loader-{number}"));
        builder.spawn(move || shared.work()).ok()
    }

    fn work(&self) {
        let _leave = Leave(self);
        while let Some(batch) = self.claim() {
            let mut claim = Claim { shared: self, batch, made: None };
            claim.made = Job::new(&self.plan, batch, &self.stopped).run(&*self.source);
        }
    }

    /// Waits for a batch to make; `None` when there will be no more.
    fn claim(&self) -> Option<usize> {
        let mut state = self.lock();
        loop {
            if self.stopped.load(Ordering::Relaxed) || state.next_claim >= self.plan.batches() {
                return None;
            }
            if state.next_claim < state.next_delivery.saturating_add(self.window) {
                state.next_claim += 1;
                return Some(state.next_claim - 1);
            }
            state = self.claimable.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn hand_in(&self, batch: usize, made: Made) {
        let mut state = self.lock();
        if made.is_err() {
            // Batches after the first error are never delivered.
            state.next_claim = self.plan.batches();
            self.claimable.notify_all();
        }
        state.made.insert(batch, made);
        self.made.notify_all();
    }

    fn stop(&self) {
        // Under the lock, so that no worker checks before and waits after.
        let _state = self.lock();
        self.stopped.store(true, Ordering::Relaxed);
        self.claimable.notify_all();
    }

    fn lost_batch(&self, batch: usize) -> DataLoaderError {
        DataLoaderError::WorkerLost { batch, indices: self.plan.indices(batch).collect() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A batch that one worker makes: whatever happens to the worker, something is handed in.
struct Claim<'a> {
    shared: &'a Shared,
    batch: usize,
    made: Option<Made>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let made = self.made.take().unwrap_or_else(|| Err(self.shared.lost_batch(self.batch)));
        self.shared.hand_in(self.batch, made);
    }
}

/// Signs a worker off, whatever ends it.
struct Leave<'a>(&'a Shared);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.lock().working -= 1;
        self.0.made.notify_all();
    }
}
