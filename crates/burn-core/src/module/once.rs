//! A value that is made once, on first use, by whichever thread comes first.

#[cfg(feature = "std")]
pub use std::sync::OnceLock as Once;

#[cfg(not(feature = "std"))]
pub use bare::Once;

#[cfg(not(feature = "std"))]
mod bare {
    /// Cell that is written once: the part of `std::sync::OnceLock` that we use.
    #[derive(Debug)]
    pub struct Once<T>(spin::Once<T>);

    impl<T> Once<T> {
        pub const fn new() -> Self {
            Once(spin::Once::new())
        }
        pub fn get(&self) -> Option<&T> {
            self.0.get()
        }
        pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
            self.0.call_once(init)
        }
        pub fn take(&mut self) -> Option<T> {
            core::mem::take(self).0.try_into_inner()
        }
    }

    impl<T> Default for Once<T> {
        fn default() -> Self {
            Once::new()
        }
    }

    impl<T> From<T> for Once<T> {
        fn from(value: T) -> Self {
            Once(spin::Once::initialized(value))
        }
    }
}
