use super::{infinity, is_nan, nan};
use cubecl::prelude::*;

/// `k` and `m` of `x = 2^k m`, `m` between the roots of 1/2 and of 2, for positive finite `x`.
#[cube]
pub(super) fn parts(x: f64) -> (f64, f64) {
    let small = x < 2.225_073_858_507_201_4e-308f64;
    let scaled = select(small, x * 18_014_398_509_481_984.0f64, x);
    let bits = u64::reinterpret(scaled) - 0x3fe6_a09e_667f_3bcdu64;
    let k = i64::reinterpret(bits) >> 52i64;
    let m = f64::reinterpret((bits & 0x000f_ffff_ffff_ffffu64) + 0x3fe6_a09e_667f_3bcdu64);
    (f64::cast_from(k) - select(small, 54.0f64, 0.0f64), m)
}

/// Natural logarithm.
#[cube]
pub fn log(x: f64) -> f64 {
    let (k, m) = parts(x);
    let result = log_of_sum(m - 1.0f64, k);
    let result = select(x >= infinity(), x, result);
    let result = select(x == 0.0f64, -infinity(), result);
    select(x < 0.0f64 || is_nan(x), nan(), result)
}

/// `log(1 + f) + k ln 2` for small `f`: with `s = f / (2 + f)`, the logarithm is `2 artanh(s)`.
#[cube]
fn log_of_sum(f: f64, k: f64) -> f64 {
    let s = f / (2.0f64 + f);
    let z = s * s;
    let r = z * 0.086_956_521_739_130_43f64 + 0.095_238_095_238_095_23f64;
    let r = r * z + 0.105_263_157_894_736_84f64;
    let r = r * z + 0.117_647_058_823_529_41f64;
    let r = r * z + 0.133_333_333_333_333_33f64;
    let r = r * z + 0.153_846_153_846_153_85f64;
    let r = r * z + 0.181_818_181_818_181_82f64;
    let r = r * z + 0.222_222_222_222_222_2f64;
    let r = r * z + 0.285_714_285_714_285_7f64;
    let r = r * z + 0.4f64;
    let r = r * z + 0.666_666_666_666_666_6f64;
    let r = r * z;
    let half = 0.5f64 * f * f;
    let low = k * 1.908_214_929_270_587_7e-10f64;
    k * 0.693_147_180_369_123_8f64 + (f - (half - (s * (half + r) + low)))
}

/// `log(1 + x)`, also near 0.
#[cube]
pub fn log1p(x: f64) -> f64 {
    // Near 0 the series needs no sum; elsewhere the logarithm hides what the sum loses by rounding.
    let near = log_of_sum(x, 0.0f64);
    let result = select(x > -0.29f64 && x < 0.41f64, near, log(1.0f64 + x));
    select(x == 0.0f64, x, result)
}
