//! Transport between ranks that counts calls and the bytes of data.

use burn::collective::{Engine, Part, TransportError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

#[derive(Debug)]
pub struct CountingEngine {
    inner: Arc<dyn Engine>,
    /// Calls of collectives, also in groups.
    pub calls: Arc<AtomicU64>,
    /// Bytes that were given to other ranks, also in groups.
    pub bytes: Arc<AtomicU64>,
}

impl CountingEngine {
    pub fn new(inner: Arc<dyn Engine>) -> Self {
        CountingEngine { inner, calls: Arc::default(), bytes: Arc::default() }
    }
}

impl Engine for CountingEngine {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn world_size(&self) -> usize {
        self.inner.world_size()
    }

    fn exchange_frames(&self, frame: Vec<u8>, deadline: Instant) -> Result<Vec<Vec<u8>>, TransportError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.inner.exchange_frames(frame, deadline)
    }

    fn exchange(
        &self,
        parts: Vec<Part>,
        lengths: &[usize],
        deadline: Instant,
    ) -> Result<Vec<Part>, TransportError> {
        let bytes: usize = parts.iter().map(|part| part.as_bytes().len()).sum();
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.inner.exchange(parts, lengths, deadline)
    }

    fn send(&self, to: usize, frame: Vec<u8>, part: Part) -> Result<(), TransportError> {
        self.inner.send(to, frame, part)
    }

    fn receive_frame(&self, from: usize, deadline: Instant) -> Result<Vec<u8>, TransportError> {
        self.inner.receive_frame(from, deadline)
    }

    fn receive_part(&self, from: usize, length: usize, deadline: Instant) -> Result<Part, TransportError> {
        self.inner.receive_part(from, length, deadline)
    }

    fn split(&self, members: &[usize], group: usize) -> Result<Option<Arc<dyn Engine>>, TransportError> {
        let counting = |inner| {
            let (calls, bytes) = (self.calls.clone(), self.bytes.clone());
            Arc::new(CountingEngine { inner, calls, bytes }) as Arc<dyn Engine>
        };
        Ok(self.inner.split(members, group)?.map(counting))
    }

    fn abandon(&self, frame: Vec<u8>, withdraw: bool) {
        self.inner.abandon(frame, withdraw);
    }
}
