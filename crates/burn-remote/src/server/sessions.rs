use super::entry::Entry;
use super::options::ServerOptions;
use super::worker;
use crate::channel::Channel;
use crate::session::{Budget, Session};
use crate::wire::{Fault, Refusal, SessionId};
use burn_backend::dynamic::DynamicDevice;
use burn_backend::memory_budget;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use tokio::sync::{Notify, mpsc};

/// Connections that have no session yet: for each session that there may be, and some.
const GUESTS: (usize, usize) = (2, 64);

/// Backends keep freed memory up to one part in so many of the limit, for later calls.
const CACHED: u64 = 8;

/// All sessions of a server.
#[derive(Debug)]
pub struct Sessions {
    device: DynamicDevice,
    options: ServerOptions,
    budget: Arc<Budget>,
    entries: Mutex<Entries>,
    /// Whenever a session is gone.
    gone: Notify,
}

#[derive(Debug, Default)]
struct Entries {
    by_id: HashMap<SessionId, Arc<Entry>>,
    /// Sessions whose threads run, those that were ended just now included.
    alive: usize,
    closing: bool,
}

impl Sessions {
    pub fn new(device: DynamicDevice, options: ServerOptions) -> Arc<Self> {
        memory_budget::limit_cache(options.total_bytes / CACHED);
        let budget = Budget::new(options.total_bytes);
        let (entries, gone) = (Mutex::default(), Notify::new());
        Arc::new(Sessions { device, options, budget, entries, gone })
    }

    pub fn options(&self) -> &ServerOptions {
        &self.options
    }

    /// Returns the maximum number of connections without a session.
    pub fn most_guests(&self) -> usize {
        self.options.sessions.min(1 << 20) * GUESTS.0 + GUESTS.1
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().expect("no panic while locked")
    }

    /// Returns the number of sessions and the bytes of their tensors.
    pub fn usage(&self) -> (usize, u64) {
        (self.lock().alive, self.budget.used())
    }

    /// # Errors
    /// When there are too many, or no more threads, or the server is going.
    pub fn open(self: &Arc<Self>) -> Result<Arc<Entry>, Refusal> {
        let full = Refusal::Full { sessions: self.options.sessions as u64 };
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|error| Refusal::Malformed(error.to_string()))?;
        let mut entries = self.lock();
        if entries.closing {
            return Err(Refusal::ShuttingDown);
        }
        if entries.alive >= self.options.sessions {
            return Err(full);
        }
        let (input, frames) = mpsc::unbounded_channel();
        let entry =
            Arc::new(Entry { id: SessionId(id), channel: Channel::default(), input, fault: OnceLock::new() });
        let session = Session::new(self.device.clone(), self.options.limits, self.budget.clone());
        let (sessions, id) = (self.clone(), entry.id);
        worker::spawn(session, frames, &entry, move || sessions.ended(id)).map_err(|_no_thread| full)?;
        entries.alive += 1;
        entries.by_id.insert(entry.id, entry.clone());
        Ok(entry)
    }

    /// # Errors
    /// When the session does not exist any more.
    pub fn find(&self, id: SessionId) -> Result<Arc<Entry>, Refusal> {
        self.lock().by_id.get(&id).cloned().ok_or(Refusal::UnknownSession)
    }

    /// Removes a session, so that it cannot be resumed; its thread ends when its queue is empty.
    pub fn remove(&self, id: SessionId) {
        if let Some(entry) = self.lock().by_id.remove(&id) {
            entry.channel.cut();
        }
    }

    /// Notes that the thread of a session has ended and its tensors are freed.
    fn ended(&self, id: SessionId) {
        let mut entries = self.lock();
        entries.by_id.remove(&id);
        entries.alive -= 1;
        drop(entries);
        self.gone.notify_waiters();
    }

    /// Opens no more sessions.
    pub fn close(&self) {
        self.lock().closing = true;
    }

    /// Waits until all sessions have ended.
    pub async fn empty(&self) {
        loop {
            let gone = self.gone.notified();
            if self.lock().alive == 0 {
                return;
            }
            gone.await;
        }
    }

    /// Ends all sessions.
    pub fn end_all(&self, fault: &Fault) {
        let entries: Vec<_> = self.lock().by_id.values().cloned().collect();
        entries.iter().for_each(|entry| entry.end(fault.clone()));
    }

    /// Ends all sessions, connected or not.
    pub fn cut_all(&self) {
        let ids: Vec<_> = self.lock().by_id.keys().copied().collect();
        ids.into_iter().for_each(|id| self.remove(id));
    }
}
