//! Triangles and diagonals of matrices. Trilu since version 14, EyeLike since 9, Det since 11.

use super::iota::iota;
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Column less row of each element of the last two dimensions.
fn offsets(b: &mut Builder, rows: &Expr, columns: &Expr, rank: usize) -> Outcome<Tensor> {
    let row = iota(b, rows, rank - 2, rank, DType::I64)?;
    let column = iota(b, columns, rank - 1, rank, DType::I64)?;
    b.sub(&column, &row)
}

/// The elements from diagonal `k` on (`upper`), or up to it; zeros elsewhere.
pub(super) fn trilu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let rank = x.rank();
    require!(rank >= 2, "expected matrices, got {x:?}");
    let k = match node.has_input(1) {
        true => node.host(b, 1)?.elements.first().cloned().unwrap_or(Expr::Int(0)),
        false => Expr::Int(0),
    };
    let upper = node.flag("upper", true)?;
    if let (Some(k), false) = (k.known(), x.dtype() == DType::Bool) {
        return Ok(vec![if upper { b.triu(&x, k)? } else { b.tril(&x, k)? }.into()]);
    }
    let offsets = offsets(b, &x.dim(rank - 2)?, &x.dim(rank - 1)?, rank)?;
    let cleared = if upper { b.lower_elem(&offsets, k)? } else { b.greater_elem(&offsets, k)? };
    let zero = if x.dtype() == DType::Bool { Expr::Bool(false) } else { Expr::Int(0) };
    Ok(vec![b.mask_fill(&x, &cleared, zero)?.into()])
}

/// Ones on diagonal `k` and zeros elsewhere, in the shape of the input.
pub(super) fn eye_like(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (dims, k) = (node.input(0)?.dims()?, node.int("k", 0)?);
    let [rows, columns] = &dims[..] else { fail!("expected a matrix, got dimensions {dims:?}") };
    let dtype = match node.dtype("dtype")? {
        Some(dtype) => dtype,
        None => node.input(0)?.dtype()?,
    };
    let offsets = offsets(b, rows, columns, 2)?;
    let is_on = b.equal_elem(&offsets, k.into())?;
    Ok(vec![b.convert(&is_on, dtype)?.into()])
}

/// Determinants of the matrices in the last two dimensions.
pub(super) fn det(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    require!(x.rank() >= 2, "expected matrices, got {x:?}");
    let (batch, matrix) = x.dims().split_at(x.rank() - 2);
    let sizes = [Expr::product(batch), matrix[0].clone(), matrix[1].clone()];
    let flat = b.reshape(&x, &sizes)?;
    let determinants = b.det(&flat)?;
    Ok(vec![b.reshaped(&determinants, batch)?.into()])
}
