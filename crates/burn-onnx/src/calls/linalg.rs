//! Linear algebra.

use super::declare::calls;
use super::{Fixed, Operand};
use crate::error::{Outcome, require};
use crate::value::Spec;
#[cfg(feature = "run")]
use burn_tensor::linalg;

calls! {
    /// Determinants of square matrices.
    float erased fn det(x: Fixed<3>) -> one determinants => linalg::try_det::<B, 3, 1>(x)?;
}

fn determinants(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let x = operands[0].tensor()?;
    require!(x.held_dims().len() == 3, "expected [batch, n, n], got {x:?}");
    Ok(vec![Spec::new(x.dtype(), [x.held_dims()[0].clone()])])
}
