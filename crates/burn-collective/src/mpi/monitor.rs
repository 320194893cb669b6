//! Thread that finds processes of ranks that died, and reports it where the launcher ends this process for
//! that.

use super::peer::Peer;
use crate::terminate_signal;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(50);
/// Time to look for the rank that died, after the launcher has asked this process to end.
const LOOK: Duration = Duration::from_millis(200);
/// Time for the program to pass on the error; Open MPI kills its processes after a second, and a busy machine
/// may not run this thread for most of it.
const REPORT: Duration = Duration::from_millis(300);

/// Whether the handler is there, and the thread alone ends the process.
static HANDLED: OnceLock<bool> = OnceLock::new();

#[derive(Debug)]
pub struct Monitor {
    rank: usize,
    own: Peer,
    peers: OnceLock<Vec<Option<Peer>>>,
    /// Number of the look at which each rank was first found to be gone, 0 for one that is there.
    gone: Vec<AtomicUsize>,
    looks: AtomicUsize,
    /// Whether the process was asked to end, and ranks that died were looked for.
    ends: AtomicBool,
    /// Whether a call has returned an error for that.
    is_reported: AtomicBool,
}

impl Monitor {
    pub fn new(rank: usize, world_size: usize) -> Arc<Self> {
        let gone = (0..world_size).map(|_| AtomicUsize::new(0)).collect();
        let (ends, is_reported) = (AtomicBool::new(false), AtomicBool::new(false));
        let (own, peers, looks) = (Peer::this(), OnceLock::new(), AtomicUsize::new(0));
        Arc::new(Monitor { rank, own, peers, gone, looks, ends, is_reported })
    }

    /// Starts to watch the processes of all ranks, of which `peers` gives those that are known.
    pub fn watch(self: &Arc<Self>, peers: Vec<Option<Peer>>) -> std::io::Result<()> {
        if self.peers.set(peers).is_ok() && self.gone.len() > 1 {
            let watched = Arc::downgrade(self);
            Builder::new().name("mpi monitor".into()).spawn(move || watch(&watched))?;
            HANDLED.get_or_init(terminate_signal::handle);
        }
        Ok(())
    }

    /// Returns whether the process of a rank is known to be gone.
    pub fn is_gone(&self, rank: usize) -> bool {
        self.gone_at(rank).is_some()
    }

    /// Returns when the process of a rank was found to be gone, as a number that grows with time.
    pub fn gone_at(&self, rank: usize) -> Option<usize> {
        Some(self.gone[rank].load(Ordering::SeqCst)).filter(|number| *number > 0)
    }

    /// Returns whether the launcher has asked this process to end: calls that wait end with an error.
    pub fn is_ending(&self) -> bool {
        let ends = self.ends.load(Ordering::SeqCst);
        if ends {
            self.is_reported.store(true, Ordering::SeqCst);
        }
        ends
    }

    fn look(&self) -> bool {
        let mut found = false;
        let number = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
        for (rank, peer) in self.peers.get().into_iter().flatten().enumerate() {
            if rank != self.rank
                && !self.is_gone(rank)
                && peer.as_ref().is_some_and(|peer| peer.is_gone(&self.own))
            {
                self.gone[rank].store(number, Ordering::SeqCst);
            }
            found |= self.is_gone(rank);
        }
        found
    }

    /// Ends the process, as the signal would have done without the handler.
    fn end(&self) {
        let deadline = Instant::now() + LOOK;
        while !self.look() && Instant::now() < deadline {
            sleep(Duration::from_millis(10));
        }
        self.ends.store(true, Ordering::SeqCst);
        sleep(REPORT);
        // The program may have had an error since, and be too busy to pass it on before it is killed.
        let gone: Vec<usize> = (0..self.gone.len()).filter(|rank| self.is_gone(*rank)).collect();
        let cause = match &gone[..] {
            [] => "the launcher ended it (SIGTERM)".to_string(),
            gone => format!("the launcher ended it, after the processes of ranks {gone:?} had ended"),
        };
        let place = if self.is_reported.load(Ordering::SeqCst) { "" } else { " It was in no collective." };
        // Where the stream is closed, no one reads it.
        let _ = writeln!(
            std::io::stderr(),
            "rank {}: {cause}.{place} Look for the error of the rank that ended first",
            self.rank
        );
        terminate_signal::end_process();
    }
}

fn watch(monitor: &Weak<Monitor>) {
    loop {
        sleep(INTERVAL);
        let is_terminated = terminate_signal::is_received();
        match monitor.upgrade() {
            Some(monitor) if is_terminated => return monitor.end(),
            Some(monitor) => {
                monitor.look();
            }
            // All communicators are gone; the handler stays, and so does this thread.
            None if is_terminated => return terminate_signal::end_process(),
            None => {}
        }
    }
}
