use std::sync::{Mutex, PoisonError};

/// The device that `Default::default()` gives in a process, for programs and tests that take it.
#[derive(Debug)]
pub struct DefaultDevice<D>(Mutex<D>);

impl<D: Copy> DefaultDevice<D> {
    /// Makes `device` the default until [`set`](Self::set) is called.
    pub const fn new(device: D) -> Self {
        DefaultDevice(Mutex::new(device))
    }

    pub fn get(&self) -> D {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set(&self, device: D) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = device;
    }
}
