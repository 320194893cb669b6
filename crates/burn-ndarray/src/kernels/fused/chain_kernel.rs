//! Kernel of a chain of elementwise steps, with AVX-512: four vectors of a row at a time go through all of
//! them, and may be folded at the end.

use super::chain_call::ChainRows;

/// Whether this machine has the instructions.
pub fn is_available() -> bool {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    return crate::simd::level() == crate::simd::Level::V4;
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    return false;
}

/// Writes the results of the calls. They have the bits of the same steps one by one.
///
/// # Safety
/// [`is_available`] said so. All operands are `f32`: the elements of all rows may be read, or one of a row of
/// a repeated operand, and the targets may be written; an operand that is not repeated is a target or does
/// not overlap with it.
pub unsafe fn run(rows: &mut ChainRows<'_>) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    // SAFETY: by the contract.
    unsafe {
        if !super::known_chains::run(rows) {
            super::chain_avx512::run(rows);
        }
    }
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    unreachable!("no chain of {rows:?}");
}
