//! 16 intervals, for AVX-512: polynomials of degree 5.

use crate::simd::{LANES, Run};
use core::arch::x86_64::*;

/// Width of an interval; interval `k` lies around `k WIDTH`. A product with a small whole number is exact.
const WIDTH: f32 = 265.0 / 1024.0;
/// From here on the result is 1.
const END: f32 = 4.0;

/// Coefficients by interval, highest power first.
#[allow(clippy::approx_constant)] // One is near 2 / sqrt(pi), and fitted all the same.
const COEFFICIENTS: [[f32; LANES]; 6] = [
    [
        0.0,
        -0.036_583_275,
        -0.049_773_276,
        -0.035_402_216,
        -0.008_944_192,
        0.010_828_933,
        0.017_174_939,
        0.013_623_539,
        0.007_110_4,
        0.002_315_517_3,
        -0.000_173_723_24,
        -0.000_821_449_7,
        -0.000_847_421_7,
        -0.000_612_276,
        -0.000_420_502_77,
        -0.000_282_131_02,
    ],
    [
        0.111_519_53,
        0.086_509_28,
        0.028_292_337,
        -0.029_205_07,
        -0.057_954_97,
        -0.055_343_41,
        -0.036_155_768,
        -0.015_024_826,
        -0.001_893_962_7,
        0.003_789_057_5,
        0.005_207_253,
        0.004_328_646_7,
        0.003_312_050_6,
        0.002_365_983,
        0.001_515_501_9,
        0.001_138_008_2,
    ],
    [
        0.0,
        0.107_820_81,
        0.169_020_18,
        0.166_461_63,
        0.117_769_53,
        0.056_318_954,
        0.008_123_927,
        -0.017_967_144,
        -0.026_071_968,
        -0.024_412_453,
        -0.019_446_563,
        -0.014_485_404,
        -0.010_581_93,
        -0.007_772_647,
        -0.005_797_988_7,
        -0.004_403_332_7,
    ],
    [
        -0.376_108_65,
        -0.332_536_13,
        -0.221_061_68,
        -0.086_937_57,
        0.025_330_046,
        0.092_703_52,
        0.116_379_51,
        0.111_150_93,
        0.093_162_19,
        0.073_183_35,
        0.056_080_267,
        0.042_963_777,
        0.033_306_95,
        0.026_245_24,
        0.021_026_246,
        0.017_095_337,
    ],
    [
        0.0,
        -0.187_036_05,
        -0.332_361_88,
        -0.411_968_9,
        -0.426_258_56,
        -0.393_636_26,
        -0.337_908_74,
        -0.278_155,
        -0.225_012_9,
        -0.182_024_6,
        -0.148_740_72,
        -0.123_275_27,
        -0.103_667_386,
        -0.088_348_78,
        -0.076_181_31,
        -0.066_362_86,
    ],
    [
        1.128_379_1,
        1.103_687_4,
        1.035_226_7,
        0.937_408_57,
        0.827_689_05,
        0.720_847_6,
        0.625_928_5,
        0.546_274_66,
        0.481_370_33,
        0.428_925_78,
        0.386_317_58,
        0.351_266_5,
        0.322_008_97,
        0.297_241_8,
        0.276_010_7,
        0.257_610_05,
    ],
];

/// `erf(x)`, or `x (1 + erf(x / sqrt 2)) / 2` for `GELU`, of every element of a run; erf within 3 ulp.
#[target_feature(enable = "avx512f,avx512dq")]
pub fn run<const GELU: bool>(run: &Run<1>) {
    let (operand, out) = (run.check::<f32>(0), run.check_out::<f32>());
    for start in (0..run.len()).step_by(LANES) {
        let left = (run.len() - start).min(LANES);
        let present = ((1_u32 << left) - 1) as __mmask16;
        let from = operand.start.cast::<f32>().wrapping_add(if operand.repeated { 0 } else { start });
        // SAFETY: `present` names elements of the operand, or the one that it repeats.
        let x = unsafe {
            if operand.repeated { _mm512_set1_ps(*from) } else { _mm512_maskz_loadu_ps(present, from) }
        };
        let result = if GELU { gelu(x) } else { erf(x) };
        // SAFETY: `present` has offsets within the run.
        unsafe { _mm512_mask_storeu_ps(out.wrapping_add(start), present, result) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub fn gelu(x: __m512) -> __m512 {
    let scaled = _mm512_mul_ps(x, _mm512_set1_ps(core::f32::consts::FRAC_1_SQRT_2));
    let sum = _mm512_add_ps(_mm512_set1_ps(1.0), erf(scaled));
    _mm512_mul_ps(_mm512_mul_ps(x, _mm512_set1_ps(0.5)), sum)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub fn erf(x: __m512) -> __m512 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    let magnitude = _mm512_abs_ps(x);
    // The second operand is the result if one is NaN.
    let t = _mm512_min_ps(_mm512_set1_ps(END), magnitude);
    let shifted = _mm512_fmadd_ps(t, _mm512_set1_ps(1.0 / WIDTH), _mm512_set1_ps(ROUND));
    let interval = _mm512_castps_si512(shifted);
    let middle = _mm512_sub_ps(shifted, _mm512_set1_ps(ROUND));
    let from_middle = _mm512_fnmadd_ps(middle, _mm512_set1_ps(WIDTH), t);
    // SAFETY: rows of the table have as many elements as a register.
    let look_up =
        |row: &[f32; LANES]| unsafe { _mm512_permutexvar_ps(interval, _mm512_loadu_ps(row.as_ptr())) };
    let mut g = look_up(&COEFFICIENTS[0]);
    for row in &COEFFICIENTS[1..] {
        g = _mm512_fmadd_ps(g, from_middle, look_up(row));
    }
    // Rounding must not lead beyond 1.
    let result = _mm512_min_ps(_mm512_set1_ps(1.0), _mm512_mul_ps(t, g));
    _mm512_or_ps(result, _mm512_and_ps(x, _mm512_set1_ps(-0.0)))
}
