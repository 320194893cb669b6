//! Where a slope is a matter of definition: ties, corners, zeros. The values are PyTorch's, but for `hypot`
//! at the origin: zero, as of a norm, where PyTorch has NaN.

use super::call::{ClosedForm, GradientCall};
use super::differentiable::{Differentiable, first_result, total, values};
use super::first::track;
use crate::operations::checks;
use crate::{Family, Input};
use burn_backend::Operation;

/// Lists the cases of all operations.
pub fn all() -> Vec<ClosedForm> {
    Family::ALL.into_iter().filter_map(checks).flat_map(|checks| checks.closed_forms()).collect()
}

/// # Errors
/// When the gradients differ from `expected`, with the gradients found.
pub fn check(subject: &Differentiable, op: Operation<Input>, expected: &[f64]) -> Result<(), String> {
    let call =
        GradientCall { name: String::new(), op, differentiable: true, alias: false, without_gradient: None };
    let (op, operands) = track(subject, &call, |_| true);
    let gradients = values(subject.gradients(total(first_result(op)), &operands));
    let found: Vec<f64> = gradients.into_iter().flatten().flatten().collect();
    let near = found.len() == expected.len()
        && found.iter().zip(expected).all(|(x, y)| x == y || (x - y).abs() < 1e-12);
    if near { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}
