//! Convolutions.

use super::window::Window;
use crate::builder::Builder;
use crate::calls::{ConvWindow, Range};
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, OnnxValue, Tensor};

pub(super) fn groups(node: &Node<'_>) -> Outcome<usize> {
    match usize::try_from(node.int("group", 1)?) {
        Ok(groups) if groups > 0 => Ok(groups),
        _ => fail!("attribute `group` must be positive"),
    }
}

pub(super) fn kernel(node: &Node<'_>, weight: &Tensor) -> Outcome<Vec<usize>> {
    let sizes: Option<Vec<usize>> = weight.dims()[2..].iter().map(Expr::size).collect();
    match (sizes, node.ints_attribute("kernel_shape")?) {
        (Some(sizes), _) => Ok(sizes),
        (None, Some(_)) => node.sizes("kernel_shape", weight.rank() - 2, 1),
        (None, None) => fail!("the size of the kernel must be known"),
    }
}

pub(super) fn conv(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, bias) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.optional_tensor(b, 2)?);
    Ok(vec![convolved(node, b, &x, &weight, bias.as_ref())?.into()])
}

/// The convolution of tensors with the attributes of a node.
pub(super) fn convolved(
    node: &Node<'_>,
    b: &mut Builder,
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
) -> Outcome<Tensor> {
    require!(x.rank() >= 3 && x.rank() == weight.rank(), "expected a kernel of the rank of {x:?}, got {weight:?}");
    let window = Window::read(node, &x.dims()[2..], &kernel(node, weight)?)?;
    let (x, pads) = match window.padding() {
        Some(pads) => (x.clone(), pads),
        None => (b.pad_constant(x, &window.pads, 0.into())?, vec![0; window.kernel.len()]),
    };
    let (strides, dilations) = (&window.strides, &window.dilations);
    b.conv(&x, weight, bias, ConvWindow { strides, pads: &pads, dilations, group: groups(node)? })
}

/// The gradient of a convolution by its input: its size is `stride (size - 1) + dilation (kernel - 1) + 1`
/// plus the output padding, less the padding.
pub(super) fn conv_transpose(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, bias) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.optional_tensor(b, 2)?);
    require!(x.rank() >= 3 && x.rank() == weight.rank(), "expected a kernel of the rank of {x:?}, got {weight:?}");
    let (spatial, group) = (x.rank() - 2, groups(node)?);
    let kernel = kernel(node, &weight)?;
    let (strides, dilations) = (node.sizes("strides", spatial, 1)?, node.sizes("dilations", spatial, 1)?);
    require!(strides.iter().all(|&stride| stride > 0), "a stride is 0");
    let added = node.sizes("output_padding", spatial, 0)?;
    let channels = weight.dim(1)? * group;
    let mut target = vec![x.dim(0)?, channels.clone()];
    let mut pairs = Vec::new();
    for d in 0..spatial {
        let reach = dilations[d].saturating_mul(kernel[d].saturating_sub(1)).saturating_add(1);
        let full = (x.dim(d + 2)? - 1) * strides[d] + reach + added[d];
        pairs.push(padding(node, d, spatial, &full, &x.dim(d + 2)?, strides[d])?);
        target.push(full);
    }
    // The part beyond the last whole stride is zero: no window of the convolution reaches it.
    let mut made = target.clone();
    let mut beyond = vec![(Expr::Int(0), Expr::Int(0)); spatial];
    for d in 0..spatial {
        let excess = added[d].saturating_sub(strides[d] - 1);
        made[d + 2] = made[d + 2].clone() - excess;
        beyond[d].1 = excess.into();
    }
    let zero = vec![0; spatial];
    let window = ConvWindow { strides: &strides, pads: &zero, dilations: &dilations, group };
    let mut y = b.conv_transpose(&x, &weight, &made, window)?;
    // A negative padding adds zeros.
    let mut ranges = vec![Range::full(), Range::full()];
    for (d, (before, after)) in pairs.iter().enumerate() {
        beyond[d].0 = beyond[d].0.clone() + (Expr::Int(0) - before.clone()).max(0);
        beyond[d].1 = beyond[d].1.clone() + (Expr::Int(0) - after.clone()).max(0);
    }
    if beyond.iter().any(|(before, after)| !before.is(0) || !after.is(0)) {
        y = b.pad_constant(&y, &beyond, 0.into())?;
    }
    for (d, (before, after)) in pairs.iter().enumerate() {
        let (before, after) = (before.clone().max(0), after.clone().max(0));
        let size = y.dim(d + 2)?;
        let whole = before.is(0) && after.is(0);
        ranges.push(if whole { Range::full() } else { Range::new(before, size - after) });
    }
    if ranges.iter().any(|range| *range != Range::full()) {
        y = b.slice(&y, &ranges)?;
    }
    if let Some(bias) = bias {
        let mut sizes = vec![Expr::Int(1); x.rank()];
        sizes[1] = channels;
        let bias = b.reshape(&bias, &sizes)?;
        y = b.add(&y, &bias)?;
    }
    Ok(vec![y.into()])
}

/// Elements that go away before and after a dimension.
fn padding(node: &Node<'_>, d: usize, spatial: usize, full: &Expr, size: &Expr, stride: usize) -> Outcome<(Expr, Expr)> {
    let mode = node.text("auto_pad", "NOTSET")?;
    let wanted = match (node.ints_attribute("output_shape")?, &mode[..]) {
        (Some(sizes), _) => {
            require!(sizes.len() >= spatial, "attribute `output_shape` must have {spatial} numbers, found {sizes:?}");
            Some(Expr::Int(sizes[sizes.len() - spatial + d]))
        }
        (None, "SAME_UPPER" | "SAME_LOWER") => Some(size.clone() * stride),
        (None, _) => None,
    };
    Ok(match wanted {
        Some(wanted) => {
            let total = full.clone() - wanted;
            // Rounded down, as an output that is larger than the whole has a negative padding.
            let odd = Expr::apply(Function::Remainder, vec![total.clone(), Expr::Int(2)]);
            let small = (total.clone() - odd) / 2;
            let large = total - small.clone();
            if mode == "SAME_UPPER" { (small, large) } else { (large, small) }
        }
        None => {
            let pads = node.ints_attribute("pads")?.unwrap_or_else(|| vec![0; 2 * spatial]);
            require!(pads.len() == 2 * spatial, "attribute `pads` must have {} numbers, found {pads:?}", 2 * spatial);
            (Expr::Int(pads[d]), Expr::Int(pads[spatial + d]))
        }
    })
}
