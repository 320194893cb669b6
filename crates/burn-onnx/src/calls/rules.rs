//! Rules for the results of calls.

use super::Operand;
use crate::error::{Outcome, fail};
use crate::value::{Expr, Spec};
use burn_ir::DType;

/// One result like the first tensor.
pub(crate) fn first(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    Ok(vec![operands[0].tensor()?.spec.clone()])
}

/// Booleans in the shape of the first tensor.
pub(crate) fn truth(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    Ok(vec![Spec { dtype: DType::Bool, ..operands[0].tensor()?.spec.clone() }])
}

/// Like the first tensor, in the element type that is the second argument.
pub(crate) fn converted(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    Ok(vec![Spec { dtype: operands[1].dtype()?, ..operands[0].tensor()?.spec.clone() }])
}

/// The common shape of two tensors.
///
/// # Errors
/// When they do not broadcast.
pub(crate) fn broadcast_dims(lhs: &[Expr], rhs: &[Expr]) -> Outcome<Vec<Expr>> {
    let rank = lhs.len().max(rhs.len());
    let at = |dims: &[Expr], d: usize| {
        (d + dims.len()).checked_sub(rank).map_or(Expr::Int(1), |d| dims[d].clone())
    };
    let mut wide = Vec::with_capacity(rank);
    for d in 0..rank {
        let (a, b) = (at(lhs, d), at(rhs, d));
        wide.push(match (a.known(), b.known()) {
            _ if a == b => a,
            (Some(1), _) => b,
            (_, Some(1)) | (Some(_), None) => a,
            (None, Some(_)) => b,
            (Some(_), Some(_)) => fail!("the shapes {lhs:?} and {rhs:?} do not broadcast"),
            (None, None) => a.max(b),
        });
    }
    Ok(wide)
}

/// Elements of two tensors of one element type, whose shapes broadcast.
pub(crate) fn broadcast(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (lhs, rhs) = (operands[0].tensor()?, operands[1].tensor()?);
    if lhs.dtype() != rhs.dtype() {
        fail!("expected tensors of one element type, got {} and {}", lhs.dtype(), rhs.dtype());
    }
    let dims = broadcast_dims(lhs.held_dims(), rhs.held_dims())?;
    Ok(vec![Spec { dtype: lhs.dtype(), dims, is_scalar: lhs.is_scalar() && rhs.is_scalar() }])
}

/// Booleans of two tensors whose shapes broadcast.
pub(crate) fn broadcast_truth(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let specs = broadcast(operands)?;
    Ok(specs.into_iter().map(|spec| Spec { dtype: DType::Bool, ..spec }).collect())
}

/// The first tensor in the sizes that are the second argument.
pub(crate) fn resized(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    Ok(vec![Spec::new(operands[0].tensor()?.dtype(), operands[1].numbers()?)])
}

/// The first tensor with size 1 along the dimensions of the second argument.
pub(crate) fn reduced(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let mut spec = operands[0].tensor()?.spec.clone();
    for axis in operands[1].axes()? {
        let Some(dim) = spec.dims.get_mut(axis) else {
            fail!("dimension {axis} does not exist in {:?}", spec.dims);
        };
        *dim = Expr::Int(1);
    }
    Ok(vec![spec])
}

/// As [`reduced`], along one dimension.
pub(crate) fn reduced_dim(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let mut spec = operands[0].tensor()?.spec.clone();
    let axis = operands[1].count()?;
    let Some(dim) = spec.dims.get_mut(axis) else {
        fail!("dimension {axis} does not exist in {:?}", spec.dims);
    };
    *dim = Expr::Int(1);
    Ok(vec![spec])
}
