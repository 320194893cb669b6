//! Messages to one rank.

use crate::{Part, Stream, TransportError};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

#[derive(Debug)]
pub enum Message {
    Frame(Vec<u8>),
    Part(Part),
}

#[derive(Debug, Default)]
struct Sender {
    collective: VecDeque<Message>,
    point_to_point: VecDeque<Message>,
    /// Last message of a sender that sends no more.
    ended: Option<Vec<u8>>,
}

impl Sender {
    fn queue(&mut self, stream: Stream) -> &mut VecDeque<Message> {
        match stream {
            Stream::Collective => &mut self.collective,
            Stream::PointToPoint => &mut self.point_to_point,
        }
    }
}

/// Messages to one rank by sender, in the order in which they were sent.
#[derive(Debug)]
pub struct Inbox {
    senders: Mutex<Vec<Sender>>,
    arrived: Condvar,
}

impl Inbox {
    pub fn new(senders: usize) -> Self {
        let senders = (0..senders).map(|_| Sender::default()).collect();
        Inbox { senders: Mutex::new(senders), arrived: Condvar::new() }
    }

    pub fn post(&self, from: usize, stream: Stream, message: Message) {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        senders[from].queue(stream).push_back(message);
        self.arrived.notify_all();
    }

    /// Keeps the first of the last messages of a sender; with `withdraw`, its other messages are dropped.
    pub fn end(&self, from: usize, frame: &[u8], withdraw: bool) {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if withdraw {
            senders[from].collective.clear();
            senders[from].point_to_point.clear();
        }
        senders[from].ended.get_or_insert_with(|| frame.to_vec());
        self.arrived.notify_all();
    }

    /// Waits for the next message of a sender; those before its end come first.
    pub fn take(&self, from: usize, stream: Stream, deadline: Instant) -> Result<Message, TransportError> {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(message) = senders[from].queue(stream).pop_front() {
                return Ok(message);
            }
            if let Some(frame) = senders[from].ended.clone() {
                return Err(TransportError::Ended { rank: from, frame });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TransportError::Timeout { missing: vec![from] });
            }
            let waited = self.arrived.wait_timeout(senders, left);
            senders = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
