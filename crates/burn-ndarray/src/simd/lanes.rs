//! Vectors of `f32`, as wide as the registers of the machine.

/// A register of `f32`, or what stands for one.
pub trait Lanes: Copy {
    const LANES: usize;

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
    /// The elements from number `first` on and before number `end`, at most `LANES`, and zeros in the place of the others.
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
    /// Writes the first `count` elements, at most `LANES`, to every other place from `to` on.
    ///
    /// # Safety
    /// These places may be written.
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
    /// Returns the first `count` elements from each of two places, at most `LANES / 2`, and zeros behind them: one half of the lanes for each
    /// place.
    ///
    /// # Safety
    /// `count` elements may be read from both.
    unsafe fn load_halves(lower: *const f32, upper: *const f32, count: usize) -> Self;
    /// Writes each half of the lanes to a place, the upper half last.
    ///
    /// # Safety
    /// `LANES / 2` elements may be written to both.
    unsafe fn store_halves(self, lower: *mut f32, upper: *mut f32);
    /// Writes the first `count` elements of each half of the lanes to a place.
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

/// An array of what an expression is for each of four lanes. `array::from_fn` is a loop where programs are optimised for their size.
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

/// Four elements: a register of every machine with vectors at all.
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

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod x86 {
    use super::Lanes;
    use core::arch::x86_64::*;

    impl Lanes for __m512 {
        const LANES: usize = 16;

        #[inline(always)]
        unsafe fn splat(x: f32) -> Self {
            // SAFETY: by the contract; so in all functions below.
            unsafe { _mm512_set1_ps(x) }
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_loadu_ps(from) }
        }
        #[inline(always)]
        unsafe fn load_first(from: *const f32, count: usize) -> Self {
            // SAFETY: as above; masked elements are not touched.
            unsafe { _mm512_maskz_loadu_ps(((1_u32 << count) - 1) as __mmask16, from) }
        }
        #[inline(always)]
        unsafe fn load_within(from: *const f32, first: usize, end: usize) -> Self {
            let before = |count: usize| (1_u32 << count) - 1;
            // SAFETY: as above; masked elements are not touched.
            unsafe { _mm512_maskz_loadu_ps((before(end) & !before(first)) as __mmask16, from) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: as above.
            unsafe { _mm512_storeu_ps(to, self) }
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut f32, count: usize) {
            // SAFETY: as above; masked elements are not touched.
            unsafe { _mm512_mask_storeu_ps(to, ((1_u32 << count) - 1) as __mmask16, self) }
        }
        #[inline(always)]
        unsafe fn store_apart(self, to: *mut f32, count: usize) {
            let even = |count: usize| (0x5555 & ((1_u32 << (2 * count)) - 1)) as __mmask16;
            // SAFETY: as above; masked elements are not touched.
            unsafe {
                let (low, high) = self.interleave(self);
                _mm512_mask_storeu_ps(to, even(count.min(8)), low);
                if count > 8 {
                    _mm512_mask_storeu_ps(to.add(16), even(count - 8), high);
                }
            }
        }
        #[inline(always)]
        unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_fmadd_ps(self, factor, sum) }
        }
        #[inline(always)]
        unsafe fn plus(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_add_ps(self, other) }
        }
        #[inline(always)]
        unsafe fn minus(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_sub_ps(self, other) }
        }
        #[inline(always)]
        unsafe fn at_least(self, least: Self) -> Self {
            // SAFETY: as above. The instruction returns the second operand where one is NaN or both are zeros.
            unsafe { _mm512_max_ps(least, self) }
        }
        #[inline(always)]
        unsafe fn at_most(self, most: Self) -> Self {
            // SAFETY: as above, and so does this one.
            unsafe { _mm512_min_ps(most, self) }
        }
        #[inline(always)]
        unsafe fn interleave(self, other: Self) -> (Self, Self) {
            // SAFETY: as above.
            unsafe {
                let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
                (_mm512_permutex2var_ps(self, low, other), _mm512_permutex2var_ps(self, high, other))
            }
        }
        #[inline(always)]
        unsafe fn deinterleave(self, other: Self) -> (Self, Self) {
            // SAFETY: as above.
            unsafe {
                let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
                let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
                (_mm512_permutex2var_ps(self, even, other), _mm512_permutex2var_ps(self, odd, other))
            }
        }
        #[inline(always)]
        unsafe fn rotated_up(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let x = _mm512_castps_si512(self);
                _mm512_castsi512_ps(_mm512_alignr_epi32::<15>(x, x))
            }
        }
        #[inline(always)]
        unsafe fn shifted_down_before(self, next: Self) -> Self {
            // SAFETY: as above.
            unsafe {
                let (x, next) = (_mm512_castps_si512(self), _mm512_castps_si512(next));
                _mm512_castsi512_ps(_mm512_alignr_epi32::<1>(next, x))
            }
        }
        #[inline(always)]
        unsafe fn splat_halves(lower: f32, upper: f32) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_mask_mov_ps(_mm512_set1_ps(lower), 0xff00, _mm512_set1_ps(upper)) }
        }
        #[inline(always)]
        unsafe fn load_halves(lower: *const f32, upper: *const f32, count: usize) -> Self {
            let mask = ((1_u32 << count) - 1) as __mmask16;
            // SAFETY: as above; masked elements are not touched.
            unsafe {
                let x = _mm512_maskz_loadu_ps(mask, lower);
                _mm512_mask_loadu_ps(x, mask << 8, upper.wrapping_sub(8))
            }
        }
        #[inline(always)]
        unsafe fn store_halves(self, lower: *mut f32, upper: *mut f32) {
            // SAFETY: as above.
            unsafe {
                _mm256_storeu_ps(lower, _mm512_castps512_ps256(self));
                _mm256_storeu_ps(upper, _mm512_extractf32x8_ps::<1>(self));
            }
        }
        #[inline(always)]
        unsafe fn store_first_of_halves(self, lower: *mut f32, upper: *mut f32, count: usize) {
            let mask = ((1_u32 << count) - 1) as __mmask16;
            // SAFETY: as above; masked elements are not touched.
            unsafe {
                _mm512_mask_storeu_ps(lower, mask, self);
                _mm512_mask_storeu_ps(upper.wrapping_sub(8), mask << 8, self);
            }
        }
        #[inline(always)]
        unsafe fn sum(self) -> f32 {
            // SAFETY: as above.
            unsafe { _mm512_reduce_add_ps(self) }
        }
        #[inline(always)]
        unsafe fn sums<const M: usize>(vectors: [Self; M]) -> [f32; M] {
            let mut sums = [0.0; M];
            // SAFETY: as above.
            unsafe {
                let fours = M - M % 4;
                for m in (0..fours).step_by(4) {
                    let four = four_sums([vectors[m], vectors[m + 1], vectors[m + 2], vectors[m + 3]]);
                    _mm_storeu_ps(sums[m..m + 4].as_mut_ptr(), four);
                }
                for m in fours..M {
                    sums[m] = vectors[m].sum();
                }
            }
            sums
        }
    }

    /// The sums of the elements of four vectors.
    ///
    /// # Safety
    /// The machine has AVX-512.
    #[inline(always)]
    unsafe fn four_sums([a, b, c, d]: [__m512; 4]) -> __m128 {
        // SAFETY: by the contract.
        unsafe {
            let ab = _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)));
            let cd = _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d)));
            let low = _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd));
            let all = _mm512_add_ps(low, _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd)));
            let half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps::<1>(all));
            _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps::<1>(half))
        }
    }

    /// A mask of the first `count` of eight elements.
    ///
    /// # Safety
    /// The machine has AVX2.
    #[inline(always)]
    unsafe fn first(count: usize) -> __m256i {
        // SAFETY: by the contract.
        unsafe {
            _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
        }
    }

    impl Lanes for __m256 {
        const LANES: usize = 8;

        #[inline(always)]
        unsafe fn splat(x: f32) -> Self {
            // SAFETY: by the contract; so in all functions below.
            unsafe { _mm256_set1_ps(x) }
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_loadu_ps(from) }
        }
        #[inline(always)]
        unsafe fn load_first(from: *const f32, count: usize) -> Self {
            // SAFETY: as above; masked elements are not touched.
            unsafe { _mm256_maskload_ps(from, first(count)) }
        }
        #[inline(always)]
        unsafe fn load_within(from: *const f32, begin: usize, end: usize) -> Self {
            // SAFETY: as above; masked elements are not touched.
            unsafe { _mm256_maskload_ps(from, _mm256_andnot_si256(first(begin), first(end))) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: as above.
            unsafe { _mm256_storeu_ps(to, self) }
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut f32, count: usize) {
            // SAFETY: as above; masked elements are not touched.
            unsafe { _mm256_maskstore_ps(to, first(count), self) }
        }
        #[inline(always)]
        unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_fmadd_ps(self, factor, sum) }
        }
        #[inline(always)]
        unsafe fn plus(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_add_ps(self, other) }
        }
        #[inline(always)]
        unsafe fn minus(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_sub_ps(self, other) }
        }
        #[inline(always)]
        unsafe fn at_least(self, least: Self) -> Self {
            // SAFETY: as above. The instruction returns the second operand where one is NaN or both are zeros.
            unsafe { _mm256_max_ps(least, self) }
        }
        #[inline(always)]
        unsafe fn at_most(self, most: Self) -> Self {
            // SAFETY: as above, and so does this one.
            unsafe { _mm256_min_ps(most, self) }
        }
        #[inline(always)]
        unsafe fn interleave(self, other: Self) -> (Self, Self) {
            // SAFETY: as above.
            unsafe {
                let (low, high) = (_mm256_unpacklo_ps(self, other), _mm256_unpackhi_ps(self, other));
                (_mm256_permute2f128_ps::<0x20>(low, high), _mm256_permute2f128_ps::<0x31>(low, high))
            }
        }
        #[inline(always)]
        unsafe fn deinterleave(self, other: Self) -> (Self, Self) {
            // SAFETY: as above.
            unsafe {
                let (low, high) = (
                    _mm256_permute2f128_ps::<0x20>(self, other),
                    _mm256_permute2f128_ps::<0x31>(self, other),
                );
                (_mm256_shuffle_ps::<0x88>(low, high), _mm256_shuffle_ps::<0xdd>(low, high))
            }
        }
        #[inline(always)]
        unsafe fn rotated_up(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_permutevar8x32_ps(self, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6)) }
        }
        #[inline(always)]
        unsafe fn shifted_down_before(self, next: Self) -> Self {
            // SAFETY: as above.
            unsafe {
                let x = _mm256_blend_ps::<0b0000_0001>(self, next);
                _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0))
            }
        }
        #[inline(always)]
        unsafe fn splat_halves(lower: f32, upper: f32) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_blend_ps::<0b1111_0000>(_mm256_set1_ps(lower), _mm256_set1_ps(upper)) }
        }
        #[inline(always)]
        unsafe fn load_halves(lower: *const f32, upper: *const f32, count: usize) -> Self {
            // SAFETY: as above; masked elements are not touched.
            unsafe {
                let mask = _mm256_castsi256_si128(first(count));
                _mm256_set_m128(_mm_maskload_ps(upper, mask), _mm_maskload_ps(lower, mask))
            }
        }
        #[inline(always)]
        unsafe fn store_halves(self, lower: *mut f32, upper: *mut f32) {
            // SAFETY: as above.
            unsafe {
                _mm_storeu_ps(lower, _mm256_castps256_ps128(self));
                _mm_storeu_ps(upper, _mm256_extractf128_ps::<1>(self));
            }
        }
        #[inline(always)]
        unsafe fn store_first_of_halves(self, lower: *mut f32, upper: *mut f32, count: usize) {
            // SAFETY: as above; masked elements are not touched.
            unsafe {
                let mask = _mm256_castsi256_si128(first(count));
                _mm_maskstore_ps(lower, mask, _mm256_castps256_ps128(self));
                _mm_maskstore_ps(upper, mask, _mm256_extractf128_ps::<1>(self));
            }
        }
        #[inline(always)]
        unsafe fn sum(self) -> f32 {
            // SAFETY: as above.
            unsafe {
                let half = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
                let pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
                _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)))
            }
        }
    }
}

/// Rows and vectors of a tile of sums that 16 registers hold, beside a row of factors and one more: of four by three one would
/// lie in memory.
pub const TILE_16: (usize, usize) = (6, 2);
/// As [`TILE_16`], of 32 registers.
pub const TILE_32: (usize, usize) = (8, 3);
/// As [`TILE_16`], of microcontrollers, which have no vectors. Programs for them are optimised for their size, where loops over a tile
/// are not unrolled.
pub const TILE_SCALAR: (usize, usize) = (1, 1);
/// That of the machine the crate is compiled for.
pub const TILE: (usize, usize) = match () {
    () if cfg!(target_arch = "aarch64") => TILE_32,
    () if cfg!(target_os = "none") => TILE_SCALAR,
    () => TILE_16,
};

/// Declares a function that runs `$body::<V, ROWS, VECTORS>`, `V` being the vectors of the machine it finds itself on,
/// `ROWS` and `VECTORS` the size of a tile of such vectors that its registers hold.
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
            unsafe { $body::<[f32; 4], { $crate::simd::TILE.0 }, { $crate::simd::TILE.1 }>($($arg),*) }
        }
    };
}
pub(crate) use with_lanes;
