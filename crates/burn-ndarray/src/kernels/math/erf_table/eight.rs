//! 8 intervals, for AVX2: polynomials of degree 6.

use crate::simd::{LANES, Run};
use core::arch::x86_64::*;
use core::ptr;

/// Elements of a register.
const WIDE: usize = 8;
/// Width of an interval; interval `k` lies around `k WIDTH`. A product with a small whole number is exact.
const WIDTH: f32 = 17.0 / 32.0;
/// From here on the result is 1.
const END: f32 = 127.0 / 32.0;

/// Coefficients by interval, highest power first.
#[allow(clippy::approx_constant)] // One is near 2 / sqrt(pi), and fitted all the same.
const COEFFICIENTS: [[f32; WIDE]; 7] = [
    [
        -0.024_594_11,
        0.001_744_373_8,
        0.016_194_059,
        -0.000_559_528_7,
        -0.003_622_716_8,
        -0.000_509_426_23,
        -0.000_124_895_39,
        0.000_273_114_45,
    ],
    [
        0.0,
        -0.048_584_68,
        -0.006_653_863_5,
        0.016_838_258,
        0.005_997_364_4,
        -0.000_387_820_7,
        -0.000_767_542_1,
        -0.000_373_480_8,
    ],
    [
        0.112_615_05,
        0.024_603_99,
        -0.059_672_568,
        -0.032_456_39,
        -0.000_040_695_522,
        0.004_982_465_4,
        0.002_912_071_5,
        0.001_378_550_4,
    ],
    [
        0.0,
        0.170_412_05,
        0.111_316_51,
        0.002_524_892_3,
        -0.026_274_106,
        -0.018_066_32,
        -0.009_583_917,
        -0.005_225_816,
    ],
    [
        -0.376_119_2,
        -0.214_094_42,
        0.034_735_65,
        0.117_024_78,
        0.088_862_896,
        0.052_237_432,
        0.030_828_772,
        0.019_444_635,
    ],
    [
        0.0,
        -0.338_310_9,
        -0.424_613_7,
        -0.328_331_1,
        -0.215_058_07,
        -0.141_339_27,
        -0.098_409_35,
        -0.072_310_97,
    ],
    [
        1.128_379_1,
        1.030_641_8,
        0.816_054_8,
        0.612_265_2,
        0.469_339_28,
        0.376_405_72,
        0.313_723_44,
        0.268_907_52,
    ],
];

/// `erf(x)`, or `x (1 + erf(x / sqrt 2)) / 2` for `GELU`, of every element of a run; erf within 3 ulp.
#[target_feature(enable = "avx2,fma")]
pub fn run<const GELU: bool>(run: &Run<1>) {
    let (operand, out) = (run.check::<f32>(0), run.check_out::<f32>());
    for start in (0..run.len()).step_by(LANES) {
        let left = (run.len() - start).min(LANES);
        let (from, to) = (operand.start.cast::<f32>(), out.wrapping_add(start));
        if left == LANES && !operand.repeated {
            // SAFETY: as many elements may be read and written.
            unsafe { block::<GELU>(from.wrapping_add(start), to) };
            continue;
        }
        let mut spare = [0.0; LANES];
        // SAFETY: `left` elements of the operand may be read, or the one that it repeats; as many may be
        // written.
        unsafe {
            if operand.repeated {
                spare = [from.read(); LANES];
            } else {
                ptr::copy_nonoverlapping(from.wrapping_add(start), spare.as_mut_ptr(), left);
            }
            block::<GELU>(spare.as_ptr(), spare.as_mut_ptr());
            ptr::copy_nonoverlapping(spare.as_ptr(), to, left);
        }
    }
}

/// Two registers, so that one computes while the other waits.
///
/// # Safety
/// `LANES` elements may be read, and as many written.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn block<const GELU: bool>(from: *const f32, to: *mut f32) {
    // SAFETY: by the contract.
    let x = unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.wrapping_add(WIDE))] };
    let [low, high] = if GELU { gelu(x) } else { erf(x) };
    // SAFETY: by the contract.
    unsafe {
        _mm256_storeu_ps(to, low);
        _mm256_storeu_ps(to.wrapping_add(WIDE), high);
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn gelu(x: [__m256; 2]) -> [__m256; 2] {
    let scale = |x| _mm256_mul_ps(x, _mm256_set1_ps(core::f32::consts::FRAC_1_SQRT_2));
    let result = |x, erf| {
        let sum = _mm256_add_ps(_mm256_set1_ps(1.0), erf);
        _mm256_mul_ps(_mm256_mul_ps(x, _mm256_set1_ps(0.5)), sum)
    };
    let [low, high] = erf([scale(x[0]), scale(x[1])]);
    [result(x[0], low), result(x[1], high)]
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn erf(x: [__m256; 2]) -> [__m256; 2] {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    let sign = _mm256_set1_ps(-0.0);
    // The second operand is the result if one is NaN.
    let magnitude = |x| _mm256_min_ps(_mm256_set1_ps(END), _mm256_andnot_ps(sign, x));
    let t = [magnitude(x[0]), magnitude(x[1])];
    let shift = |t| _mm256_fmadd_ps(t, _mm256_set1_ps(1.0 / WIDTH), _mm256_set1_ps(ROUND));
    let shifted = [shift(t[0]), shift(t[1])];
    let distance = |k: usize| {
        let middle = _mm256_sub_ps(shifted[k], _mm256_set1_ps(ROUND));
        _mm256_fnmadd_ps(middle, _mm256_set1_ps(WIDTH), t[k])
    };
    let from_middle = [distance(0), distance(1)];
    let look_up = |row: &[f32; WIDE], k: usize| {
        // SAFETY: rows of the table have as many elements as a register.
        let row = unsafe { _mm256_loadu_ps(row.as_ptr()) };
        // The low three bits say which.
        _mm256_permutevar8x32_ps(row, _mm256_castps_si256(shifted[k]))
    };
    let mut g = [look_up(&COEFFICIENTS[0], 0), look_up(&COEFFICIENTS[0], 1)];
    for row in &COEFFICIENTS[1..] {
        g = [
            _mm256_fmadd_ps(g[0], from_middle[0], look_up(row, 0)),
            _mm256_fmadd_ps(g[1], from_middle[1], look_up(row, 1)),
        ];
    }
    let result = |k: usize| {
        // Rounding must not lead beyond 1.
        let result = _mm256_min_ps(_mm256_set1_ps(1.0), _mm256_mul_ps(t[k], g[k]));
        _mm256_or_ps(result, _mm256_and_ps(x[k], sign))
    };
    [result(0), result(1)]
}
