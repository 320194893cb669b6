//! The thread of a session. Kernels take as long as they take, so none of them runs where connections are
//! served.

use super::entry::Entry;
use crate::session::{Session, Step};
use crate::wire::{Fault, Frame};
use bytes::Bytes;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread;
use tokio::sync::mpsc;

/// Starts the thread, which calls `ended` when it ends and the tensors of the session are freed.
///
/// # Errors
/// When the system gives no thread.
pub fn spawn(
    session: Session,
    frames: mpsc::UnboundedReceiver<Bytes>,
    entry: &Arc<Entry>,
    ended: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    // The entry's own end of the queue must not keep the thread waiting for it.
    let entry = Arc::downgrade(entry);
    let run = move || {
        let _ended = Ended(Some(ended));
        run(session, frames, &entry);
    };
    thread::Builder::new().name("burn-session".into()).spawn(run).map(|_handle| ())
}

/// Guard that reports the end of a thread, also by a panic.
struct Ended<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for Ended<F> {
    fn drop(&mut self) {
        if let Some(ended) = self.0.take() {
            ended();
        }
    }
}

fn run(mut session: Session, mut frames: mpsc::UnboundedReceiver<Bytes>, entry: &Weak<Entry>) {
    while let Some(bytes) = frames.blocking_recv() {
        let Some(entry) = entry.upgrade() else { break };
        // Calls of the backend are caught one by one; this is for what is left.
        match catch_unwind(AssertUnwindSafe(|| handle(&mut session, &bytes, &entry))) {
            Ok(Ok(Step::Next)) => {}
            Ok(Ok(Step::End)) => {
                entry.channel.end();
                break;
            }
            Ok(Err(fault)) => {
                entry.end(fault);
                break;
            }
            Err(_panic) => {
                entry.end(Fault::Internal("a request made it panic".into()));
                break;
            }
        }
    }
    drop(session);
}

fn handle(session: &mut Session, bytes: &[u8], entry: &Entry) -> Result<Step, Fault> {
    let frame = Frame::parse(bytes).map_err(|malformed| Fault::Malformed(malformed.0))?;
    let step = session.handle(&frame, &entry.channel)?;
    entry.channel.handled(frame.payload.len());
    Ok(step)
}
