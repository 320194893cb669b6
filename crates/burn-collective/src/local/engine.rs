use super::hub::Hub;
use super::inbox::Message;
use crate::{Engine, Part, Stream, TransportError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Rank that is a thread: parts are handed over without a copy.
#[derive(Debug)]
pub struct LocalEngine {
    hub: Arc<Hub>,
    rank: usize,
    splits: AtomicU64,
}

impl LocalEngine {
    pub fn new(hub: Arc<Hub>, rank: usize) -> Self {
        LocalEngine { hub, rank, splits: AtomicU64::new(0) }
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.rank;
        (0..self.hub.inboxes.len()).filter(move |rank| *rank != own)
    }

    fn take(&self, from: usize, stream: Stream, deadline: Instant) -> Result<Message, TransportError> {
        self.hub.inboxes[self.rank].take(from, stream, deadline)
    }

    /// Waits for a message of each other rank. When time is over, all ranks that have not sent theirs are
    /// named.
    fn take_all(&self, deadline: Instant) -> Result<Vec<Option<Message>>, TransportError> {
        let mut messages: Vec<Option<Message>> = self.hub.inboxes.iter().map(|_| None).collect();
        let mut missing = Vec::new();
        for from in self.others() {
            match self.take(from, Stream::Collective, deadline) {
                Ok(message) => messages[from] = Some(message),
                Err(TransportError::Timeout { missing: rank }) => missing.extend(rank),
                Err(error) => return Err(error),
            }
        }
        if missing.is_empty() { Ok(messages) } else { Err(TransportError::Timeout { missing }) }
    }
}

fn out_of_step() -> TransportError {
    TransportError::Library("a rank sent bytes where a message was expected, or the other way round".into())
}

impl Engine for LocalEngine {
    fn rank(&self) -> usize {
        self.rank
    }

    fn world_size(&self) -> usize {
        self.hub.inboxes.len()
    }

    fn exchange_frames(&self, frame: Vec<u8>, deadline: Instant) -> Result<Vec<Vec<u8>>, TransportError> {
        for to in self.others() {
            self.hub.inboxes[to].post(self.rank, Stream::Collective, Message::Frame(frame.clone()));
        }
        let messages = self.take_all(deadline)?.into_iter().map(|message| match message {
            Some(Message::Frame(frame)) => Ok(frame),
            Some(Message::Part(_)) => Err(out_of_step()),
            None => Ok(frame.clone()),
        });
        messages.collect()
    }

    fn exchange(
        &self,
        parts: Vec<Part>,
        lengths: &[usize],
        deadline: Instant,
    ) -> Result<Vec<Part>, TransportError> {
        let mut own = None;
        for (to, part) in parts.into_iter().enumerate() {
            if to == self.rank {
                own = Some(part);
            } else {
                self.hub.inboxes[to].post(self.rank, Stream::Collective, Message::Part(part));
            }
        }
        let messages = self.take_all(deadline)?.into_iter().zip(lengths).map(|(message, length)| {
            let part = match message {
                Some(Message::Part(part)) => Some(part),
                Some(Message::Frame(_)) => None,
                None => own.take(),
            };
            part.filter(|part| part.as_bytes().len() == *length).ok_or_else(out_of_step)
        });
        messages.collect()
    }

    fn send(&self, to: usize, frame: Vec<u8>, part: Part) -> Result<(), TransportError> {
        let inbox = &self.hub.inboxes[to];
        inbox.post(self.rank, Stream::PointToPoint, Message::Frame(frame));
        inbox.post(self.rank, Stream::PointToPoint, Message::Part(part));
        Ok(())
    }

    fn receive_frame(&self, from: usize, deadline: Instant) -> Result<Vec<u8>, TransportError> {
        match self.take(from, Stream::PointToPoint, deadline)? {
            Message::Frame(frame) => Ok(frame),
            Message::Part(_) => Err(out_of_step()),
        }
    }

    fn receive_part(&self, from: usize, length: usize, deadline: Instant) -> Result<Part, TransportError> {
        match self.take(from, Stream::PointToPoint, deadline)? {
            Message::Part(part) if part.as_bytes().len() == length => Ok(part),
            Message::Part(_) | Message::Frame(_) => Err(out_of_step()),
        }
    }

    fn split(&self, members: &[usize], group: usize) -> Result<Option<Arc<dyn Engine>>, TransportError> {
        let number = self.splits.fetch_add(1, Ordering::Relaxed);
        let Some(rank) = members.iter().position(|member| *member == self.rank) else { return Ok(None) };
        let hub = self.hub.split((number, group), members.len());
        Ok(Some(Arc::new(LocalEngine::new(hub, rank))))
    }

    fn abandon(&self, frame: Vec<u8>, withdraw: bool) {
        for to in self.others() {
            self.hub.inboxes[to].end(self.rank, &frame, withdraw);
        }
    }
}
