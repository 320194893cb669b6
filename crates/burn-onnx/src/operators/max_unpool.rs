//! The opposite of max pooling.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};

/// The opposite of max pooling: values at the indices that pooling gave, zeros elsewhere. Since version 9.
pub(super) fn max_unpool(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, places) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    require!(x.rank() >= 3, "expected [batch, channels, ..], got {x:?}");
    let spatial = x.rank() - 2;
    let kernel = node.sizes("kernel_shape", spatial, 1)?;
    let strides = node.sizes("strides", spatial, 1)?;
    let pads = node.sizes("pads", 2 * spatial, 0)?;
    let mut inferred = x.dims()[..2].to_vec();
    for d in 0..spatial {
        let size = (x.dim(d + 2)? - 1) * strides[d] + kernel[d];
        inferred.push(size - pads[d] - pads[spatial + d]);
    }
    let dims = if node.has_input(2) { node.ints(b, 2)? } else { inferred.clone() };
    require!(dims.len() == x.rank(), "expected an output shape of rank {}, got {dims:?}", x.rank());
    let zeros = b.full(&[Expr::product(&inferred)], 0.into(), x.dtype())?;
    let count = [Expr::product(x.dims())];
    let (values, places) = (b.reshape(&x, &count)?, b.reshape(&places, &count)?);
    let y = b.scatter_assign(&zeros, 0, &places, &values)?;
    let y = b.reshape(&y, &inferred)?;
    if dims == inferred {
        return Ok(vec![y.into()]);
    }
    // Indices count in the tensor that was pooled; a larger output has zeros after it.
    let beyond: Vec<_> =
        dims.iter().zip(&inferred).map(|(size, own)| (Expr::Int(0), size.clone() - own.clone())).collect();
    Ok(vec![b.pad_constant(&y, &beyond, 0.into())?.into()])
}
