//! Matrix products.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{OnnxValue, Tensor};

pub(super) fn matmul(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    Ok(vec![product(b, &x, &y)?.into()])
}

/// The product as NumPy has it: a vector at the left is a row, one at the right a column, and their dimension
/// goes away.
pub(super) fn product(b: &mut Builder, x: &Tensor, y: &Tensor) -> Outcome<Tensor> {
    require!(!x.is_scalar() && !y.is_scalar(), "expected vectors or matrices, got {x:?} and {y:?}");
    let (is_row, is_column) = (x.rank() == 1, y.rank() == 1);
    let left = if is_row { b.unsqueeze_dims(x, &[0])? } else { x.clone() };
    let right = if is_column { b.unsqueeze_dims(y, &[1])? } else { y.clone() };
    let (left, right) = b.aligned(&left, &right)?;
    let product = b.matmul(&left, &right)?;
    let last = product.held_dims().len() - 1;
    let gone: Vec<usize> = match (is_row, is_column) {
        (true, true) => vec![last - 1, last],
        (true, false) => vec![last - 1],
        (false, true) => vec![last],
        (false, false) => Vec::new(),
    };
    b.squeezed(&product, &gone)
}
