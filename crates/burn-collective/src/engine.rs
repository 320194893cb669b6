//! The transport between ranks that collectives are written on.

use crate::{DeviceCollectives, TransportError};
use burn_ir::TensorData;
use core::fmt::Debug;
use core::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Transport of a group of ranks: moves bytes, and knows nothing of tensors.
///
/// Every rank calls [`exchange_frames`](Self::exchange_frames), [`exchange`](Self::exchange) and
/// [`split`](Self::split) in the same order: the group agrees on each call by frames before bytes move.
pub trait Engine: Debug + Send + Sync {
    /// Returns the rank of this process or thread in the group.
    fn rank(&self) -> usize;
    /// Returns the number of ranks in the group.
    fn world_size(&self) -> usize;

    /// Gives a short message to every rank, and returns the message of each, by rank.
    ///
    /// # Errors
    /// When the deadline passed, a rank ended, or the library failed.
    fn exchange_frames(&self, frame: Vec<u8>, deadline: Instant) -> Result<Vec<Vec<u8>>, TransportError>;

    /// Gives part `r` to rank `r`, and returns the parts that each rank gave to this one; their lengths are
    /// `lengths`.
    ///
    /// # Errors
    /// When the deadline passed, a rank ended, or the library failed.
    fn exchange(
        &self,
        parts: Vec<Part>,
        lengths: &[usize],
        deadline: Instant,
    ) -> Result<Vec<Part>, TransportError>;

    /// Sends a short message and bytes to another rank, without waiting until it receives them.
    ///
    /// # Errors
    /// When the library failed.
    fn send(&self, to: usize, frame: Vec<u8>, part: Part) -> Result<(), TransportError>;

    /// Waits for the message of the next [`send`](Self::send) of `from` to this rank.
    ///
    /// # Errors
    /// When the deadline passed, the rank ended, or the library failed.
    fn receive_frame(&self, from: usize, deadline: Instant) -> Result<Vec<u8>, TransportError>;

    /// Waits for the bytes that belong to the message received last.
    ///
    /// # Errors
    /// When the deadline passed, the rank ended, or the library failed.
    fn receive_part(&self, from: usize, length: usize, deadline: Instant) -> Result<Part, TransportError>;

    /// Makes a group of the ranks `members` of this group, in their new order. Called by all ranks of this
    /// group, by those that join no group with an empty list; `group` numbers the groups made at once.
    ///
    /// # Errors
    /// When the library failed.
    fn split(&self, members: &[usize], group: usize) -> Result<Option<Arc<dyn Engine>>, TransportError>;

    /// Returns the collectives that leave tensors on their device, where the transport has them.
    fn device_collectives(&self) -> Option<&dyn DeviceCollectives> {
        None
    }

    /// Informs every rank that this one makes no more calls, with a last message for ranks that wait for it;
    /// of several, the first counts. With `withdraw`, messages that no rank has taken yet are withdrawn,
    /// where the transport can do that.
    fn abandon(&self, frame: Vec<u8>, withdraw: bool);
}

/// Order of messages: those of collectives and those between two ranks do not overtake each other within a
/// stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Messages of collectives.
    Collective,
    /// Messages of `send` and `receive`.
    PointToPoint,
}

/// Range of the bytes of a tensor, shared.
#[derive(Clone, Debug)]
pub struct Part {
    data: Arc<TensorData>,
    range: Range<usize>,
}

impl Part {
    /// Returns all bytes of `data`.
    pub fn whole(data: Arc<TensorData>) -> Self {
        let range = 0..data.as_bytes().len();
        Part { data, range }
    }

    /// Returns bytes of `data`; beyond its end there are none.
    pub fn range(data: &Arc<TensorData>, range: Range<usize>) -> Self {
        let end = range.end.min(data.as_bytes().len());
        Part { data: data.clone(), range: range.start.min(end)..end }
    }

    /// Returns bytes of this part; beyond its end there are none.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let end = self.range.start.saturating_add(range.end).min(self.range.end);
        Part { data: self.data.clone(), range: self.range.start.saturating_add(range.start).min(end)..end }
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.data.as_bytes()[self.range.clone()]
    }
}
