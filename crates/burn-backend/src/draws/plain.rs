//! Without threads of an operating system nothing is noted.

pub fn aside<R>(f: impl FnOnce() -> R) -> R {
    f()
}

pub fn position(_count: u64, next: impl FnOnce() -> (u64, u64)) -> (u64, u64) {
    next()
}

pub fn made<T: Clone + Send + 'static>(make: impl FnOnce() -> T) -> T {
    make()
}
