//! Gradients of functions of tensors: at points where a root has an infinite slope, and of half-precision
//! numbers whose squares `f16` has not. The expected values are closed forms.

use super::differentiable::{Differentiable, total, values};
use crate::special::half_precision::{near, row};
use crate::subject::message;
use burn_backend::dynamic::Dynamic;
use burn_backend::{Backend, DType};
use burn_tensor::{Tensor, activation, linalg};
use std::panic::{AssertUnwindSafe, catch_unwind};

type Matrix = Tensor<Dynamic, 2>;
type Function = (&'static str, Vec<f64>, fn(Matrix) -> Matrix, Vec<f64>);

/// The functions whose gradient is wrong, with what was found.
pub fn failures(subject: &Differentiable) -> Vec<String> {
    let constant = at_constants().into_iter().map(|function| (DType::F64, function));
    let half = with_squares().into_iter().map(|function| (DType::F16, function));
    let single = with_squares().into_iter().map(|function| (DType::F64, function));
    let all = constant.chain(half).chain(single);
    all.filter_map(|(dtype, (name, x, f, expected))| {
        let check = || check(subject, dtype, &x, f, &expected);
        let outcome = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| Err(message(&*panic)));
        outcome.err().map(|error| format!("{name} of {dtype}: {error}"))
    })
    .collect()
}

fn check(
    subject: &Differentiable,
    dtype: DType,
    x: &[f64],
    f: fn(Matrix) -> Matrix,
    expected: &[f64],
) -> Result<(), String> {
    let x = row(x, &subject.device, dtype).into_handle();
    let x = Dynamic::set_require_grad(x, true);
    let y = f(Tensor::from_handle(x.clone()));
    let gradients = values(subject.gradients(total(y.into_handle()), &[x]));
    let found: Vec<f64> = gradients.into_iter().flatten().flatten().collect();
    near(&found, expected, if dtype == DType::F64 { DType::F16 } else { dtype })
}

/// Gradients of roots at zero, which are zero.
fn at_constants() -> Vec<Function> {
    vec![
        ("std", vec![2.0; 3], |x| x.std(1), vec![0.0; 3]),
        ("std_bias", vec![2.0; 3], |x| x.std_bias(1), vec![0.0; 3]),
        ("l2_norm", vec![0.0; 3], |x| linalg::l2_norm(x, 1), vec![0.0; 3]),
        ("lp_norm", vec![0.0; 3], |x| linalg::lp_norm(x, 3.0, 1), vec![0.0; 3]),
        (
            "matrix_norm",
            vec![0.0; 3],
            |x| linalg::matrix_norm(x, linalg::MatrixNorm::Frobenius),
            vec![0.0; 3],
        ),
        // x / max(|x|, eps)
        ("vector_normalize", vec![0.0; 3], |x| linalg::vector_normalize(x, 2, 1, 0.5), vec![2.0; 3]),
    ]
}

/// Gradients whose formulas have squares.
fn with_squares() -> Vec<Function> {
    let opposite = || vec![300.0, -300.0];
    let half_root = core::f64::consts::FRAC_1_SQRT_2;
    vec![
        ("std", opposite(), |x| x.std(1), vec![half_root, -half_root]),
        ("l2_norm", vec![300.0, 400.0], |x| linalg::l2_norm(x, 1), vec![0.6, 0.8]),
        ("gelu_tanh", opposite(), |x| activation::gelu_tanh(x), vec![1.0, 0.0]),
        ("a divisor", vec![400.0], |x| x.full_like(1000) / x, vec![-6.25e-3]),
        ("recip", vec![400.0], |x| x.recip() * 64, vec![-4e-4]),
        ("atan", vec![300.0], |x| x.atan() * 64, vec![64.0 / 90_001.0]),
        ("atan2", vec![300.0], |x| x.clone().atan2(x.full_like(400)), vec![1.6e-3]),
        ("atan2 of the other side", vec![400.0], |x| x.full_like(300).atan2(x), vec![-1.2e-3]),
        ("prod", vec![300.0, 300.0, 1e-3, 1e-2], |x| x.prod_dim(1), vec![3e-3, 3e-3, 900.0, 90.0]),
    ]
}
