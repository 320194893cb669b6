//! Sliding windows put together to images.

use super::iota::iota;
use crate::builder::Builder;
use crate::calls::Range;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Blocks of columns added into an image: the opposite of the extraction of sliding windows. Since version
/// 18.
pub(super) fn col2im(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let (image, kernel) = (node.ints(b, 1)?, node.host(b, 2)?.known_ints("the block shape")?);
    let spatial = image.len();
    require!(x.rank() == 3 && kernel.len() == spatial, "expected [batch, channels of blocks, blocks], got {x:?}");
    let kernel: Vec<usize> = kernel.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
    require!(kernel.iter().all(|&size| size > 0), "a size of the blocks is not positive");
    let (strides, dilations) = (node.sizes("strides", spatial, 1)?, node.sizes("dilations", spatial, 1)?);
    let pads = node.sizes("pads", 2 * spatial, 0)?;
    let Some(taps) = kernel.iter().try_fold(1_usize, |taps, &size| taps.checked_mul(size)) else {
        fail!("blocks of {kernel:?} elements are too large")
    };
    let channels = x.dim(1)? / taps;
    // Index of each tap of each block in the padded image: taps are the first dimensions, blocks the others.
    let (mut places, mut padded): (Option<Tensor>, Vec<Expr>) = (None, Vec::new());
    for d in 0..spatial {
        let size = image[d].clone() + pads[d] + pads[spatial + d];
        let reach = dilations[d].saturating_mul(kernel[d] - 1).saturating_add(1);
        let blocks = (size.clone() - reach) / strides[d] + 1;
        let tap = iota(b, &kernel[d].into(), d, 2 * spatial, DType::I64)?;
        let block = iota(b, &blocks, spatial + d, 2 * spatial, DType::I64)?;
        let (tap, block) = (b.mul_scalar(&tap, dilations[d].into())?, b.mul_scalar(&block, strides[d].into())?);
        let place = b.add(&tap, &block)?;
        places = Some(match places {
            Some(outer) => {
                let outer = b.mul_scalar(&outer, size.clone())?;
                b.add(&outer, &place)?
            }
            None => place,
        });
        padded.push(size);
    }
    let Some(places) = places else { fail!("the image has no dimension") };
    let planes = x.dim(0)? * channels.clone();
    let count = Expr::product(places.held_dims());
    let places = b.reshape(&places, &[Expr::Int(1), count.clone()])?;
    let places = b.expand(&places, &[planes.clone(), count.clone()])?;
    let values = b.reshape(&x, &[planes.clone(), count])?;
    let zeros = b.full(&[planes, Expr::product(&padded)], 0.into(), x.dtype())?;
    let sum = b.scatter_add(&zeros, 1, &places, &values)?;
    let mut dims = vec![x.dim(0)?, channels];
    dims.extend(padded.iter().cloned());
    let mut y = b.reshape(&sum, &dims)?;
    if pads.iter().any(|&pad| pad > 0) {
        let mut ranges = vec![Range::full(), Range::full()];
        ranges.extend((0..spatial).map(|d| Range::new(pads[d], image[d].clone() + pads[d])));
        y = b.slice(&y, &ranges)?;
    }
    Ok(vec![y.into()])
}
