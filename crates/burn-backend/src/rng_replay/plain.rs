//! Fallback without thread-local storage: draws are not recorded.

pub fn aside<R>(f: impl FnOnce() -> R) -> R {
    f()
}

pub fn position(_count: u64, next: impl FnOnce() -> (u64, u64)) -> (u64, u64) {
    next()
}

pub fn made<T: Clone + Send + 'static>(make: impl FnOnce() -> T) -> T {
    make()
}
