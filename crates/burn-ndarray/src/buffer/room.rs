//! The budget that whoever makes a call may have set for its memory.

#[cfg(feature = "std")]
use burn_backend::memory::{self, OverBudget, Reservation};

/// Memory on the heap that a kernel takes besides buffers, counted like those as long as this lives.
#[must_use]
pub struct Room {
    #[cfg(feature = "std")]
    _reservation: Reservation,
}

impl Room {
    /// Room for `len` elements.
    ///
    /// # Panics
    /// When the budget of the call leaves less.
    #[inline]
    #[cfg_attr(not(feature = "std"), allow(unused_variables, reason = "nobody counts"))]
    pub fn new<E>(len: usize) -> Self {
        Room {
            #[cfg(feature = "std")]
            _reservation: Reservation::new(len.saturating_mul(size_of::<E>()))
                .unwrap_or_else(|over| refused(&over)),
        }
    }
}

#[cfg(feature = "std")]
#[cold]
fn refused(over: &OverBudget) -> ! {
    panic!("no memory is left for a tensor: {over}")
}

/// Gives back the bytes of a room that was forgotten.
#[cfg(feature = "std")]
#[inline]
pub fn give_back(bytes: usize) {
    memory::give_back(bytes);
}

#[cfg(not(feature = "std"))]
pub fn give_back(_bytes: usize) {}
