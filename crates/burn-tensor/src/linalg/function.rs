use super::failure::read;
use super::size::square;
use super::system::{try_inverse, try_solve_unchecked};
use crate::{Tensor, TensorError};
use burn_backend::{Backend, Scalar, TensorSpec};
use burn_derive::fallible;

/// Computes the power of square matrices, `x^n`: `[.., n, n]`; for a negative exponent, their inverses.
/// PyTorch: `torch.linalg.matrix_power`.
///
/// # Errors
/// When the matrices are not square, or one is singular and the exponent is negative.
#[fallible]
pub fn try_matrix_power<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    exponent: i32,
) -> Result<Tensor<B, D>, TensorError> {
    square("matrix_power", &x.shape())?;
    let mut base = if exponent < 0 { try_inverse(x)? } else { x };
    let (mut rest, mut power) = (exponent.unsigned_abs(), None);
    if rest == 0 {
        return Ok(identity_like(&base));
    }
    loop {
        if rest % 2 == 1 {
            power = Some(match power {
                None => base.clone(),
                Some(power) => Tensor::try_matmul(power, base.clone())?,
            });
        }
        rest /= 2;
        match power {
            Some(power) if rest == 0 => return Ok(power),
            Some(_) | None => base = base.clone().try_matmul(base)?,
        }
    }
}

fn identity_like<B: Backend, const D: usize>(x: &Tensor<B, D>) -> Tensor<B, D> {
    let shape = x.shape();
    let ones = B::full(TensorSpec::new([shape[D - 1]], x.dtype()), Scalar::Int(1), &x.device());
    Tensor::from_handle(B::expand(super::diagonal::embedded::<B>(ones), shape))
}

/// Coefficients of the numerator of Padé's approximation of `e^x` of degree 13, over `x^0`.
const PADE: [f64; 14] = [
    1.0,
    1.0 / 2.0,
    3.0 / 25.0,
    11.0 / 600.0,
    11.0 / 5520.0,
    3.0 / 18400.0,
    1.0 / 96600.0,
    1.0 / 1932000.0,
    1.0 / 48944000.0,
    1.0 / 1585785600.0,
    1.0 / 67395888000.0,
    1.0 / 3953892096000.0,
    1.0 / 355850288640000.0,
    1.0 / 64764752532480000.0,
];

/// The size up to which the approximation is good to the last digit of an `f64`.
const REACH: f64 = 5.37;

/// Computes the exponential `sum_k x^k / k!` of matrices, `[.., n, n]`: by scaling and squaring with a Padé
/// approximation. The scale is chosen by the norm, which is read from the device. PyTorch:
/// `torch.linalg.matrix_exp`.
///
/// # Errors
/// When the matrices are not square.
#[fallible]
pub fn try_matrix_exp<B: Backend, const D: usize>(x: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    let size = square("matrix_exp", &x.shape())?;
    if size == 0 || x.shape().num_elements() == 0 {
        return Ok(x);
    }
    let sums = x.clone().detach().abs().try_sum_dim(D - 2)?.try_max()?;
    let largest = read::<B>(sums.into_handle())?.first().copied().unwrap_or(0.0);
    let mut squares = 0;
    let mut factor = 1.0;
    while largest.is_finite() && largest * factor > REACH {
        squares += 1;
        factor *= 0.5;
    }
    let x = x * factor;
    let one = identity_like(&x);
    let square = x.clone().try_matmul(x.clone())?;
    // Horner's scheme in x^2, for the even powers and the odd ones.
    let (mut even, mut odd) = (one.clone() * PADE[12], one.clone() * PADE[13]);
    for k in (0..6).rev() {
        even = even.try_matmul(square.clone())? + one.clone() * PADE[2 * k];
        odd = odd.try_matmul(square.clone())? + one.clone() * PADE[2 * k + 1];
    }
    let odd = x.try_matmul(odd)?;
    let mut power = try_solve_unchecked(even.clone() - odd.clone(), even + odd)?;
    for _ in 0..squares {
        power = power.clone().try_matmul(power)?;
    }
    Ok(power)
}
