//! The lock of a tape node: the one of the system where there is one, else a spinning one.

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
        self.0.lock().expect("backward panicked before in this node")
    }

    /// `None` where an earlier owner panicked.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.get_mut().ok()
    }
}

#[cfg(not(feature = "std"))]
impl<T: ?Sized> Mutex<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock()
    }

    /// `None` where an earlier owner panicked, which cannot be told here.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        Some(self.0.get_mut())
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
