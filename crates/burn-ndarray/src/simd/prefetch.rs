/// Asks the memory for a line of 64 bytes, which is about to be read or written. The address may be any.
#[inline(always)]
pub fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which never faults.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// As [`prefetch`], into the second cache: for what is read some thousands of instructions later.
#[inline(always)]
pub fn prefetch_far(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which never faults.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T1 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Bytes that memory is read in.
const LINE: usize = 64;

/// As [`prefetch_far`], for elements one after the other.
#[inline(always)]
pub fn prefetch_elements<E>(start: *const E, len: usize) {
    (0..len).step_by(LINE / size_of::<E>()).for_each(|at| prefetch_far(start.wrapping_add(at).cast()));
}
