//! Pooling over spatial dimensions.

use super::window::Window;
use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// The windows of a pool, and the padding that they need at the end where the number of windows is rounded
/// up.
fn windows(node: &Node<'_>, x: &Tensor) -> Outcome<(Window, Vec<Expr>)> {
    require!(x.rank() >= 3, "expected [batch, channels, ..], got {x:?}");
    let sizes = x.dims()[2..].to_vec();
    let kernel = node.sizes("kernel_shape", sizes.len(), 1)?;
    let window = Window::read(node, &sizes, &kernel)?;
    let mut extra = vec![Expr::Int(0); sizes.len()];
    if node.flag("ceil_mode", false)? {
        for (d, extra) in extra.iter_mut().enumerate() {
            let (before, after) = window.pads[d].clone();
            let (stride, reach) = (window.strides[d], window.reach(d));
            let padded = sizes[d].clone() + before.clone() + after;
            let count = (padded.clone() - reach).div_ceil(stride) + 1;
            // A window does not start in the padding at the end.
            let most = (sizes[d].clone() + before - 1) / stride + 1;
            *extra = ((count.min(most) - 1) * stride + reach - padded).max(0);
        }
    }
    Ok((window, extra))
}

/// Padding that the pool itself can do.
fn direct(window: &Window, extra: &[Expr]) -> Option<Vec<usize>> {
    let pads = window.symmetric()?;
    let fits = pads.iter().zip(&window.kernel).all(|(&pad, &kernel)| pad <= kernel / 2);
    let plain = window.dilations.iter().zip(&pads).all(|(&dilation, &pad)| dilation == 1 || pad == 0);
    (fits && plain && extra.iter().all(|extra| extra.is(0))).then_some(pads)
}

fn all_pads(window: &Window, extra: &[Expr]) -> Vec<(Expr, Expr)> {
    let pairs = window.pads.iter().zip(extra);
    pairs.map(|((before, after), extra)| (before.clone(), after.clone() + extra.clone())).collect()
}

pub(super) fn max_pool(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let input = node.tensor(b, 0)?;
    let (window, extra) = windows(node, &input)?;
    // Small integers are floats without loss.
    let x = if input.dtype().is_float() { input.clone() } else { b.convert(&input, DType::F32)? };
    let Window { kernel, strides, dilations, .. } = &window;
    let (x, pads, added) = match direct(&window, &extra) {
        Some(pads) => (x, pads, None),
        None => {
            let pairs = all_pads(&window, &extra);
            (b.pad_constant(&x, &pairs, f64::NEG_INFINITY.into())?, vec![0; kernel.len()], Some(pairs))
        }
    };
    if !node.has_output(1) {
        let y = b.max_pool(&x, kernel, strides, &pads, dilations)?;
        return Ok(vec![b.convert(&y, input.dtype())?.into()]);
    }
    let mut both = b.max_pool_with_indices(&x, kernel, strides, &pads, dilations)?;
    let (places, y) = (both.remove(1), both.remove(0));
    let by_columns = node.flag("storage_order", false)?;
    let places = places_of(b, &places, &x, &input, added.as_deref(), by_columns)?;
    let y = b.convert(&y, input.dtype())?;
    Ok(vec![y.into(), places.into()])
}

/// Indices in the whole input, in row-major order or with the spatial dimensions in column-major order.
fn places_of(
    b: &mut Builder,
    places: &Tensor,
    padded: &Tensor,
    input: &Tensor,
    added: Option<&[(Expr, Expr)]>,
    by_columns: bool,
) -> Outcome<Tensor> {
    let spatial = input.rank() - 2;
    let sizes = &input.dims()[2..];
    let mut inner = places.clone();
    if added.is_some() || by_columns {
        // From the index in the padded dimensions to coordinates, and from those to the index in the input.
        let (mut rest, mut indices) = (places.clone(), Vec::new());
        for d in (0..spatial).rev() {
            let size = padded.dim(d + 2)?;
            let mut index = b.remainder_scalar(&rest, size.clone())?;
            rest = b.div_scalar(&rest, size)?;
            if let Some(added) = added {
                index = b.sub_scalar(&index, added[d].0.clone())?;
            }
            indices.insert(0, index);
        }
        let order: Vec<usize> = if by_columns { (0..spatial).rev().collect() } else { (0..spatial).collect() };
        let mut sum: Option<Tensor> = None;
        for d in order {
            sum = Some(match sum {
                Some(sum) => {
                    let scaled = b.mul_scalar(&sum, sizes[d].clone())?;
                    b.add(&scaled, &indices[d])?
                }
                None => indices[d].clone(),
            });
        }
        inner = sum.unwrap_or(inner);
    }
    let planes = input.dim(0)? * input.dim(1)?;
    let starts = b.arange(Expr::Int(0), planes, 1, DType::I64)?;
    let starts = b.mul_scalar(&starts, Expr::product(sizes))?;
    let mut shape = vec![Expr::Int(1); input.rank()];
    shape[..2].clone_from_slice(&input.dims()[..2]);
    let starts = b.reshape(&starts, &shape)?;
    b.add(&inner, &starts)
}

pub(super) fn average_pool(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let (window, extra) = windows(node, &x)?;
    let include = node.flag("count_include_pad", false)?;
    let Window { kernel, strides, dilations, .. } = &window;
    if let Some(pads) = direct(&window, &extra) {
        return Ok(vec![b.avg_pool(&x, kernel, strides, &pads, dilations, include)?.into()]);
    }
    // The mean of the padded input over the mean of what counts.
    let zero = vec![0; kernel.len()];
    let mut sizes = vec![Expr::Int(1), Expr::Int(1)];
    let mut counted = all_pads(&window, &extra);
    for (d, size) in x.dims()[2..].iter().enumerate() {
        let (before, after) = if include { window.pads[d].clone() } else { (Expr::Int(0), Expr::Int(0)) };
        sizes.push(size.clone() + before + after);
        if include {
            counted[d] = (Expr::Int(0), extra[d].clone());
        }
    }
    let ones = b.full(&sizes, 1.0.into(), x.dtype())?;
    let ones = b.pad_constant(&ones, &counted, 0.into())?;
    let count = b.avg_pool(&ones, kernel, strides, &zero, dilations, true)?;
    let padded = b.pad_constant(&x, &all_pads(&window, &extra), 0.into())?;
    let mean = b.avg_pool(&padded, kernel, strides, &zero, dilations, true)?;
    Ok(vec![b.div(&mean, &count)?.into()])
}

/// `(sum of |x|^p)^(1/p)` over each window.
pub(super) fn lp_pool(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let p = node.int("p", 2)? as f64;
    let (window, extra) = windows(node, &x)?;
    let pairs = all_pads(&window, &extra);
    let Window { kernel, strides, dilations, .. } = &window;
    let powers = b.abs(&x)?;
    let powers = b.powf_scalar(&powers, p.into())?;
    let powers = if pairs.iter().all(|(before, after)| before.is(0) && after.is(0)) {
        powers
    } else {
        b.pad_constant(&powers, &pairs, 0.into())?
    };
    let mean = b.avg_pool(&powers, kernel, strides, &vec![0; kernel.len()], dilations, true)?;
    let sum = b.mul_scalar(&mean, Expr::product(&kernel.iter().map(|&size| Expr::from(size)).collect::<Vec<_>>()))?;
    Ok(vec![b.powf_scalar(&sum, (1.0 / p).into())?.into()])
}

fn spatial(x: &Tensor) -> Vec<usize> {
    (2..x.rank()).collect()
}

pub(super) fn global_average_pool(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    Ok(vec![b.mean_dims(&x, &spatial(&x))?.into()])
}

pub(super) fn global_max_pool(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    Ok(vec![b.max_dims(&x, &spatial(&x))?.into()])
}

pub(super) fn global_lp_pool(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, p) = (node.tensor(b, 0)?, node.int("p", 2)? as f64);
    let powers = b.abs(&x)?;
    let powers = b.powf_scalar(&powers, p.into())?;
    let sum = b.sum_dims(&powers, &spatial(&x))?;
    Ok(vec![b.powf_scalar(&sum, (1.0 / p).into())?.into()])
}
