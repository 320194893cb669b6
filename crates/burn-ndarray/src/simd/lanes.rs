//! Vectors of `f32`, as wide as the registers of the machine.

/// A register of `f32`, or what stands for one.
pub trait Lanes: Copy {
    const LANES: usize;
    /// Terms of a sum of products that loops are written out for, where the distances between elements are
    /// instructions unless they are constant.
    #[cfg(feature = "std")]
    const UNROLLED: usize = 1;

    /// # Safety
    /// The machine has the instructions of the type; so in all functions below.
    unsafe fn splat(x: f32) -> Self;
    /// # Safety
    /// `LANES` elements may be read.
    unsafe fn load(from: *const f32) -> Self;
    /// The first `count` elements, at most `LANES`, and zeros.
    ///
    /// # Safety
    /// `count` elements may be read.
    unsafe fn load_first(from: *const f32, count: usize) -> Self;
    /// The elements from number `first` on and before number `end`, at most `LANES`, and zeros instead
    /// of the others.
    ///
    /// # Safety
    /// These elements may be read.
    unsafe fn load_within(from: *const f32, first: usize, end: usize) -> Self;
    /// # Safety
    /// `LANES` elements may be written.
    unsafe fn store(self, to: *mut f32);
    /// Writes the first `count` elements, at most `LANES`.
    ///
    /// # Safety
    /// `count` elements may be written.
    unsafe fn store_first(self, to: *mut f32, count: usize);
    /// Writes the first `count` elements, at most `LANES`, to every other position from `to` on.
    ///
    /// # Safety
    /// These positions may be written.
    #[inline(always)]
    unsafe fn store_apart(self, to: *mut f32, count: usize) {
        let mut elements = [0.0_f32; 16];
        // SAFETY: by the contract; no vector is longer than the array.
        unsafe {
            self.store(elements.as_mut_ptr());
            elements[..count].iter().enumerate().for_each(|(lane, &x)| to.add(2 * lane).write(x));
        }
    }
    /// `self * factor + sum`.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self;
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn plus(self, other: Self) -> Self;
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn minus(self, other: Self) -> Self;
    /// Returns the larger elements; those of `self` where they are NaN or equal.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn at_least(self, least: Self) -> Self;
    /// Returns the smaller elements; those of `self` where they are NaN or equal.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn at_most(self, most: Self) -> Self;
    /// `self[0], other[0], self[1], other[1], ..`, as two vectors.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn interleave(self, other: Self) -> (Self, Self);
    /// Returns the elements at even and at odd positions of `self` followed by `other`.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn deinterleave(self, other: Self) -> (Self, Self);
    /// Returns the elements moved up by a lane, the last one first.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn rotated_up(self) -> Self;
    /// Returns the elements moved down by a lane, before the first one of `next`.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn shifted_down_before(self, next: Self) -> Self;
    /// Returns one number in the lower half of the lanes and another one in the upper half.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn splat_halves(lower: f32, upper: f32) -> Self;
    /// Returns the first `count` elements from each of two positions, at most `LANES / 2`, and zeros after
    /// them: one half of the lanes for each position.
    ///
    /// # Safety
    /// `count` elements may be read from both.
    unsafe fn load_halves(lower: *const f32, upper: *const f32, count: usize) -> Self;
    /// Writes each half of the lanes to a position, the upper half last.
    ///
    /// # Safety
    /// `LANES / 2` elements may be written to both.
    unsafe fn store_halves(self, lower: *mut f32, upper: *mut f32);
    /// Writes the first `count` elements of each half of the lanes to a position.
    ///
    /// # Safety
    /// `count` elements, at most `LANES / 2`, may be written to both.
    unsafe fn store_first_of_halves(self, lower: *mut f32, upper: *mut f32, count: usize);
    /// Returns the sum of all elements.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    unsafe fn sum(self) -> f32;
    /// Returns the sum of the elements of each vector.
    ///
    /// # Safety
    /// See [`Lanes::splat`].
    #[inline(always)]
    unsafe fn sums<const M: usize>(vectors: [Self; M]) -> [f32; M] {
        // SAFETY: by the contract.
        vectors.map(|vector| unsafe { vector.sum() })
    }
}

/// An array of what an expression is for each of four lanes. `array::from_fn` is a loop where programs are
/// optimised for their size.
macro_rules! lanes {
    ($lane:ident => $value:expr) => {
        [
            {
                let $lane = 0;
                $value
            },
            {
                let $lane = 1;
                $value
            },
            {
                let $lane = 2;
                $value
            },
            {
                let $lane = 3;
                $value
            },
        ]
    };
}

/// Four elements: a register of every machine with vectors at all, where the compiler puts them together.
impl Lanes for [f32; 4] {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        [x; 4]
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: by the contract.
        unsafe { lanes!(lane => from.add(lane).read()) }
    }
    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Self {
        // SAFETY: by the contract.
        lanes!(lane => if lane < count { unsafe { from.add(lane).read() } } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn load_within(from: *const f32, first: usize, end: usize) -> Self {
        lanes!(lane => {
            // SAFETY: by the contract.
            if (first..end).contains(&lane) { unsafe { from.wrapping_add(lane).read() } } else { 0.0 }
        })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: by the contract.
        lanes!(lane => unsafe { to.add(lane).write(self[lane]) });
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, count: usize) {
        for lane in 0..count.min(4) {
            // SAFETY: by the contract.
            unsafe { to.add(lane).write(self[lane]) };
        }
    }
    #[inline(always)]
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
        lanes!(lane => times_plus(self[lane], factor[lane], sum[lane]))
    }
    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        lanes!(lane => self[lane] + other[lane])
    }
    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        lanes!(lane => self[lane] - other[lane])
    }
    #[inline(always)]
    unsafe fn at_least(self, least: Self) -> Self {
        lanes!(lane => if least[lane] > self[lane] { least[lane] } else { self[lane] })
    }
    #[inline(always)]
    unsafe fn at_most(self, most: Self) -> Self {
        lanes!(lane => if most[lane] < self[lane] { most[lane] } else { self[lane] })
    }
    #[inline(always)]
    unsafe fn interleave(self, other: Self) -> (Self, Self) {
        ([self[0], other[0], self[1], other[1]], [self[2], other[2], self[3], other[3]])
    }
    #[inline(always)]
    unsafe fn deinterleave(self, other: Self) -> (Self, Self) {
        ([self[0], self[2], other[0], other[2]], [self[1], self[3], other[1], other[3]])
    }
    #[inline(always)]
    unsafe fn rotated_up(self) -> Self {
        [self[3], self[0], self[1], self[2]]
    }
    #[inline(always)]
    unsafe fn shifted_down_before(self, next: Self) -> Self {
        [self[1], self[2], self[3], next[0]]
    }
    #[inline(always)]
    unsafe fn splat_halves(lower: f32, upper: f32) -> Self {
        [lower, lower, upper, upper]
    }
    #[inline(always)]
    unsafe fn load_halves(lower: *const f32, upper: *const f32, count: usize) -> Self {
        core::array::from_fn(|lane| {
            let from = if lane < 2 { lower } else { upper };
            // SAFETY: by the contract.
            if lane % 2 < count { unsafe { from.add(lane % 2).read() } } else { 0.0 }
        })
    }
    #[inline(always)]
    unsafe fn store_halves(self, lower: *mut f32, upper: *mut f32) {
        // SAFETY: by the contract.
        unsafe { self.store_first_of_halves(lower, upper, 2) }
    }
    #[inline(always)]
    unsafe fn store_first_of_halves(self, lower: *mut f32, upper: *mut f32, count: usize) {
        for (half, to) in [lower, upper].into_iter().enumerate() {
            // SAFETY: by the contract.
            (0..count.min(2)).for_each(|lane| unsafe { to.add(lane).write(self[2 * half + lane]) });
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        (self[0] + self[2]) + (self[1] + self[3])
    }
}

#[cfg(feature = "std")]
#[inline(always)]
fn times_plus(x: f32, factor: f32, sum: f32) -> f32 {
    if crate::simd::FMA { x.mul_add(factor, sum) } else { x * factor + sum }
}
#[cfg(not(feature = "std"))]
#[inline(always)]
fn times_plus(x: f32, factor: f32, sum: f32) -> f32 {
    x * factor + sum
}

/// Rows and vectors of a tile of sums that 16 registers hold, beside a row of factors and one more: of four
/// by three one would lie in memory.
pub const TILE_16: (usize, usize) = (6, 2);
/// As [`TILE_16`], of 32 registers.
pub const TILE_32: (usize, usize) = (8, 3);
/// As [`TILE_16`], of microcontrollers, which have no vectors. Programs for them are optimised for their
/// size, where loops over a tile are not unrolled.
pub const TILE_SCALAR: (usize, usize) = (1, 1);
/// As [`TILE_16`], of WebAssembly: engines keep registers for themselves, and products that are added in a
/// second instruction need one more.
pub const TILE_WASM: (usize, usize) = (4, 2);
/// That of the machine the crate is compiled for.
pub const TILE: (usize, usize) = match () {
    () if cfg!(target_arch = "aarch64") => TILE_32,
    () if cfg!(target_os = "none") => TILE_SCALAR,
    () if cfg!(target_family = "wasm") => TILE_WASM,
    () => TILE_16,
};

/// Vectors of the machine the crate is compiled for.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Baseline = core::arch::wasm32::v128;
/// Vectors of the machine the crate is compiled for.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub type Baseline = [f32; 4];

/// Declares a function that runs `$body::<V, ROWS, VECTORS>`, `V` being the vectors of the machine it finds
/// itself on, `ROWS` and `VECTORS` the size of a tile of such vectors that its registers hold.
///
/// `$body` and what it calls in its loops must be `#[inline(always)]`.
macro_rules! with_lanes {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) = $body:ident) => {
        $(#[$meta])*
        $vis unsafe fn $name($($arg: $ty),*) {
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            {
                use core::arch::x86_64::{__m256, __m512};
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn v3($($arg: $ty),*) {
                    // SAFETY: by the contract of the caller.
                    unsafe { $body::<__m256, { $crate::simd::TILE_16.0 }, { $crate::simd::TILE_16.1 }>($($arg),*) }
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                unsafe fn v4($($arg: $ty),*) {
                    // SAFETY: by the contract of the caller.
                    unsafe { $body::<__m512, { $crate::simd::TILE_32.0 }, { $crate::simd::TILE_32.1 }>($($arg),*) }
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
            unsafe {
                $body::<$crate::simd::Baseline, { $crate::simd::TILE.0 }, { $crate::simd::TILE.1 }>($($arg),*)
            }
        }
    };
}
pub(crate) use with_lanes;
