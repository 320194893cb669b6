use crate::mode::Mode;
use crate::plan;
use crate::step::{Inner, QueuedStep};
use burn_backend::dynamic::DynamicDevice;
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

/// Calls that may wait before a queue runs its older half by itself.
const CAPACITY: usize = 64;

/// The calls of one thread on one device, in order.
pub struct Queue {
    pub inner: Inner,
    pub device: DynamicDevice,
    thread: ThreadId,
    /// Dead calls are taken out in place, leaving `None`: calls are large to move.
    steps: Mutex<Vec<Option<QueuedStep>>>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({:?})", self.device)
    }
}

impl Queue {
    /// Returns the queue of this thread for `device` of `inner`.
    pub fn current(inner: Inner, device: &DynamicDevice) -> Arc<Self> {
        thread_local! {
            static QUEUES: RefCell<Vec<Arc<Queue>>> = RefCell::default();
        }
        QUEUES.with_borrow_mut(|queues| {
            let found = queues.iter().find(|queue| queue.inner.id() == inner.id() && queue.device == *device);
            if let Some(queue) = found {
                return queue.clone();
            }
            let (device, thread) = (device.clone(), std::thread::current().id());
            queues.push(Arc::new(Queue { inner, device, thread, steps: Mutex::default() }));
            queues.last().expect("just pushed").clone()
        })
    }

    /// Returns this queue if it belongs to this thread, else the thread's own.
    pub fn own(self: &Arc<Self>) -> Arc<Self> {
        thread_local! {
            static THREAD: ThreadId = std::thread::current().id();
        }
        if THREAD.with(|thread| *thread == self.thread) {
            self.clone()
        } else {
            Queue::current(self.inner, &self.device)
        }
    }

    pub fn push(&self, step: QueuedStep) {
        let mut steps = self.lock();
        steps.push(Some(step));
        if Mode::current() == Mode::Off {
            self.run(&mut steps, CAPACITY);
        } else if steps.len() >= CAPACITY {
            self.run(&mut steps, CAPACITY / 2);
        }
    }

    /// Runs at least so many of the calls that wait, if there are, and keeps the room for what will. Of a
    /// call that panics nothing is left.
    fn run(&self, steps: &mut Vec<Option<QueuedStep>>, least: usize) {
        let mut waiting = std::mem::take(steps);
        let done = plan::run(&mut waiting, least, self.inner);
        waiting.drain(..done);
        *steps = waiting;
    }

    /// Runs all queued calls. Concurrent callers wait until they are done.
    pub fn flush(&self) {
        self.run(&mut self.lock(), CAPACITY);
    }

    /// Locks the queue. A call that panicked has taken its batch out of the queue, so later calls can still
    /// run.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Option<QueuedStep>>> {
        self.steps.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
