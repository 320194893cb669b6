//! The budget that whoever makes a call may have set for its memory.

use super::out_of_memory;
#[cfg(feature = "std")]
use burn_backend::memory_budget::{self, Reservation};

/// Memory of a kernel that is counted as long as this lives.
#[must_use]
pub struct Room {
    #[cfg(feature = "std")]
    _reservation: Reservation,
}

impl Room {
    /// Reserves workspace for `len` elements outside of buffers. Where it fails, this ends the call: see
    /// [`out_of_memory`].
    pub fn new<E>(len: usize) -> Self {
        let bytes = len.checked_mul(size_of::<E>());
        bytes.and_then(Self::of).unwrap_or_else(|| out_of_memory(None, bytes))
    }

    /// Reserves `bytes`, if the budget of the call allows it.
    #[inline]
    #[cfg_attr(not(feature = "std"), allow(unused_variables, reason = "nobody counts"))]
    pub fn of(bytes: usize) -> Option<Self> {
        Some(Room {
            #[cfg(feature = "std")]
            _reservation: Reservation::new(bytes).ok()?,
        })
    }
}

/// Gives back the bytes of a room that was forgotten.
#[cfg(feature = "std")]
#[inline]
pub fn give_back(bytes: usize) {
    memory_budget::give_back(bytes);
}

#[cfg(not(feature = "std"))]
pub fn give_back(_bytes: usize) {}
