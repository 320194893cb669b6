use crate::channel::Channel;
use crate::wire::{Fault, SessionId};
use bytes::Bytes;
use std::sync::OnceLock;
use tokio::sync::mpsc;

/// Entry of a session, shared by its connections: its own thread has the tensors.
#[derive(Debug)]
pub struct Entry {
    pub id: SessionId,
    pub channel: Channel,
    /// Frames that wait for the thread; the window of the channel bounds them.
    pub input: mpsc::UnboundedSender<Bytes>,
    /// Fault that ended the session, unless it was closed.
    pub fault: OnceLock<Fault>,
}

impl Entry {
    /// Ends the session. Pending messages are still sent, followed by the fault.
    pub fn end(&self, fault: Fault) {
        let _first = self.fault.set(fault);
        self.channel.end();
    }
}
