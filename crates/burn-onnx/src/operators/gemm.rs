//! Products of matrices with factors and a sum.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::OnnxValue;

/// `alpha a b + beta c`, with `a` and `b` transposed where attributes say so.
pub(super) fn gemm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (alpha, beta) = (node.float("alpha", 1.0)?, node.float("beta", 1.0)?);
    let (mut x, mut y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    require!(x.rank() == 2 && y.rank() == 2, "expected matrices, got {x:?} and {y:?}");
    if node.flag("transA", false)? {
        x = b.permute(&x, &[1, 0])?;
    }
    if node.flag("transB", false)? {
        y = b.permute(&y, &[1, 0])?;
    }
    let whole = x.dtype().is_int();
    let mut product = b.matmul(&x, &y)?;
    if alpha != 1.0 {
        product = b.mul_scalar(&product, alpha.into())?;
    }
    if let Some(mut c) = node.optional_tensor(b, 2)?
        && (beta != 0.0 || whole)
    {
        if beta != 1.0 {
            c = b.mul_scalar(&c, beta.into())?;
        }
        let c = b.widened(&c, 2)?;
        product = b.add(&product, &c)?;
    }
    Ok(vec![product.into()])
}
