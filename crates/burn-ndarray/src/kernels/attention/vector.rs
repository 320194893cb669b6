//! Registers, as the product of tiles sees them.

/// A register of elements, or what stands for one.
pub trait Vector: Copy {
    type Elem: Copy;
    const ZERO: Self::Elem;
    const LANES: usize;
    /// Registers beside each other in a strip of sums, of [`ROWS`](super::product::ROWS) such rows.
    const WIDTH: usize;

    /// # Safety
    /// The machine has the instructions of the type; so in all functions below.
    unsafe fn splat(x: Self::Elem) -> Self;
    /// # Safety
    /// `LANES` elements may be read.
    unsafe fn load(from: *const Self::Elem) -> Self;
    /// # Safety
    /// `LANES` elements may be written.
    unsafe fn store(self, to: *mut Self::Elem);
    /// `self * factor + sum`.
    ///
    /// # Safety
    /// See [`Vector::splat`].
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self;
    /// # Safety
    /// See [`Vector::splat`].
    unsafe fn plus(self, other: Self) -> Self;
}

/// Sixteen bytes: a register of every machine with vectors at all.
macro_rules! arrays {
    ($($ty:ty, $lanes:expr;)*) => {$(
        impl Vector for [$ty; $lanes] {
            type Elem = $ty;
            const ZERO: $ty = 0.0;
            const LANES: usize = $lanes;
            const WIDTH: usize = if cfg!(target_arch = "aarch64") { 4 } else { 2 };

            #[inline(always)]
            unsafe fn splat(x: $ty) -> Self {
                [x; $lanes]
            }
            #[inline(always)]
            unsafe fn load(from: *const $ty) -> Self {
                // SAFETY: by the contract.
                unsafe { from.cast::<Self>().read_unaligned() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $ty) {
                // SAFETY: by the contract.
                unsafe { to.cast::<Self>().write_unaligned(self) }
            }
            #[inline(always)]
            unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
                core::array::from_fn(|lane| {
                    #[cfg(feature = "std")]
                    if crate::simd::FMA {
                        return self[lane].mul_add(factor[lane], sum[lane]);
                    }
                    self[lane] * factor[lane] + sum[lane]
                })
            }
            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                core::array::from_fn(|lane| self[lane] + other[lane])
            }
        }
    )*};
}
arrays! {
    f32, 4;
    f64, 2;
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod x86 {
    use super::Vector;
    use core::arch::x86_64::*;

    macro_rules! registers {
        ($($register:ty: $ty:ty, $lanes:expr, $width:expr, $splat:ident, $load:ident, $store:ident, $fma:ident, $add:ident;)*) => {$(
            impl Vector for $register {
                type Elem = $ty;
                const ZERO: $ty = 0.0;
                const LANES: usize = $lanes;
                const WIDTH: usize = $width;

                #[inline(always)]
                unsafe fn splat(x: $ty) -> Self {
                    // SAFETY: by the contract; so in all functions below.
                    unsafe { $splat(x) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $ty) -> Self {
                    // SAFETY: as above.
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $ty) {
                    // SAFETY: as above.
                    unsafe { $store(to, self) }
                }
                #[inline(always)]
                unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $fma(self, factor, sum) }
                }
                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $add(self, other) }
                }
            }
        )*};
    }
    registers! {
        __m512: f32, 16, 4, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_fmadd_ps, _mm512_add_ps;
        __m256: f32, 8, 2, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_fmadd_ps, _mm256_add_ps;
        __m512d: f64, 8, 4, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_fmadd_pd, _mm512_add_pd;
        __m256d: f64, 4, 2, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_fmadd_pd, _mm256_add_pd;
    }
}

/// Declares a function that runs `$body::<V>`, `V` being the vectors of the machine it finds itself on.
///
/// `$body` and what it calls in its loops must be `#[inline(always)]`.
macro_rules! with_vectors {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) = $body:ident of $elem:ty, $wide:ident, $widest:ident) => {
        $(#[$meta])*
        $vis unsafe fn $name($($arg: $ty),*) {
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            {
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn v3($($arg: $ty),*) {
                    // SAFETY: by the contract of the caller.
                    unsafe { $body::<core::arch::x86_64::$wide>($($arg),*) }
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn v4($($arg: $ty),*) {
                    // SAFETY: by the contract of the caller.
                    unsafe { $body::<core::arch::x86_64::$widest>($($arg),*) }
                }
                match $crate::simd::level() {
                    // SAFETY: the machine has these instructions; the rest by the contract of the caller.
                    $crate::simd::Level::V4 => return unsafe { v4($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::Level::V3 => return unsafe { v3($($arg),*) },
                    $crate::simd::Level::Baseline => {}
                }
            }
            // SAFETY: by the contract of the caller.
            unsafe { $body::<[$elem; 16 / size_of::<$elem>()]>($($arg),*) }
        }
    };
}
pub(super) use with_vectors;
