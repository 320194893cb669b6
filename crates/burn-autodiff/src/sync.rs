//! The lock of a tape node: the one of the system where there is one, else a spinning one.
//!
//! A step that panicked is a step that ran: what it held is gone, and nothing is half changed.

#[cfg(feature = "std")]
use std::sync::PoisonError;

#[cfg(feature = "std")]
pub use std::sync::MutexGuard;

#[cfg(not(feature = "std"))]
pub use spin::MutexGuard;

#[cfg(feature = "std")]
pub struct Mutex<T: ?Sized>(std::sync::Mutex<T>);

#[cfg(not(feature = "std"))]
pub struct Mutex<T: ?Sized>(spin::Mutex<T>);

#[cfg(feature = "std")]
impl<T: ?Sized> Mutex<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(feature = "std"))]
impl<T: ?Sized> Mutex<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock()
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

impl<T> Mutex<T> {
    #[cfg(feature = "std")]
    pub fn new(value: T) -> Self {
        Mutex(std::sync::Mutex::new(value))
    }

    #[cfg(not(feature = "std"))]
    pub fn new(value: T) -> Self {
        Mutex(spin::Mutex::new(value))
    }
}
