//! Deformable convolution.

use super::convolution::{groups, kernel};
use super::window::Window;
use crate::builder::Builder;
use crate::calls::ConvWindow;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::OnnxValue;

/// Each element of the kernel samples the image at its position plus an offset, with a factor of the mask.
/// Since version 19.
pub(super) fn deform_conv(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, offset) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    let (bias, mask) = (node.optional_tensor(b, 3)?, node.optional_tensor(b, 4)?);
    require!(x.rank() == 4 && weight.rank() == 4, "only images of two dimensions are supported, got {x:?}");
    let window = Window::read(node, &x.dims()[2..], &kernel(node, &weight)?)?;
    let (x, pads) = match window.padding() {
        Some(pads) => (x, pads),
        None => (b.pad_constant(&x, &window.pads, 0.into())?, vec![0; window.kernel.len()]),
    };
    let (strides, dilations) = (&window.strides, &window.dilations);
    let window = ConvWindow { strides, pads: &pads, dilations, group: groups(node)? };
    let y = b.deform_conv2d(&x, &weight, &offset, mask.as_ref(), bias.as_ref(), window)?;
    Ok(vec![y.into()])
}
