//! Copies between neighbours and every second, third or fourth element, in vectors.

use crate::simd::dispatch;
use bytemuck::Pod;

/// Steps that have a loop of their own.
pub const STEPS: core::ops::RangeInclusive<usize> = 2..=4;
/// Elements that are copied together.
const TOGETHER: usize = 16;
/// Elements that are worth a call.
const WORTH: usize = 2 * TOGETHER;

/// Copies elements that are `step` apart, if there is a loop for it; says whether.
///
/// # Safety
/// The elements may be read.
#[inline]
pub unsafe fn deinterleave<E: Pod>(x: *const E, step: usize, out: &mut [E]) -> bool {
    if out.len() < WORTH || !STEPS.contains(&step) {
        return false;
    }
    let (start, len) = (out.as_mut_ptr(), out.len());
    match size_of::<E>() {
        4 => deinterleave_u32(x.cast(), step, start.cast(), len),
        8 => deinterleave_u64(x.cast(), step, start.cast(), len),
        _ => return false,
    }
    true
}

/// Writes `count` rows of one element of each of `step` runs, which start `apart` elements from each other,
/// if there is a loop for it; says whether.
///
/// # Safety
/// The elements may be read and written, and do not overlap.
#[inline]
pub unsafe fn interleave<E: Pod>(x: *const E, apart: usize, step: usize, count: usize, out: *mut E) -> bool {
    if count < WORTH || !STEPS.contains(&step) {
        return false;
    }
    match size_of::<E>() {
        4 => interleave_u32(x.cast(), apart, step, count, out.cast()),
        8 => interleave_u64(x.cast(), apart, step, count, out.cast()),
        _ => return false,
    }
    true
}

#[inline(always)]
fn deinterleave_by<E: Pod, const STEP: usize>(x: *const E, out: *mut E, len: usize) {
    // Elements after the last one are not read: it may be the last of the tensor.
    let whole = (len - 1) / TOGETHER * TOGETHER;
    // SAFETY: by the contract of the only callers.
    unsafe {
        for first in (0..whole).step_by(TOGETHER) {
            let all = x.add(first * STEP).cast::<[[E; STEP]; TOGETHER]>().read_unaligned();
            let mut picked = [E::zeroed(); TOGETHER];
            for lane in 0..TOGETHER {
                picked[lane] = all[lane][0];
            }
            out.add(first).cast::<[E; TOGETHER]>().write_unaligned(picked);
        }
        for k in whole..len {
            out.add(k).write(x.add(k * STEP).read());
        }
    }
}

#[inline(always)]
fn interleave_by<E: Pod, const STEP: usize>(x: *const E, apart: usize, count: usize, out: *mut E) {
    let whole = count / TOGETHER * TOGETHER;
    // SAFETY: by the contract of the only callers.
    unsafe {
        let run = |k: usize| x.wrapping_add(k.wrapping_mul(apart));
        for first in (0..whole).step_by(TOGETHER) {
            let mut all = [[E::zeroed(); STEP]; TOGETHER];
            for k in 0..STEP {
                let one = run(k).add(first).cast::<[E; TOGETHER]>().read_unaligned();
                for lane in 0..TOGETHER {
                    all[lane][k] = one[lane];
                }
            }
            out.add(first * STEP).cast::<[[E; STEP]; TOGETHER]>().write_unaligned(all);
        }
        for at in whole..count {
            (0..STEP).for_each(|k| out.add(at * STEP + k).write(run(k).add(at).read()));
        }
    }
}

macro_rules! widths {
    ($($E:ident: $pick_body:ident $pick:ident $put_body:ident $put:ident;)*) => {$(
        #[inline(always)]
        fn $pick_body<const FMA: bool>(x: *const $E, step: usize, out: *mut $E, len: usize) {
            match step {
                2 => deinterleave_by::<$E, 2>(x, out, len),
                3 => deinterleave_by::<$E, 3>(x, out, len),
                _ => deinterleave_by::<$E, 4>(x, out, len),
            }
        }
        dispatch! { fn $pick(x: *const $E, step: usize, out: *mut $E, len: usize) = $pick_body }
        #[inline(always)]
        fn $put_body<const FMA: bool>(x: *const $E, apart: usize, step: usize, count: usize, out: *mut $E) {
            match step {
                2 => interleave_by::<$E, 2>(x, apart, count, out),
                3 => interleave_by::<$E, 3>(x, apart, count, out),
                _ => interleave_by::<$E, 4>(x, apart, count, out),
            }
        }
        dispatch! {
            narrow fn $put(x: *const $E, apart: usize, step: usize, count: usize, out: *mut $E) = $put_body
        }
    )*};
}
// Interleaving is faster in vectors of 256 bits than in those of 512: the compiler finds shuffles within
// halves.
widths! {
    u32: deinterleave_u32_body deinterleave_u32 interleave_u32_body interleave_u32;
    u64: deinterleave_u64_body deinterleave_u64 interleave_u64_body interleave_u64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;

    fn there_and_back<E: Pod + PartialEq + core::fmt::Debug>(element: impl Fn(usize) -> E) {
        for step in STEPS {
            for &count in shrink(&[32, 33, 47, 48, 100][..], &[32, 50]) {
                let runs: Vec<E> = (0..count * step).map(&element).collect();
                let mut rows = vec![element(9999); count * step + 1];
                let mut back = vec![element(9999); count];
                // SAFETY: the lists have as many elements.
                unsafe { assert!(interleave(runs.as_ptr(), count, step, count, rows.as_mut_ptr())) };
                assert!(
                    rows[..count * step]
                        .iter()
                        .enumerate()
                        .all(|(at, &x)| x == runs[at % step * count + at / step])
                );
                assert_eq!(rows[count * step], element(9999));
                for k in 0..step {
                    // SAFETY: the last element that is read is the last of the rows, or before it.
                    unsafe { assert!(deinterleave(rows.as_ptr().wrapping_add(k), step, &mut back)) };
                    assert_eq!(back, runs[k * count..][..count], "run {k} of {step}");
                }
            }
        }
    }

    #[test]
    fn runs_are_interleaved_and_picked_again() {
        there_and_back(|i| i as u32);
        there_and_back(|i| i as f64);
        let mut out = [0_u16; 64];
        // SAFETY: nothing is read.
        unsafe {
            assert!(!deinterleave([0_u16; 128].as_ptr(), 2, &mut out));
            assert!(!deinterleave([0_u32; 1].as_ptr(), 5, &mut []));
        }
    }
}
