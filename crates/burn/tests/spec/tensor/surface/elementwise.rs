//! functions of each element and along a dimension. Values by scripts/surface_values.py.

use crate::expect::{exactly, nearly, panics};
use crate::given::{float, int};
use crate::slopes;
use burn::tensor::{DType, Tensor};
use std::f64::consts::{LN_2, LOG10_2, SQRT_2};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;
const X: [f64; 7] = [-3.5, -1.0, -0.25, 0.0, 0.25, 1.0, 2.5];
const POSITIVE: [f64; 6] = [0.5, 1.0, 1.5, 2.0, 8.0, 1000.0];

#[test]
fn x_001_inverse_hyperbolic_functions() {
    nearly(
        float::<1>(X).asinh(),
        [
            -1.9657204716496515,
            -0.881373587019543,
            -0.24746646154726346,
            0.0,
            0.24746646154726346,
            0.881373587019543,
            1.6472311463710958,
        ],
    );
    nearly(
        float::<1>(POSITIVE).acosh(),
        [f64::NAN, 0.0, 0.9624236501192069, 1.3169578969248166, 2.7686593833135738, 7.600902209541989],
    );
    nearly(
        float::<1>([-1.0, -0.5, 0.0, 0.25, 1.0, 1.5]).atanh(),
        [f64::NEG_INFINITY, -0.5493061443340548, 0.0, 0.25541281188299536, f64::INFINITY, f64::NAN],
    );
    slopes::agree([-0.5, 0.1, 0.7], |x: Tensor<_, 1>| {
        x.clone().asinh() + (x.clone() + 2).acosh() + x.atanh()
    });
}

#[test]
fn x_002_parts_of_numbers() {
    exactly(float::<1>(X).trunc(), [-3.0, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0]);
    exactly(float::<1>(X).frac(), [-0.5, 0.0, -0.25, 0.0, 0.25, 0.0, 0.5]);
    exactly(
        float::<1>([7.0, -7.0, 7.0, -7.0, 5.5]).fmod(float([3.0, 3.0, -3.0, -3.0, 0.0])),
        [1.0, -1.0, 1.0, -1.0, NAN],
    );
    exactly(int::<1>([7, -7, 7, -7]).fmod(int([3, 3, -3, -3])), [1, -1, 1, -1]);
    exactly(int::<1>([7, -7]).fmod_scalar(4), [3, -3]);
    exactly(int::<1>([3, -4]).square(), [9, 16]);
    slopes::agree([-2.6, 0.3, 1.75], |x: Tensor<_, 1>| x.clone().frac() + x.fmod_scalar(0.7));
}

#[test]
fn x_002_powers_and_logarithms() {
    nearly(
        float::<1>(X).exp2(),
        [0.08838834764831845, 0.5, 0.8408964152537145, 1.0, 1.189207115002721, 2.0, 5.656854249492381],
    );
    exactly(float::<1>([-2.0, 0.0, 10.0]).exp2(), [0.25, 1.0, 1024.0]);
    nearly(float::<1>(POSITIVE).log2(), [-1.0, 0.0, 0.5849625007211562, 1.0, 3.0, 9.965784284662087]);
    nearly(
        float::<1>(POSITIVE).log10(),
        [-LOG10_2, 0.0, 0.17609125905568124, LOG10_2, 0.9030899869919435, 3.0],
    );
    nearly(
        float::<1>(POSITIVE).rsqrt(),
        [SQRT_2, 1.0, 0.8164965809277261, 0.7071067811865475, 0.35355339059327373, 0.03162277660168379],
    );
    nearly(
        float::<1>([-0.5, 0.0, 0.25, 0.5, 0.9]).logit(None),
        [f64::NAN, f64::NEG_INFINITY, -1.0986122886681098, 0.0, 2.1972245773362196],
    );
    nearly(
        float::<1>([-0.5, 0.0, 0.25, 0.5, 1.0]).logit(Some(0.1)),
        [-2.197224577336219, -2.197224577336219, -1.0986122886681098, 0.0, 2.1972245773362196],
    );
    slopes::agree([0.2, 0.5, 0.75], |x: Tensor<_, 1>| {
        x.clone().exp2() + x.clone().log2() + x.clone().log10() * x.clone().rsqrt() + x.logit(None)
    });
}

#[test]
fn x_002_hypot_and_sums_of_exponentials() {
    let (x, y) = (float::<1>([3.0, 1e30, INF, NAN, NAN]), float([4.0, 1e30, NAN, INF, 1.0]));
    nearly(x.hypot(y) / float([1.0, 1e30, 1.0, 1.0, 1.0]), [5.0, std::f32::consts::SQRT_2, INF, INF, NAN]);
    nearly(
        float::<1>([0.0, 1000.0, -INF, INF, -INF, NAN, -1000.0])
            .log_add_exp(float([0.0, 999.0, -INF, INF, 3.0, 1.0, -INF])),
        [LN_2, 1000.3132616875182, f64::NEG_INFINITY, f64::INFINITY, 3.0, f64::NAN, -1000.0],
    );
    exactly(float::<1>([1.0, 2.0]).lerp(float([3.0, -2.0]), 0.75), [2.5, -1.0]);
    exactly(float::<1>([1e30, 2.0]).lerp(float([1.0, 7.0]), 1.0), [1.0, 7.0]);
    exactly(float::<1>([1.0, 2.0]).lerp_tensor(float([3.0, -2.0]), float([0.5, 0.25])), [2.0, 1.0]);
    slopes::agree([[0.3, -0.7], [1.5, 2.0]], |x: Tensor<_, 2>| {
        let y = x.clone().flip([1]) * 2;
        x.clone().hypot(y.clone()) + x.clone().log_add_exp(y.clone()) + x.lerp(y, 0.3)
    });
}

#[test]
fn x_002_what_is_finite() {
    let x = [1.0, INF, -INF, NAN];
    exactly(float::<1>(x).is_inf(), [false, true, true, false]);
    exactly(float::<1>(x).is_finite(), [true, false, false, false]);
    exactly(int::<1>([i64::MIN, 0, i64::MAX]).is_finite(), [true; 3]);
    exactly(int::<1>([i64::MIN, 0, i64::MAX]).is_inf(), [false; 3]);
    let x = [NAN, INF, -INF, 2.0];
    exactly(float::<1>(x).nan_to_num(0.0, None, None), [0.0, f32::MAX, f32::MIN, 2.0]);
    exactly(float::<1>(x).nan_to_num(1.0, Some(2.0), Some(-2.0)), [1.0, 2.0, -2.0, 2.0]);
    exactly(float::<1>(x).cast(DType::F16).nan_to_num(0.0, None, None), [0.0, 65504.0, -65504.0, 2.0]);
}

#[test]
fn x_002_angles() {
    nearly(
        float::<1>(X).deg2rad(),
        [
            -0.061086523819801536,
            -0.017453292519943295,
            -0.004363323129985824,
            0.0,
            0.004363323129985824,
            0.017453292519943295,
            0.04363323129985824,
        ],
    );
    nearly(
        float::<1>([-1.0, 0.5]).rad2deg() / 180,
        [-std::f64::consts::FRAC_1_PI, 0.5 / std::f64::consts::PI],
    );
    nearly(
        float::<1>(X).sinc(),
        [
            -0.09094568176679733,
            3.8981718325193755e-17,
            0.9003163161571061,
            1.0,
            0.9003163161571061,
            3.8981718325193755e-17,
            0.12732395447351627,
        ],
    );
    slopes::agree([-1.3, 0.0, 0.5], |x: Tensor<_, 1>| x.clone().sinc() + x.clone().deg2rad() * x.rad2deg());
}

const LINES: [[f32; 5]; 2] = [[1.0, 3.0, 2.0, NAN, 5.0], [4.0, -1.0, 0.0, 2.0, 2.0]];

#[test]
fn x_003_cumulative_functions() {
    let x = || float::<2>(LINES);
    exactly(x().cumsum(1), [[1.0, 4.0, 6.0, NAN, NAN], [4.0, 3.0, 3.0, 5.0, 7.0]]);
    exactly(x().cumprod(-1), [[1.0, 3.0, 6.0, NAN, NAN], [4.0, -4.0, 0.0, 0.0, 0.0]]);
    exactly(x().cummin(1), [[1.0, 1.0, 1.0, NAN, NAN], [4.0, -1.0, -1.0, -1.0, -1.0]]);
    exactly(x().cummax(-1), [[1.0, 3.0, 3.0, NAN, NAN], [4.0, 4.0, 4.0, 4.0, 4.0]]);
    exactly(int::<2>([[1, 2], [3, 4]]).cumsum(-2), [[1, 2], [4, 6]]);
    let message = panics(|| x().cumsum(2));
    assert!(message.starts_with("cumsum: dimension 2 does not exist in [2, 5]"), "{message}");
    slopes::agree([[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]], |x: Tensor<_, 2>| {
        x.clone().cumsum(0) + x.clone().cumprod(1) + x.clone().cummax(1) + x.cummin(-1)
    });
}

#[test]
fn x_003_cumulative_log_sum_exp() {
    nearly(
        float::<1>([-1000.0, 0.0, 1000.0, -INF, 2.0, 1000.0]).logcumsumexp(0),
        [-1000.0, 0.0, 1000.0, 1000.0, 1000.0, 1000.6931471805599],
    );
    nearly(
        float::<1>([0.0, 1.0, 2.0, 3.0, -1.0]).logcumsumexp(-1),
        [0.0, 1.3132616875182228, 2.40760596444438, 3.4401896985611953, 3.4519143959375933],
    );
    slopes::agree([[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]], |x: Tensor<_, 2>| x.logcumsumexp(1));
}
