//! Functions of tensors that square, multiply or sum on the way, of half-precision numbers whose squares
//! `f16` has not. The expected values are closed forms.

use super::situation;
use crate::Subject;
use crate::subject::Report;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{DType, PoolOptions, TensorData};
use burn_tensor::{Tensor, activation, linalg, module};

type List = Tensor<Dynamic, 1>;
type Matrix = Tensor<Dynamic, 2>;

/// A function of matrices, a row for it, and what comes of that.
pub struct Function {
    pub name: &'static str,
    pub x: Vec<f64>,
    pub call: fn(Matrix) -> Matrix,
    pub expected: Vec<f64>,
}

pub fn check(subject: &Subject, report: &mut Report<'_>) {
    for dtype in [DType::F16, DType::BF16].into_iter().filter(|&dtype| subject.has(dtype)) {
        for Function { name, x, call, expected } in norms().into_iter().chain(spreads()).chain(layers()) {
            let at = situation(report.family(), "half", dtype, name);
            let device = &subject.device;
            report.check(&at, || {
                let found = call(row(&x, device, dtype));
                let type_found = found.dtype();
                if type_found != dtype {
                    return Err(format!("a result of {type_found}"));
                }
                near(&found.into_data().to_f64(), &expected, dtype)
            });
        }
    }
}

/// A matrix of one row.
pub fn row(values: &[f64], device: &DynamicDevice, dtype: DType) -> Matrix {
    let data = TensorData::new(Vec::from(values), [1, values.len()]).convert_dtype(dtype);
    Tensor::from_data(data, (device, dtype))
}

/// # Errors
/// When values differ by more than the operands and the result are rounded by.
pub fn near(found: &[f64], expected: &[f64], dtype: DType) -> Result<(), String> {
    let (relative, least) = if dtype == DType::F16 { (2e-3, 1e-7) } else { (1.6e-2, 0.0) };
    let close = |(x, y): (&f64, &f64)| x == y || (x - y).abs() <= relative * y.abs() + least;
    let same = found.len() == expected.len() && found.iter().zip(expected).all(close);
    if same { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}

fn function(
    name: &'static str,
    x: &[f64],
    call: fn(Matrix) -> Matrix,
    expected: impl Into<Vec<f64>>,
) -> Function {
    Function { name, x: x.to_vec(), call, expected: expected.into() }
}

const LARGE: [f64; 2] = [300.0, 400.0];
const SMALL: [f64; 4] = [1e-4; 4];
const OPPOSITE: [f64; 2] = [300.0, -300.0];

fn norms() -> Vec<Function> {
    vec![
        function("l2_norm", &LARGE, |x| linalg::l2_norm(x, 1), [500.0]),
        function("l2_norm of small numbers", &SMALL, |x| linalg::l2_norm(x, 1), [2e-4]),
        function("norm_dims", &LARGE, |x| linalg::norm_dims(x, 2, &[0, 1]), [500.0]),
        function("matrix_norm", &LARGE, |x| linalg::matrix_norm(x, linalg::MatrixNorm::Frobenius), [500.0]),
        function("lp_norm", &LARGE, |x| linalg::lp_norm(x, 3.0, 1), [449.794_144_527_541_5]),
        function("vector_normalize", &LARGE, |x| linalg::vector_normalize(x, 2, 1, 1e-12), [0.6, 0.8]),
        function(
            "vector_normalize of small numbers",
            &SMALL,
            |x| linalg::vector_normalize(x, 2, 1, 1e-12),
            [0.5; 4],
        ),
        function(
            "vector_normalize of zeros",
            &[0.0; 3],
            |x| linalg::vector_normalize(x, 2, 1, 1e-12),
            [0.0; 3],
        ),
        // The norm itself is no `f16`.
        function(
            "vector_normalize of the largest",
            &[6e4; 4],
            |x| linalg::vector_normalize(x, 2, 1, 1e-12),
            [0.5; 4],
        ),
        function("cosine_similarity", &LARGE, |x| linalg::cosine_similarity(x.clone(), x, 1, None), [1.0]),
        function("dot", &OPPOSITE, |x| vector(x.clone()).dot(vector(x.abs())).reshape([1, 1]), [0.0]),
        function(
            "cross",
            &[300.0, 300.0, 0.0],
            |x| {
                let other = row(&[300.0, 296.0, 1.0], &x.device(), x.dtype());
                x.cross(other, 1)
            },
            [300.0, -300.0, -1200.0],
        ),
    ]
}

fn vector(x: Matrix) -> List {
    let count = x.shape().num_elements();
    x.reshape([count])
}

fn spreads() -> Vec<Function> {
    let alternating = [150.0, -150.0, 150.0, -150.0];
    vec![
        function("std", &OPPOSITE, |x| x.std(1), [424.264_068_711_928_5]),
        function("std_bias", &OPPOSITE, |x| x.std_bias(1), [300.0]),
        function("std of small numbers", &[1e-4, -1e-4], |x| x.std_bias(1), [1e-4]),
        function("var", &alternating, |x| x.var(1), [30_000.0]),
        function("var_bias", &[200.0, -200.0], |x| x.var_bias(1), [40_000.0]),
        function("cov", &alternating, |x| x.cov(1, 1), [30_000.0]),
        function("logsumexp", &[0.0; 3], |x| x.repeat_dim(1, 30_000).logsumexp(1), [11.407_564_949_312_402]),
        function("lerp", &[6e4], |x| x.clone().lerp(-x, 0.5), [0.0]),
    ]
}

fn layers() -> Vec<Function> {
    let pool = |x: Matrix| {
        let options = PoolOptions::new([2].into());
        module::lp_pool(x.reshape([1, 1, 2]), 2.0, options, false).reshape([1, 1])
    };
    vec![
        function("gelu_tanh", &OPPOSITE, |x| activation::gelu_tanh(x), [300.0, 0.0]),
        function("rms_norm", &OPPOSITE, |x| module::rms_norm(x, None, 1e-5), [1.0, -1.0]),
        function("layer_norm", &OPPOSITE, |x| module::layer_norm(x, None, None, 1e-5), [1.0, -1.0]),
        function("group_norm", &OPPOSITE, |x| module::group_norm(x, 1, None, None, 1e-5), [1.0, -1.0]),
        function(
            "batch_norm",
            &OPPOSITE,
            |x| {
                let numbers = |values: &[f64]| vector(row(values, &x.device(), x.dtype()));
                let (mean, variance) = (numbers(&[100.0, -100.0]), numbers(&[1e4, 1e4]));
                module::batch_norm(x, mean, variance, None, None, 1e-12)
            },
            [2.0, -2.0],
        ),
        function(
            "local_response_norm",
            &OPPOSITE,
            |x| module::local_response_norm(x, 1, 1.0, 0.5, 0.0),
            [1.0, -1.0],
        ),
        function("lp_pool", &LARGE, pool, [500.0]),
    ]
}
