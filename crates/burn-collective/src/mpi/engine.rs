use super::library::{self, Library};
use super::messages::Messages;
use crate::{Engine, Part, Stream, TransportError};
use mpi::ffi::MPI_Comm;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Rank that is a process.
#[derive(Debug)]
pub struct MpiEngine {
    messages: Messages,
    /// Of several last messages, the first counts.
    is_abandoned: AtomicBool,
}

impl MpiEngine {
    pub fn new(library: Arc<Library>, comm: MPI_Comm) -> Result<Self, TransportError> {
        Ok(MpiEngine { messages: Messages::new(library, comm)?, is_abandoned: AtomicBool::new(false) })
    }
}

impl Engine for MpiEngine {
    fn rank(&self) -> usize {
        self.messages.rank
    }

    fn world_size(&self) -> usize {
        self.messages.world_size
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
        let key = members.iter().position(|member| *member == self.rank());
        let part = {
            let _call = self.messages.library.lock();
            library::split(self.messages.comm.0, key.map(|_| group), key.unwrap_or(0))?
        };
        let Some(part) = part else { return Ok(None) };
        Ok(Some(Arc::new(MpiEngine::new(self.messages.library.clone(), part)?)))
    }

    fn abandon(&self, frame: Vec<u8>, _withdraw: bool) {
        if !self.is_abandoned.swap(true, Ordering::SeqCst) {
            self.messages.abandon(&frame);
        }
    }
}
