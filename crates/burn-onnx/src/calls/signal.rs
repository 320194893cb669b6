//! Fourier transforms, whose numbers are pairs of real and imaginary parts.

use super::declare::calls;
use super::{Count, Operand, Same, Size};
use crate::error::{Outcome, require};
use crate::value::Spec;
#[cfg(feature = "run")]
use burn_tensor::signal;

calls! {
    /// Discrete Fourier transform along a dimension.
    float ranked fn fft(re: Same, im: Same, dim: Count) -> many pair => signal::try_fft(re, im, dim, None)?;
    /// Its inverse.
    float ranked fn ifft(re: Same, im: Same, dim: Count) -> many pair => signal::try_ifft(re, im, dim, None)?;
    /// The first half of the transform of real numbers: the other half are its conjugates.
    float ranked fn rfft(x: Same, dim: Count) -> many half => signal::try_rfft(x, dim, None)?;
    /// Real numbers from the first half of their transform.
    float ranked fn irfft(re: Same, im: Same, dim: Count, size: Size) -> one whole
        => signal::try_irfft(re, im, dim, Some(size))?;
}

fn pair(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let spec = operands[0].tensor()?.spec.clone();
    Ok(vec![spec.clone(), spec])
}

fn half(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, axis) = (operands[0].tensor()?, operands[1].count()?);
    let mut dims = x.held_dims().to_vec();
    require!(axis < dims.len(), "dimension {axis} does not exist in {dims:?}");
    dims[axis] = dims[axis].clone() / 2 + 1;
    let spec = Spec::new(x.dtype(), dims);
    Ok(vec![spec.clone(), spec])
}

fn whole(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, axis) = (operands[0].tensor()?, operands[2].count()?);
    let mut dims = x.held_dims().to_vec();
    require!(axis < dims.len(), "dimension {axis} does not exist in {dims:?}");
    dims[axis] = operands[3].number()?.clone();
    Ok(vec![Spec::new(x.dtype(), dims)])
}
