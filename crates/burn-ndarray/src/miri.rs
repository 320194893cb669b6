//! Sizes under Miri, where an instruction takes about as long as a thousand do elsewhere.

/// Returns `size`, or `small` under Miri: a size for which the same code runs, and ends.
pub const fn shrink<T: Copy>(size: T, small: T) -> T {
    if cfg!(miri) { small } else { size }
}
