use super::{copy_sign, is_nan, is_negative, magnitude, nan};
use cubecl::prelude::*;

/// `pi/2 - t`, of two parts of pi/2.
#[cube]
fn to_quarter(t: f64) -> f64 {
    1.570_796_326_794_896_6f64 - (t - 6.123_233_995_736_766e-17f64)
}

/// Arc tangent of `x` in `[0, 1]`.
#[cube]
fn atan_of_ratio(x: f64) -> f64 {
    // From the nearest of 0, 1/2 and 1: atan(x) = atan(c) + atan((x - c) / (1 + c x)).
    let c = select(x > 0.25f64, 0.5f64, 0.0f64);
    let c = select(x > 0.75f64, 1.0f64, c);
    let t = (x - c) / (1.0f64 + c * x);
    let z = t * t;
    let p = z * 0.034_482_758_620_689_655f64 - 0.037_037_037_037_037_035f64;
    let p = p * z + 0.04f64;
    let p = p * z - 0.043_478_260_869_565_216f64;
    let p = p * z + 0.047_619_047_619_047_616f64;
    let p = p * z - 0.052_631_578_947_368_42f64;
    let p = p * z + 0.058_823_529_411_764_705f64;
    let p = p * z - 0.066_666_666_666_666_67f64;
    let p = p * z + 0.076_923_076_923_076_93f64;
    let p = p * z - 0.090_909_090_909_090_91f64;
    let p = p * z + 0.111_111_111_111_111_1f64;
    let p = p * z - 0.142_857_142_857_142_85f64;
    let p = p * z + 0.2f64;
    let p = p * z - 0.333_333_333_333_333_3f64;
    let high = select(c == 0.5f64, 0.463_647_609_000_806_1f64, 0.0f64);
    let low = select(c == 0.5f64, 2.269_877_745_296_168_7e-17f64, 0.0f64);
    let high = select(c == 1.0f64, 0.785_398_163_397_448_3f64, high);
    let low = select(c == 1.0f64, 3.061_616_997_868_383e-17f64, low);
    high + (t + (p * z * t + low))
}

#[cube]
pub fn atan(x: f64) -> f64 {
    let a = magnitude(x);
    let steep = a > 1.0f64;
    let t = atan_of_ratio(select(steep, 1.0f64 / a, a));
    let t = select(steep, to_quarter(t), t);
    select(is_nan(x), x, copy_sign(t, x))
}

/// Angle of the point `(x, y)`.
#[cube]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (a, b) = (magnitude(y), magnitude(x));
    let small = select(a > b, b, a);
    let large = select(a > b, a, b);
    // Both infinite, or both zero.
    let equal = select(large == 0.0f64, 0.0f64, 1.0f64);
    let ratio = select(small == large, equal, small / large);
    let t = atan_of_ratio(ratio);
    let t = select(a > b, to_quarter(t), t);
    let far = 3.141_592_653_589_793f64 - (t - 1.224_646_799_147_353_2e-16f64);
    let t = select(is_negative(x), far, t);
    select(is_nan(x) || is_nan(y), nan(), copy_sign(t, y))
}

#[cube]
pub fn asin(x: f64) -> f64 {
    let a = magnitude(x);
    let t = 2.0f64 * atan_of_ratio(a / (1.0f64 + ((1.0f64 - a) * (1.0f64 + a)).sqrt()));
    select(is_nan(x) || a > 1.0f64, nan(), copy_sign(t, x))
}

#[cube]
pub fn acos(x: f64) -> f64 {
    // By -1 the quotient is infinite, whose arc tangent is right.
    let t = 2.0f64 * atan(((1.0f64 - x) / (1.0f64 + x)).sqrt());
    select(is_nan(x) || magnitude(x) > 1.0f64, nan(), t)
}
