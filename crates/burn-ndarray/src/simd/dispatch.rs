#[cfg(all(feature = "std", target_arch = "x86_64"))]
use core::sync::atomic::{AtomicU8, Ordering};

/// Instruction set level of the machine.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Level {
    /// Instruction set that the crate was compiled for.
    Baseline,
    /// x86-64-v3: AVX2 and FMA.
    V3,
    /// x86-64-v4: AVX-512.
    V4,
}

/// Whether the baseline multiplies and adds in one instruction.
pub const FMA: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

/// The best instruction set of this machine.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline]
pub fn level() -> Level {
    static KNOWN: AtomicU8 = AtomicU8::new(u8::MAX);
    match KNOWN.load(Ordering::Relaxed) {
        0 => Level::Baseline,
        1 => Level::V3,
        2 => Level::V4,
        _ => {
            let level = detect();
            KNOWN.store(level as u8, Ordering::Relaxed);
            level
        }
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[cold]
fn detect() -> Level {
    use std::arch::is_x86_feature_detected as has;
    let v3 = has!("avx2") && has!("fma") && has!("f16c") && has!("bmi1") && has!("bmi2") && has!("lzcnt");
    let v4 = v3 && has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
    match (v3, v4) {
        (true, true) => Level::V4,
        (true, false) => Level::V3,
        (false, _) => Level::Baseline,
    }
}

/// Declares a function that runs `$body::<FMA>` compiled for the machine it finds itself on.
///
/// `$body` must be `#[inline(always)]`, and so must be what it calls in its loops: only inlined code is
/// compiled with the instructions of the caller.
///
/// `narrow` leaves out AVX-512, for loops that wait for memory: it is a third of their code.
macro_rules! dispatch {
    ($(#[$meta:meta])* narrow $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $result:ty)? = $body:ident) => {
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) $(-> $result)? {
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            {
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                fn v3($($arg: $ty),*) $(-> $result)? {
                    $body::<true>($($arg),*)
                }
                match $crate::simd::level() {
                    // SAFETY: the machine has these instructions.
                    $crate::simd::Level::V4 | $crate::simd::Level::V3 => return unsafe { v3($($arg),*) },
                    $crate::simd::Level::Baseline => {}
                }
            }
            $body::<{ $crate::simd::FMA }>($($arg),*)
        }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $result:ty)? = $body:ident) => {
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) $(-> $result)? {
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            {
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                fn v3($($arg: $ty),*) $(-> $result)? {
                    $body::<true>($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                fn v4($($arg: $ty),*) $(-> $result)? {
                    $body::<true>($($arg),*)
                }
                match $crate::simd::level() {
                    // SAFETY: the machine has these instructions.
                    $crate::simd::Level::V4 => return unsafe { v4($($arg),*) },
                    // SAFETY: the machine has these instructions.
                    $crate::simd::Level::V3 => return unsafe { v3($($arg),*) },
                    $crate::simd::Level::Baseline => {}
                }
            }
            $body::<{ $crate::simd::FMA }>($($arg),*)
        }
    };
}
pub(crate) use dispatch;
