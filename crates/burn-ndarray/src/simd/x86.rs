//! Vectors of x86: of 16 elements with AVX-512, and of 8 with AVX2 and FMA.

use super::lanes::Lanes;
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
    unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) }
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
            let (low, high) =
                (_mm256_permute2f128_ps::<0x20>(self, other), _mm256_permute2f128_ps::<0x31>(self, other));
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
