//! Repeated elements.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};

/// The most numbers that are repeated on the host.
const MOST_ON_HOST: usize = 1024;

pub(super) fn expand(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let shape = node.ints(b, 1)?;
    let input = node.input(0)?;
    let dims = common(&input.dims()?, &shape)?;
    if let Some(host) = node.as_host(0) {
        let sizes: Option<Vec<usize>> = dims.iter().map(Expr::size).collect();
        let count = sizes.as_ref().and_then(|sizes| sizes.iter().try_fold(1_usize, |count, &size| count.checked_mul(size)));
        if let Some(sizes) = sizes
            && count.is_some_and(|count| count <= MOST_ON_HOST)
        {
            return Ok(vec![host.expand(&sizes)?.into()]);
        }
    }
    let x = node.tensor(b, 0)?;
    if dims.is_empty() || x.dims() == dims {
        return Ok(vec![x.into()]);
    }
    let x = b.widened(&x, dims.len())?;
    Ok(vec![b.expand(&x, &dims)?.into()])
}

/// Dimensions broadcast in both directions.
fn common(dims: &[Expr], shape: &[Expr]) -> Outcome<Vec<Expr>> {
    let rank = dims.len().max(shape.len());
    let at = |dims: &[Expr], d: usize| (d + dims.len()).checked_sub(rank).map_or(Expr::Int(1), |d| dims[d].clone());
    let mut wide = Vec::with_capacity(rank);
    for d in 0..rank {
        let (a, b) = (at(dims, d), at(shape, d));
        wide.push(match (a.known(), b.known()) {
            _ if a == b => a,
            (Some(1), _) => b,
            (_, Some(1)) | (Some(_), None) => a,
            (None, Some(_)) => b,
            (None, None) => a.max(b),
            (Some(_), Some(_)) => fail!("{dims:?} does not expand to {shape:?}"),
        });
    }
    Ok(wide)
}

pub(super) fn tile(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (mut x, repeats) = (node.tensor(b, 0)?, node.ints(b, 1)?);
    require!(repeats.len() == x.rank(), "expected a number for each of {:?}, got {repeats:?}", x.dims());
    for (axis, times) in repeats.into_iter().enumerate() {
        if !times.is(1) {
            x = b.repeat_dim(&x, axis, times)?;
        }
    }
    Ok(vec![x.into()])
}
