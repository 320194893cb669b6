use super::exponential::{near_exp, scaled};
use super::logarithm::parts;
use super::{infinity, is_nan, is_negative, magnitude, nan, opposite, upper};
use cubecl::prelude::*;

/// `x^y` for positive finite `x` and finite `y`: `2^(y log2(x))`, with a logarithm of more digits than a
/// number has, as a sum of two.
#[cube]
fn power_of_positive(x: f64, y: f64) -> f64 {
    // log(m) = 2 artanh(s) with s = f / d, f = m - 1, d = m + 1.
    let (k, m) = parts(x);
    let f = m - 1.0f64;
    let d_high = upper(m + 1.0f64);
    let d_low = m - (d_high - 1.0f64);
    let s = f / (m + 1.0f64);
    let s_high = upper(s);
    let s_low = ((f - s_high * d_high) - s_high * d_low) / (m + 1.0f64);
    // 3 artanh(s) / s = 3 + s^2 + r.
    let z = s * s;
    let square = s_high * s_high;
    let r = z * 0.111_111_111_111_111_1f64 + 0.12f64;
    let r = r * z + 0.130_434_782_608_695_65f64;
    let r = r * z + 0.142_857_142_857_142_85f64;
    let r = r * z + 0.157_894_736_842_105_25f64;
    let r = r * z + 0.176_470_588_235_294_13f64;
    let r = r * z + 0.2f64;
    let r = r * z + 0.230_769_230_769_230_78f64;
    let r = r * z + 0.272_727_272_727_272_7f64;
    let r = r * z + 0.333_333_333_333_333_3f64;
    let r = r * z + 0.428_571_428_571_428_55f64;
    let r = r * z + 0.6f64;
    let r = r * (z * z) + s_low * (s_high + s);
    let t_high = upper(3.0f64 + (square + r));
    let t_low = r - ((t_high - 3.0f64) - square);
    let product = s_high * t_high;
    let rest = s_low * t_high + t_low * s;
    let p_high = upper(product + rest);
    let p_low = rest - (p_high - product);
    // Times 2 / (3 ln 2).
    let z_high = p_high * 0.961_796_686_053_276_1f64;
    let z_low = p_high * 7.872_699_542_894_897e-9f64 + p_low * 0.961_796_693_925_975_6f64;
    let log_high = upper(k + (z_high + z_low));
    let log_low = z_low - ((log_high - k) - z_high);
    // Exponents that are larger are far beyond both ends for every base but 1.
    let y = select(y > 1e22f64, 1e22f64, y);
    let y = select(y < -1e22f64, -1e22f64, y);
    let y_high = upper(y);
    let main = y_high * log_high;
    let more = (y - y_high) * log_high + y * log_low;
    let is_far = magnitude(main) > 1200.0f64;
    let far = select(main > 0.0f64, 1200.0f64, -1200.0f64);
    let main = select(is_far, far, main);
    let more = select(is_far, 0.0f64, more);
    let whole = (main + more + 0.5f64).floor();
    let left = (main - whole) + more;
    scaled(near_exp(left * 0.693_147_180_559_945_3f64), i32::cast_from(whole))
}

/// `x^y` as IEEE 754 says.
#[cube]
pub fn pow(x: f64, y: f64) -> f64 {
    let a = magnitude(x);
    let b = magnitude(y);
    let plain = power_of_positive(
        select(a == 0.0f64 || a >= infinity(), 1.0f64, a),
        select(b >= infinity(), 1.0f64, y),
    );
    let whole = b >= 4_503_599_627_370_496.0f64 || y == y.trunc();
    let half = y * 0.5f64;
    let odd = whole && b < 9_007_199_254_740_992.0f64 && half != half.trunc();
    // A base of zero or infinity, or an infinite exponent.
    let grows = (a > 1.0f64) == (y > 0.0f64);
    let limit = select(grows, infinity(), 0.0f64);
    let edge = a == 0.0f64 || a >= infinity();
    let result = select(edge || (b >= infinity() && a != 1.0f64), limit, plain);
    let result = select(b >= infinity() && a == 1.0f64, 1.0f64, result);
    let result = select(is_negative(x) && odd, opposite(result), result);
    let result = select(x < 0.0f64 && a < infinity() && b < infinity() && !whole, nan(), result);
    let result = select(is_nan(x) || is_nan(y), nan(), result);
    select(x == 1.0f64 || y == 0.0f64, 1.0f64, result)
}

/// `sqrt(x^2 + y^2)` without overflow on the way.
#[cube]
pub fn length(x: f64, y: f64) -> f64 {
    let (a, b) = (magnitude(x), magnitude(y));
    let large = select(a > b, a, b);
    // Powers of two: 2^600 and its inverse.
    let factor = select(large > 1e150f64, 2.409_919_865_102_884e-181f64, 1.0f64);
    let factor = select(large < 1e-150f64, 4.149_515_568_880_993e180f64, factor);
    let (wide, high) = (a * factor, b * factor);
    let result = (wide * wide + high * high).sqrt() / factor;
    let result = select(is_nan(x) || is_nan(y), nan(), result);
    select(a == infinity() || b == infinity(), infinity(), result)
}
