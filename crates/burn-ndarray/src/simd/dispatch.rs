/// What the machine can do.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What the crate was compiled for.
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
    // The answers are cached by the standard library; a test is a load and a mask.
    if std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
    {
        return Level::V4;
    }
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("f16c")
    {
        return Level::V3;
    }
    Level::Baseline
}

/// Declares a function that runs `$body::<FMA>` compiled for the machine it finds itself on.
///
/// `$body` must be `#[inline(always)]`, and so must be what it calls in its loops: only inlined code is compiled
/// with the instructions of the caller.
macro_rules! dispatch {
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
