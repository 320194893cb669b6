use super::messages::Messages;
use crate::{Engine, Part, Stream, TransportError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time that ranks wait for each other while a group is made, which all of them have agreed on before.
const SPLIT: Duration = Duration::from_secs(300);

/// Rank that is a process.
#[derive(Debug)]
pub struct MpiEngine {
    messages: Messages,
    /// Whether the last message was sent: only the first one is, whoever asks for it later.
    is_abandoned: AtomicBool,
}

impl MpiEngine {
    pub fn new(messages: Messages) -> Self {
        MpiEngine { messages, is_abandoned: AtomicBool::new(false) }
    }

    /// Returns a number for a new group that no member has used, and reserves as many as there are ranks.
    fn next_group(&self) -> Result<usize, TransportError> {
        let next = &self.messages.world.library.next_group;
        let own = next.load(Ordering::SeqCst) as u64;
        let frames = self.exchange_frames(own.to_le_bytes().to_vec(), Instant::now() + SPLIT)?;
        let mut greatest = own;
        for (rank, frame) in frames.iter().enumerate() {
            let number = frame.as_slice().try_into().map(u64::from_le_bytes).map_err(|_length| {
                TransportError::Library(format!(
                    "rank {rank} sent another message than the number of a group"
                ))
            })?;
            greatest = greatest.max(number);
        }
        let greatest = usize::try_from(greatest).unwrap_or(usize::MAX);
        next.store(greatest.saturating_add(self.world_size()), Ordering::SeqCst);
        Ok(greatest)
    }
}

impl Engine for MpiEngine {
    fn rank(&self) -> usize {
        self.messages.rank
    }

    fn world_size(&self) -> usize {
        self.messages.members.len()
    }

    fn exchange_frames(&self, frame: Vec<u8>, deadline: Instant) -> Result<Vec<Vec<u8>>, TransportError> {
        let others: Vec<usize> = self.messages.others().collect();
        for to in &others {
            self.messages.send_frame(*to, Stream::Collective, frame.clone())?;
        }
        let mut frames = self.messages.receive_frames(&others, Stream::Collective, deadline)?;
        frames.insert(self.rank(), frame);
        Ok(frames)
    }

    fn exchange(
        &self,
        mut parts: Vec<Part>,
        lengths: &[usize],
        deadline: Instant,
    ) -> Result<Vec<Part>, TransportError> {
        let rank = self.rank();
        for to in self.messages.others() {
            self.messages.send_part(to, Stream::Collective, &parts[to])?;
        }
        let from: Vec<(usize, usize)> = self.messages.others().map(|from| (from, lengths[from])).collect();
        let mut received = self.messages.receive_parts(&from, Stream::Collective, deadline)?;
        received.insert(rank, parts.swap_remove(rank));
        Ok(received)
    }

    fn send(&self, to: usize, frame: Vec<u8>, part: Part) -> Result<(), TransportError> {
        self.messages.send_frame(to, Stream::PointToPoint, frame)?;
        self.messages.send_part(to, Stream::PointToPoint, &part)
    }

    fn receive_frame(&self, from: usize, deadline: Instant) -> Result<Vec<u8>, TransportError> {
        let frames = self.messages.receive_frames(&[from], Stream::PointToPoint, deadline)?;
        Ok(frames.into_iter().next().unwrap_or_default())
    }

    fn receive_part(&self, from: usize, length: usize, deadline: Instant) -> Result<Part, TransportError> {
        let parts = self.messages.receive_parts(&[(from, length)], Stream::PointToPoint, deadline)?;
        parts.into_iter().next().ok_or_else(|| TransportError::Library("no part was received".into()))
    }

    fn split(&self, members: &[usize], group: usize) -> Result<Option<Arc<dyn Engine>>, TransportError> {
        let first = self.next_group()?;
        let Some(rank) = members.iter().position(|member| *member == self.rank()) else { return Ok(None) };
        let members = members.iter().map(|member| self.messages.members[*member]).collect();
        let messages = Messages::new(self.messages.world.clone(), first + group, rank, members)?;
        Ok(Some(Arc::new(MpiEngine::new(messages))))
    }

    fn abandon(&self, frame: Vec<u8>, withdraw: bool) {
        if !self.is_abandoned.swap(true, Ordering::SeqCst) {
            self.messages.abandon(&frame, withdraw);
        }
    }
}
