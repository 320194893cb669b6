//! AVX2, and AVX-512 with its products of bytes (VNNI), on 256 bits.

use super::unit::Unit;
use core::arch::x86_64::*;

/// The unit of x86-64-v3.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;

/// The unit of machines with `avx512vnni` and `avx512vl`.
#[derive(Clone, Copy, Debug)]
pub struct Vnni;

/// Indices of bytes that put scale `2 index` into the upper bytes of the eight words of the lower half, and
/// the next one into those of the upper half.
const WORDS: [[u8; 32]; 8] = {
    let mut all = [[0x80; 32]; 8];
    let mut at = 0;
    while at < 8 * 32 {
        if at % 2 == 1 {
            all[at / 32][at % 32] = (at / 32 * 2 + at % 32 / 16) as u8;
        }
        at += 1;
    }
    all
};

/// As [`WORDS`], for the eight `i32` of half of the scales.
const LONGS: [[i32; 8]; 4] = {
    let mut all = [[0; 8]; 4];
    let mut at = 0;
    while at < 4 * 8 {
        all[at / 8][at % 8] = (at / 8 * 2 + at % 8 / 4) as i32;
        at += 1;
    }
    all
};

/// Methods that both units share. SAFETY of every block: the machine has AVX2, FMA and F16C, as [`Unit`]
/// asks for, and pointers are of arrays of the size that is read.
macro_rules! shared {
    () => {
        type Bytes = __m256i;
        type Half = __m128i;
        type Ints = __m256i;
        type Floats = __m256;

        #[inline(always)]
        fn load(bytes: &[u8; 32]) -> __m256i {
            // SAFETY: see the macro.
            unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
        }
        #[inline(always)]
        fn load_codes(codes: &[i8; 32]) -> __m256i {
            // SAFETY: see the macro.
            unsafe { _mm256_loadu_si256(codes.as_ptr().cast()) }
        }
        #[inline(always)]
        fn nibbles(bytes: &[u8; 16]) -> __m256i {
            // SAFETY: see the macro.
            unsafe {
                let low = _mm_loadu_si128(bytes.as_ptr().cast());
                let both = _mm256_set_m128i(_mm_srli_epi16::<4>(low), low);
                _mm256_and_si256(both, _mm256_set1_epi8(15))
            }
        }
        #[inline(always)]
        fn right<const RIGHT: i32>(x: __m256i, mask: u8) -> __m256i {
            // SAFETY: see the macro.
            unsafe { _mm256_and_si256(_mm256_srli_epi16::<RIGHT>(x), _mm256_set1_epi8(mask.cast_signed())) }
        }
        #[inline(always)]
        fn left<const LEFT: i32>(x: __m256i, mask: u8) -> __m256i {
            // SAFETY: see the macro.
            unsafe { _mm256_and_si256(_mm256_slli_epi16::<LEFT>(x), _mm256_set1_epi8(mask.cast_signed())) }
        }
        #[inline(always)]
        fn or(x: __m256i, y: __m256i) -> __m256i {
            // SAFETY: see the macro.
            unsafe { _mm256_or_si256(x, y) }
        }
        #[inline(always)]
        fn load_half(bytes: &[u8; 16]) -> __m128i {
            // SAFETY: see the macro.
            unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
        }
        #[inline(always)]
        fn words(words: [u32; 4]) -> __m128i {
            let [a, b, c, d] = words.map(u32::cast_signed);
            // SAFETY: see the macro.
            unsafe { _mm_set_epi32(d, c, b, a) }
        }
        #[inline(always)]
        fn twice([low, high]: [u32; 2]) -> __m128i {
            let both = u64::from(high) << 32 | u64::from(low);
            // SAFETY: see the macro.
            unsafe {
                let x = _mm_cvtsi64_si128(both.cast_signed());
                _mm_unpacklo_epi8(x, x)
            }
        }
        #[inline(always)]
        fn nibbles_of_half<const RIGHT: i32>(x: __m128i) -> __m128i {
            // SAFETY: see the macro.
            unsafe { _mm_and_si128(_mm_srli_epi16::<RIGHT>(x), _mm_set1_epi8(15)) }
        }
        #[inline(always)]
        fn subtract(x: __m128i, y: i8) -> __m128i {
            // SAFETY: see the macro.
            unsafe { _mm_sub_epi8(x, _mm_set1_epi8(y)) }
        }
        #[inline(always)]
        fn dot_signed(weights: __m256i, x: __m256i) -> __m256i {
            // SAFETY: see the macro.
            unsafe { Self::dot(_mm256_abs_epi8(weights), _mm256_sign_epi8(x, weights)) }
        }
        #[inline(always)]
        fn no_ints() -> __m256i {
            // SAFETY: see the macro.
            unsafe { _mm256_setzero_si256() }
        }
        #[inline(always)]
        fn dot_sums(scales: __m128i, sums: &[i16; 16]) -> __m256i {
            // SAFETY: see the macro.
            unsafe {
                let scales = _mm256_cvtepi8_epi16(scales);
                _mm256_madd_epi16(scales, _mm256_loadu_si256(sums.as_ptr().cast()))
            }
        }
        #[inline(always)]
        fn float16(bytes: [u8; 2]) -> __m256 {
            let bits = u16::from_le_bytes(bytes).cast_signed();
            // SAFETY: see the macro.
            unsafe { _mm256_cvtph_ps(_mm_set1_epi16(bits)) }
        }
        #[inline(always)]
        fn splat(x: f32) -> __m256 {
            // SAFETY: see the macro.
            unsafe { _mm256_set1_ps(x) }
        }
        #[inline(always)]
        fn multiply(x: __m256, y: __m256) -> __m256 {
            // SAFETY: see the macro.
            unsafe { _mm256_mul_ps(x, y) }
        }
        #[inline(always)]
        fn add_scaled(sums: __m256, x: __m256i, scale: __m256) -> __m256 {
            // SAFETY: see the macro.
            unsafe { _mm256_fmadd_ps(_mm256_cvtepi32_ps(x), scale, sums) }
        }
        #[inline(always)]
        fn multiply_add(sums: __m256, x: __m256, y: __m256) -> __m256 {
            // SAFETY: see the macro.
            unsafe { _mm256_fmadd_ps(x, y, sums) }
        }
        #[inline(always)]
        fn add(x: __m256, y: __m256) -> __m256 {
            // SAFETY: see the macro.
            unsafe { _mm256_add_ps(x, y) }
        }
        #[inline(always)]
        fn sum(x: __m256) -> f32 {
            // SAFETY: see the macro.
            unsafe {
                let x = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
                let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
                _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)))
            }
        }
    };
}

impl Unit for Avx2 {
    shared!();
    /// All scales, in both halves.
    type Scales = __m256i;
    type Scale = __m256i;

    #[inline(always)]
    fn bits(bits: u32, value: u8) -> __m256i {
        // SAFETY: see the macro.
        unsafe {
            let bytes =
                _mm256_set_epi64x(0x0303_0303_0303_0303, 0x0202_0202_0202_0202, 0x0101_0101_0101_0101, 0);
            let own = _mm256_shuffle_epi8(_mm256_set1_epi32(bits.cast_signed()), bytes);
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
            let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(own, bit), bit);
            _mm256_and_si256(is_set, _mm256_set1_epi8(value.cast_signed()))
        }
    }
    /// Sums of two products fit 16 bits: the largest code is 128, and the largest activation 127.
    #[inline(always)]
    fn dot(weights: __m256i, x: __m256i) -> __m256i {
        // SAFETY: see the macro.
        unsafe { _mm256_madd_epi16(_mm256_maddubs_epi16(weights, x), _mm256_set1_epi16(1)) }
    }
    #[inline(always)]
    fn scales(scales: __m128i) -> __m256i {
        // SAFETY: see the macro.
        unsafe { _mm256_broadcastsi128_si256(scales) }
    }
    #[inline(always)]
    fn scale(scales: __m256i, index: usize) -> __m256i {
        // SAFETY: see the macro.
        unsafe { _mm256_srai_epi16::<8>(_mm256_shuffle_epi8(scales, Self::load(&WORDS[index]))) }
    }
    #[inline(always)]
    fn dot_scaled(sums: __m256i, weights: __m256i, x: __m256i, scale: __m256i) -> __m256i {
        // SAFETY: see the macro.
        unsafe { _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_maddubs_epi16(weights, x), scale)) }
    }
}

/// SAFETY of every block: as for [`shared`], and the machine has AVX-512 VNNI and VL.
impl Unit for Vnni {
    shared!();
    type Scales = [__m256i; 2];
    type Scale = __m256i;

    #[inline(always)]
    fn bits(bits: u32, value: u8) -> __m256i {
        // SAFETY: see the implementation.
        unsafe { _mm256_maskz_set1_epi8(bits, value.cast_signed()) }
    }
    #[inline(always)]
    fn dot(weights: __m256i, x: __m256i) -> __m256i {
        // SAFETY: see the implementation.
        unsafe { _mm256_dpbusd_epi32(_mm256_setzero_si256(), weights, x) }
    }
    #[inline(always)]
    fn scales(scales: __m128i) -> [__m256i; 2] {
        // SAFETY: see the implementation.
        unsafe { [_mm256_cvtepi8_epi32(scales), _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(scales, scales))] }
    }
    #[inline(always)]
    fn scale(scales: [__m256i; 2], index: usize) -> __m256i {
        // SAFETY: see the implementation.
        unsafe {
            let places = _mm256_loadu_si256(LONGS[index % 4].as_ptr().cast());
            _mm256_permutevar8x32_epi32(scales[index / 4], places)
        }
    }
    #[inline(always)]
    fn dot_scaled(sums: __m256i, weights: __m256i, x: __m256i, scale: __m256i) -> __m256i {
        // SAFETY: see the implementation.
        unsafe { _mm256_add_epi32(sums, _mm256_mullo_epi32(Self::dot(weights, x), scale)) }
    }
}
