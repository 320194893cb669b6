//! Matrix products.

use super::declare::calls;
use super::{Erased, Operand, rules};
use crate::error::{Outcome, require};
use crate::value::Spec;

calls! {
    /// Matrix product of the last two dimensions; the others broadcast.
    num erased fn matmul(a: Erased, b: Erased) -> one product => a.try_matmul(b)?;
}

fn product(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (a, b) = (operands[0].tensor()?, operands[1].tensor()?);
    let (lhs, rhs) = (a.held_dims(), b.held_dims());
    require!(lhs.len() >= 2 && rhs.len() >= 2, "expected matrices, got {lhs:?} and {rhs:?}");
    require!(
        a.dtype() == b.dtype(),
        "expected tensors of one element type, got {} and {}",
        a.dtype(),
        b.dtype()
    );
    let (left, right) = (&lhs[lhs.len() - 1], &rhs[rhs.len() - 2]);
    let fits = left.known().zip(right.known()).is_none_or(|(left, right)| left == right);
    require!(fits, "the inner sizes of {lhs:?} and {rhs:?} differ");
    let mut dims = rules::broadcast_dims(&lhs[..lhs.len() - 2], &rhs[..rhs.len() - 2])?;
    dims.push(lhs[lhs.len() - 2].clone());
    dims.push(rhs[rhs.len() - 1].clone());
    Ok(vec![Spec::new(a.dtype(), dims)])
}
