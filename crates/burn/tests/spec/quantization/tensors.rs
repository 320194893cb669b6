//! TQ and QU: quantized tensors.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, float, int};
use burn::backend::Autodiff;
use burn::module::{Calibration, MinMaxCalibration};
use burn::tensor::activation::relu;
use burn::tensor::backend::Backend;
use burn::tensor::quantization::{
    CalibrationRange, QuantizationParameters, QuantizationScheme, QuantizationType, compute_q_params, fits,
};
use burn::tensor::{Int, Shape, Tensor, TensorPrimitive};

const AFFINE: QuantizationScheme = QuantizationScheme::PerTensorAffine(QuantizationType::QInt8);
const SYMMETRIC: QuantizationScheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);

fn parameters<const N: usize>(scale: [f32; N], offset: Option<[i32; N]>) -> QuantizationParameters<B> {
    QuantizationParameters { scale: float(scale), offset: offset.map(int) }
}

/// Numbers without a pattern, from -1 to 1.
fn noise(count: usize) -> Vec<f32> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / f32::from(1_u16 << 12) / 2048.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn noise_matrix(rows: usize, cols: usize) -> Tensor<B, 2> {
    float::<1>(&noise(rows * cols)[..]).reshape([rows, cols])
}

#[test]
fn tq_001_quantize_takes_the_nearest_number_of_the_scheme() {
    let x = [0.0, 0.25, 0.75, -0.75, 1.3, -70.0, 70.0, 62.24, -65.6];
    // By the definition, in f64; halves go to the even number, and what is beyond the last goes to it.
    let expected = x.map(|x: f64| (((x / 0.5).round_ties_even() + 3.0).clamp(-128.0, 127.0) - 3.0) * 0.5);
    assert_eq!(expected[..4], [0.0, 0.0, 1.0, -1.0]);
    let quantized = float::<1>(x.map(|x| x as f32)).quantize(&AFFINE, parameters([0.5], Some([3])));
    assert!(quantized.is_quantized());
    assert_eq!(quantized.quantization(), Some(AFFINE));
    exactly(quantized, expected.map(|x| x as f32));
}

#[test]
fn tq_001_numbers_lie_in_words_and_stay_there() {
    let quantized = float::<1>([1.0, 2.0, -1.0, 0.0, -127.0]).quantize(&SYMMETRIC, parameters([1.0], None));
    let TensorPrimitive::QFloat(parts) = quantized.clone().into_primitive() else {
        panic!("it is quantized")
    };
    let values = Tensor::<B, 1, Int>::from_handle(parts.packed().values.clone());
    // The first number is in the lowest byte, and -127 is 0x81.
    assert_eq!(values.into_data().to_f64(), [f64::from(0x00FF_0201), f64::from(0x81)]);
    let again = Tensor::<B, 1>::from_primitive(TensorPrimitive::QFloat(parts));
    assert!(again.is_quantized());
    // A move to its own device does not dequantize it.
    assert!(again.clone().to_device(CPU).detach().is_quantized());
    exactly(again, [1.0, 2.0, -1.0, 0.0, -127.0]);
}

#[test]
fn tq_001_each_channel_or_block_has_its_scale() {
    let x = float::<2>([[1.0, 2.0, 30.0, 40.0], [0.1, 0.2, -0.3, 0.4]]);
    let rows = x.clone().quantize(&SYMMETRIC.per_channel(0), parameters([1.0, 0.125], None));
    exactly(rows, [[1.0, 2.0, 30.0, 40.0], [0.125, 0.25, -0.25, 0.375]]);
    let columns = x.clone().quantize(&SYMMETRIC.per_channel(1), parameters([1.0, 0.5, 16.0, 0.25], None));
    exactly(columns, [[1.0, 2.0, 32.0, 31.75], [0.0, 0.0, 0.0, 0.5]]);
    let blocks = x.quantize(&SYMMETRIC.per_block(2), parameters([1.0, 16.0, 0.125, 0.5], None));
    exactly(blocks, [[1.0, 2.0, 32.0, 32.0], [0.125, 0.25, -0.5, 0.5]]);
}

#[test]
fn tq_001_what_does_not_fit_is_an_error() {
    let x = || float::<2>([[1.0, 2.0, 3.0]]);
    let error = |scheme, parameters| x().try_quantize(&scheme, parameters).unwrap_err().to_string();
    assert!(error(SYMMETRIC.per_channel(2), parameters([1.0], None)).starts_with("quantize: "));
    assert!(error(SYMMETRIC.per_block(2), parameters([1.0], None)).contains("blocks of 2"));
    assert!(error(SYMMETRIC.per_block(0), parameters([1.0], None)).contains("blocks of 0"));
    assert!(error(SYMMETRIC, parameters([1.0, 2.0], None)).contains("scales"));
    assert!(error(AFFINE, parameters([1.0], None)).contains("zero points"));
    assert!(error(SYMMETRIC, parameters([1.0], Some([0]))).contains("zero points"));
    assert!(!fits(&SYMMETRIC.per_channel(2), &Shape::new([1, 3])));
    assert!(fits(&SYMMETRIC.per_channel(1), &Shape::new([1, 3])));
    let message = panics(|| x().quantize_dynamic(&SYMMETRIC.per_block(2)));
    assert!(message.contains("blocks of 2"), "{message}");
}

#[test]
fn tq_002_dequantize_does_nothing_to_other_tensors() {
    let x = float::<1>([0.3, -4.0]);
    let address = x.handle().address();
    let same = x.dequantize();
    assert_eq!(same.handle().address(), address);
    exactly(same, [0.3_f32, -4.0]);
}

#[test]
fn tq_002_dequantize_gives_floats() {
    let quantized = float::<1>([0.3, -4.0]).quantize(&SYMMETRIC, parameters([0.25], None));
    assert!(quantized.try_handle().is_err(), "a quantized tensor is several");
    let plain = quantized.dequantize();
    assert!(!plain.is_quantized() && plain.try_handle().is_ok());
    exactly(plain, [0.25, -4.0]);
}

#[test]
fn qu_001_static_ranges_are_watched_before_and_dynamic_ones_are_those_of_the_tensor() {
    let x = float::<1>([0.5, 0.25]);
    // Watched: from -1 to 126/127 the largest magnitude is 1.
    let watched = CalibrationRange::of(&float::<1>([-1.0, 126.0 / 127.0]), &SYMMETRIC);
    let quantized = x.clone().quantize(&SYMMETRIC, compute_q_params(&SYMMETRIC, watched));
    let steps = (quantized.into_data().to_f64()[0] * 127.0).round();
    assert_eq!(steps, 64.0, "63.5 steps of 1/127 become 64");
    // Its own: the largest is 127 steps, and the other 63.5 of them, which become 64.
    let own = x.quantize_dynamic(&SYMMETRIC).into_data().to_f64();
    assert!((own[0] - 0.5).abs() < 1e-7 && (own[1] - 64.0 / 254.0).abs() < 1e-7, "{own:?}");
}

#[test]
fn qu_002_static_i8_by_tensor() {
    // 255 steps of 1/64 from -1, so -1 is number -128 and zero is number -64.
    let range = CalibrationRange { min: float([-1.0]), max: float([255.0 / 64.0 - 1.0]) };
    let parameters = compute_q_params(&AFFINE, range);
    exactly(parameters.scale.clone(), [1.0 / 64.0]);
    exactly(parameters.offset.clone().expect("the scheme is affine"), [-64]);
    let x = [-1.0, -0.5, 0.0, 1.0 / 64.0, 2.0, 2.984_375, 9.0, -3.0];
    let expected = [-1.0, -0.5, 0.0, 1.0 / 64.0, 2.0, 2.984_375, 2.984_375, -1.0];
    exactly(float::<1>(x).quantize(&AFFINE, parameters), expected);
}

#[test]
fn qu_002_zero_stays_zero_and_a_range_of_nothing_is_harmless() {
    for scheme in [AFFINE, SYMMETRIC] {
        let of_one_sign = float::<1>([0.0, 3.0, 5.0]).quantize_dynamic(&scheme).into_data().to_f64();
        assert_eq!(of_one_sign[0], 0.0);
        assert!((of_one_sign[2] - 5.0).abs() < 1e-6, "{of_one_sign:?}");
        exactly(float::<1>([0.0, 0.0]).quantize_dynamic(&scheme), [0.0, 0.0]);
        exactly(Tensor::<B, 2>::zeros([0, 3], CPU).quantize_dynamic(&scheme), [[0.0_f32; 3]; 0]);
        // A range whose width is beyond f32.
        let widest = float::<1>([-3e38_f32, 3e38]).quantize_dynamic(&scheme).into_data().to_f64();
        assert!((widest[1] / 3e38 - 1.0).abs() < 0.01, "{widest:?}");
    }
}

#[test]
fn qu_004_every_scheme_is_within_half_a_step() {
    let x = noise(6 * 32);
    let tensor = || float::<1>(&x[..]).reshape([6, 32]);
    let levels: [fn(QuantizationScheme) -> QuantizationScheme; 4] =
        [|s| s, |s| s.per_channel(0), |s| s.per_channel(1), |s| s.per_block(8)];
    for (value, lowest, highest) in [
        (QuantizationType::QInt8, 128.0, 127.0),
        (QuantizationType::QInt4, 8.0, 7.0),
        (QuantizationType::QInt2, 2.0, 1.0),
    ] {
        for (place, level) in levels.iter().enumerate() {
            // Which scale an element has, by its row and column.
            let group = |i: usize| [0, i / 32, i % 32, i / 8][place];
            let bounds = |wanted: usize| {
                let of = (0..x.len()).filter(|&i| group(i) == wanted).map(|i| f64::from(x[i]));
                of.fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)))
            };
            for affine in [false, true] {
                let scheme = match affine {
                    true => level(QuantizationScheme::PerTensorAffine(value)),
                    false => level(QuantizationScheme::PerTensorSymmetric(value)),
                };
                let found = tensor().quantize_dynamic(&scheme).into_data().to_f64();
                for (i, found) in found.into_iter().enumerate() {
                    let (low, high) = bounds(group(i));
                    // The zero point is rounded too, so an end may be half a step away.
                    let (step, reach) = match affine {
                        true => ((high - low) / (highest + lowest), 1.0),
                        false => (high.max(-low) / highest, 0.5),
                    };
                    let error = (found - f64::from(x[i])).abs();
                    assert!(error <= step * reach + 1e-6, "{scheme:?} {i}: {} became {found}", x[i]);
                }
            }
        }
    }
}

#[test]
fn qu_004_floats_of_eight_bits_have_a_relative_error() {
    let x = float::<1>([1.0, 1.1, 100.0, 448.0]);
    // Three bits of fraction: a sixteenth; two bits: an eighth.
    for (value, bound) in
        [(QuantizationType::QFloat8E4M3, 1.0 / 16.0), (QuantizationType::QFloat8E5M2, 0.125)]
    {
        let scheme = QuantizationScheme::PerTensorSymmetric(value);
        let found = x.clone().quantize_dynamic(&scheme).into_data().to_f64();
        for (x, found) in [1.0, 1.1, 100.0, 448.0].into_iter().zip(found) {
            assert!((found / x - 1.0_f64).abs() <= bound + 1e-6, "{value:?}: {x} became {found}");
        }
    }
    let error = x.try_quantize_dynamic(&QuantizationScheme::PerTensorAffine(QuantizationType::QFloat8E4M3));
    assert!(error.unwrap_err().to_string().contains("zero points"));
}

#[test]
fn qu_006_operations_compute_with_what_the_numbers_stand_for() {
    let quantized = noise_matrix(4, 4).quantize_dynamic(&AFFINE);
    let plain = quantized.clone().dequantize();
    let same =
        |f: fn(Tensor<B, 2>) -> Tensor<B, 2>| exactly(f(quantized.clone()), f(plain.clone()).into_data());
    same(|x| x.clone() + x * 2);
    same(relu);
    same(|x| x.sum_dim(1));
    same(|x| x.transpose().slice([1..3]));
    same(|x| Tensor::cat(vec![x.clone(), x], 0));
    same(|x| x.clone().matmul(x.transpose()));
    assert!(!relu(quantized.clone()).is_quantized());
    assert_eq!(quantized.clone().equal_elem(0).into_data(), plain.clone().equal_elem(0).into_data());
    assert_eq!(quantized.dims(), plain.dims());
    assert_eq!(quantized.dtype(), plain.dtype());
}

/// Whole numbers and scales that are powers of two: every order of sums gives the same.
fn exact(rows: usize, cols: usize, scheme: QuantizationScheme, offset: i32) -> (Tensor<B, 2>, Vec<f64>) {
    let numbers: Vec<i32> = noise(rows * cols).iter().map(|x| (x * 100.0) as i32).collect();
    let count = scheme.scales(&Shape::new([rows, cols]));
    let scales: Vec<f32> = (0..count).map(|i| if i % 2 == 0 { 0.5 } else { 0.25 }).collect();
    let (step, _) = scheme.grid(&Shape::new([rows, cols]));
    let values: Vec<f64> = numbers
        .iter()
        .enumerate()
        .map(|(i, &x)| f64::from(x) * f64::from(scales[i / step % count]))
        .collect();
    let x = float::<1>(&values.iter().map(|&x| x as f32).collect::<Vec<_>>()[..]).reshape([rows, cols]);
    let offset = scheme.is_affine().then(|| Tensor::full([count], offset, CPU));
    (x.quantize(&scheme, QuantizationParameters { scale: float(&scales[..]), offset }), values)
}

#[test]
fn qu_006_products_of_quantized_matrices_are_exact() {
    let (m, k, n) = (5, 33, 7);
    let schemes = |dim| {
        [SYMMETRIC, AFFINE, SYMMETRIC.per_channel(dim), AFFINE.per_channel(dim), SYMMETRIC.per_block(1)]
    };
    for left in schemes(0) {
        for right in schemes(1) {
            let ((lhs, a), (rhs, b)) = (exact(m, k, left, 5), exact(k, n, right, -7));
            let sum = |i: usize, j: usize| (0..k).map(|t| a[i * k + t] * b[t * n + j]).sum::<f64>();
            let expected: Vec<f64> = (0..m * n).map(|at| sum(at / n, at % n)).collect();
            let product = |lhs: Tensor<B, 2>, rhs: Tensor<B, 2>| lhs.matmul(rhs).into_data().to_f64();
            assert_eq!(product(lhs.clone(), rhs.clone()), expected, "{left:?} {right:?}");
            assert_eq!(product(lhs.clone().dequantize(), rhs.clone()), expected, "{right:?}");
            assert_eq!(product(lhs, rhs.dequantize()), expected, "{left:?}");
        }
    }
    let (lhs, rhs) = (exact(m, k, SYMMETRIC, 0).0, exact(m, n, SYMMETRIC, 0).0);
    for lhs in [lhs.clone(), lhs.dequantize()] {
        let message = panics(|| lhs.matmul(rhs.clone()));
        assert!(message.contains("matmul") && message.contains("33"), "{message}");
    }
}

#[test]
fn qu_006_display_shows_floats_and_the_scheme() {
    let text = float::<1>([0.5, -1.0]).quantize(&SYMMETRIC, parameters([0.5], None)).to_string();
    assert!(text.contains("[0.5, -1.0]"), "{text}");
    assert!(text.ends_with("  dtype:  \"f32\",\n  quantization:  QInt8, Symmetric, Tensor,\n}"), "{text}");
}

#[test]
fn qu_006_gradients_go_past_quantized_weights() {
    type A = Autodiff<B>;
    let x = Tensor::<A, 2>::from_data([[1.0, 2.0]], CPU).require_grad();
    let weight = Tensor::<A, 2>::from_data([[0.5, -1.0, 4.0], [8.0, 0.0, 2.0]], CPU);
    let scale = Tensor::from_data([0.5], CPU);
    let weight = weight.quantize(&SYMMETRIC, QuantizationParameters { scale, offset: None });
    assert!(!weight.is_require_grad());
    let gradients = x.clone().matmul(weight.clone()).sum().backward();
    // The sums of the weight's rows.
    exactly(x.grad(&gradients).expect("x is tracked"), [[3.5, 10.0]]);
    assert!(weight.grad(&gradients).is_none());
    // On the backend below and back it stays quantized.
    let inner = weight.clone().inner();
    assert!(inner.is_quantized());
    assert!(Tensor::<A, 2>::from_inner(inner).is_quantized());
    assert!(weight.clone().set_require_grad(false).is_quantized());
    assert!(weight.try_backward().is_err(), "nothing is tracked");
}

#[test]
fn qu_006_a_gradient_by_a_quantized_tensor_is_an_error() {
    let quantized = float::<1>([1.0]).quantize_dynamic(&SYMMETRIC);
    let error = quantized.clone().try_require_grad().unwrap_err();
    assert!(error.to_string().contains("dequantize it first"), "{error}");
    let message = panics(|| quantized.clone().require_grad());
    assert!(message.contains("no gradient flows"), "{message}");
    fn quantize<B: Backend>(x: Tensor<B, 1>) -> Tensor<B, 1> {
        x.quantize_dynamic(&SYMMETRIC)
    }
    // Neither does one flow through: what is computed from the numbers is not tracked.
    let x = Tensor::<Autodiff<B>, 1>::from_data([1.0], CPU).require_grad();
    assert!((quantize(x) * 2).sum().try_backward().is_err());
}

#[test]
fn qu_009_the_range_runs_over_batches() {
    let calibration = MinMaxCalibration {};
    let scheme = AFFINE.per_channel(1);
    let mut range = None;
    for batch in [[[0.5, -2.0], [1.0, 0.0]], [[-3.0, -1.0], [0.0, 7.0]], [[0.0, 0.0], [0.0, 0.0]]] {
        range = Some(calibration.update_range(range, &float::<2>(batch), &scheme));
    }
    let range = range.expect("three batches");
    exactly(range.min.clone(), [-3.0, -2.0]);
    exactly(range.max.clone(), [1.0, 7.0]);
    let parameters = compute_q_params(&scheme, range);
    let scale = parameters.scale.into_data().to_f64();
    assert!((scale[0] - 4.0 / 255.0).abs() < 1e-8 && (scale[1] - 9.0 / 255.0).abs() < 1e-8, "{scale:?}");
    // -128 + 3 * 255 / 4 = 63.25, and -128 + 2 * 255 / 9 = -71.3.
    exactly(parameters.offset.expect("affine"), [63, -71]);
}
