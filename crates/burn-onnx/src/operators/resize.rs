//! Images in other sizes. Resize since version 10, Upsample 7 to 9.

use super::iota::{along, repeat_interleave};
use super::resize_taps::{Coordinates, Kernel, Taps};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, OnnxValue, Tensor};
use burn_ir::DType;

/// A new size of one axis, with the scale that it follows from.
#[derive(Clone, Debug)]
struct Axis {
    axis: usize,
    size: Expr,
    scale: Expr,
    roi: (f64, f64),
}

pub(super) fn upsample(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let scales = match node.floats_attribute("scales")? {
        Some(scales) => scales.into_iter().map(Expr::Float).collect(),
        None => node.host(b, 1)?.elements,
    };
    require!(scales.len() == x.rank(), "expected a scale for each dimension of {x:?}, got {scales:?}");
    let kernel = match &node.text("mode", "nearest")?[..] {
        "nearest" => Kernel::Nearest("floor".into()),
        "linear" | "bilinear" => Kernel::Linear { antialias: false },
        other => fail!("attribute `mode` must be nearest or linear, found `{other}`"),
    };
    let coordinates = Coordinates { mode: "asymmetric".into(), exclude_outside: false };
    let axes = scaled(&x, &scales, (0..x.rank()).collect())?;
    Ok(vec![resized(b, &x, &axes, &coordinates, &kernel, 0.0)?.into()])
}

fn scaled(x: &Tensor, scales: &[Expr], axes: Vec<usize>) -> Outcome<Vec<Axis>> {
    let each = axes.into_iter().zip(scales).map(|(axis, scale)| {
        let size = Expr::apply(Function::ToFloat, vec![x.dim(axis)?]) * scale.clone();
        let size = Expr::apply(Function::ToInt, vec![Expr::apply(Function::Floor, vec![size])]);
        let size = if scale.to_f64() == Some(1.0) { x.dim(axis)? } else { size };
        Ok(Axis { axis, size, scale: scale.clone(), roi: (0.0, 1.0) })
    });
    each.collect()
}

/// Inputs are the image, a region, scales and sizes; version 10 has the image and scales.
pub(super) fn resize(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axes: Vec<usize> = match node.ints_attribute("axes")? {
        Some(axes) => axes.iter().map(|&axis| node.axis(axis, x.rank())).collect::<Outcome<_>>()?,
        None => (0..x.rank()).collect(),
    };
    let scales_at = if node.opset < 11 { 1 } else { 2 };
    let scales = match node.optional(scales_at) {
        Some(value) => b.host(value)?.elements,
        None => Vec::new(),
    };
    let mut targets = if !scales.is_empty() {
        require!(scales.len() == axes.len(), "expected {} scales, got {scales:?}", axes.len());
        scaled(&x, &scales, axes)?
    } else {
        let sizes = node.ints(b, 3)?;
        require!(sizes.len() == axes.len(), "expected {} sizes, got {sizes:?}", axes.len());
        by_sizes(node, &x, axes, &sizes)?
    };
    let mode = node.text("coordinate_transformation_mode", if node.opset < 11 { "asymmetric" } else { "half_pixel" })?;
    if mode == "tf_crop_and_resize" {
        let roi: Option<Vec<f64>> = node.host(b, 1)?.elements.iter().map(Expr::to_f64).collect();
        let Some(roi) = roi else { fail!("the region must be known") };
        require!(roi.len() == 2 * targets.len(), "expected a region of {} numbers", 2 * targets.len());
        let count = targets.len();
        for (place, target) in targets.iter_mut().enumerate() {
            target.roi = (roi[place], roi[place + count]);
        }
    }
    let antialias = node.flag("antialias", false)?;
    let kernel = match &node.text("mode", "nearest")?[..] {
        "nearest" => Kernel::Nearest(node.text("nearest_mode", if node.opset < 11 { "floor" } else { "round_prefer_floor" })?),
        "linear" | "bilinear" => Kernel::Linear { antialias },
        "cubic" => Kernel::Cubic { antialias, a: node.float("cubic_coeff_a", -0.75)? },
        other => fail!("attribute `mode` must be nearest, linear or cubic, found `{other}`"),
    };
    let coordinates = Coordinates { mode, exclude_outside: node.flag("exclude_outside", false)? };
    let beyond = node.float("extrapolation_value", 0.0)?;
    Ok(vec![resized(b, &x, &targets, &coordinates, &kernel, beyond)?.into()])
}

fn by_sizes(node: &Node<'_>, x: &Tensor, axes: Vec<usize>, sizes: &[Expr]) -> Outcome<Vec<Axis>> {
    let float = |value: &Expr| Expr::apply(Function::ToFloat, vec![value.clone()]);
    let ratios: Vec<Expr> =
        axes.iter().zip(sizes).map(|(&axis, size)| float(size) / float(&x.dims()[axis])).collect();
    let policy = node.text("keep_aspect_ratio_policy", "stretch")?;
    let common = match &policy[..] {
        "stretch" => None,
        "not_larger" => ratios.iter().cloned().reduce(Expr::min),
        "not_smaller" => ratios.iter().cloned().reduce(Expr::max),
        other => fail!("attribute `keep_aspect_ratio_policy` must be stretch, not_larger or not_smaller, found `{other}`"),
    };
    let each = axes.into_iter().zip(sizes.iter().zip(ratios)).map(|(axis, (size, ratio))| {
        let (size, scale) = match &common {
            None => (size.clone(), ratio),
            Some(common) => {
                let size = float(&x.dims()[axis]) * common.clone() + 0.5;
                (Expr::apply(Function::ToInt, vec![Expr::apply(Function::Floor, vec![size])]), common.clone())
            }
        };
        Axis { axis, size, scale, roi: (0.0, 1.0) }
    });
    Ok(each.collect())
}

fn resized(
    b: &mut Builder,
    x: &Tensor,
    targets: &[Axis],
    coordinates: &Coordinates,
    kernel: &Kernel,
    beyond: f64,
) -> Outcome<Tensor> {
    let dtype = x.dtype();
    let whole = matches!(kernel, Kernel::Nearest(_));
    let mut y = if whole || dtype.is_float() { x.clone() } else { b.convert(x, DType::F32)? };
    let is_crop = coordinates.mode == "tf_crop_and_resize";
    for target in targets {
        if target.scale.to_f64() == Some(1.0) && !(is_crop && target.roi != (0.0, 1.0)) {
            continue;
        }
        if let Some(times) = copies(target, kernel, coordinates) {
            y = repeat_interleave(b, &y, target.axis, &times.into())?;
            continue;
        }
        let sizes = (y.dim(target.axis)?.size(), target.size.size(), target.scale.to_f64());
        let (Some(from), Some(to), Some(scale)) = sizes else {
            fail!(
                "dimension {} of {y:?} must be known before the model runs, as must its new size, unless each element is copied a \
                 whole number of times",
                target.axis
            )
        };
        let taps = Taps::of(from, to, scale, target.roi, coordinates, kernel)?;
        y = weighted(b, &y, target.axis, &taps, beyond)?;
    }
    b.convert(&y, dtype)
}

/// How often each element is copied, where that is all that happens to an axis.
fn copies(target: &Axis, kernel: &Kernel, coordinates: &Coordinates) -> Option<usize> {
    let scale = target.scale.to_f64().filter(|scale| *scale >= 1.0 && scale.fract() == 0.0)?;
    let Kernel::Nearest(rounding) = kernel else { return None };
    // Around a pixel the coordinates of its copies differ from its own by less than half.
    let fits = matches!(
        (&coordinates.mode[..], &rounding[..]),
        ("asymmetric", "floor")
            | ("half_pixel" | "pytorch_half_pixel" | "half_pixel_symmetric", "round_prefer_floor" | "round_prefer_ceil")
    );
    fits.then_some(scale as usize)
}

/// The sum over the taps of each new element.
fn weighted(b: &mut Builder, x: &Tensor, axis: usize, taps: &Taps, beyond: f64) -> Outcome<Tensor> {
    let list = |b: &mut Builder, indices: &[usize]| {
        let indices: Vec<Expr> = indices.iter().map(|&index| Expr::from(index)).collect();
        b.ints(&indices, DType::I64)
    };
    let Some(weights) = &taps.weights else {
        let indices = list(b, &taps.indices[0])?;
        let y = b.select(x, axis, &indices)?;
        return outside(b, y, axis, taps, beyond);
    };
    let mut sum: Option<Tensor> = None;
    for (indices, weights) in taps.indices.iter().zip(weights) {
        if weights.iter().all(|&weight| weight == 0.0) {
            continue;
        }
        let indices = list(b, indices)?;
        let part = b.select(x, axis, &indices)?;
        let weights: Vec<Expr> = weights.iter().map(|&weight| weight.into()).collect();
        let weights = b.floats(&weights, x.dtype())?;
        let weights = along(b, &weights, axis, x.rank())?;
        let part = b.mul(&part, &weights)?;
        sum = Some(match sum {
            Some(sum) => b.add(&sum, &part)?,
            None => part,
        });
    }
    match sum {
        Some(sum) => outside(b, sum, axis, taps, beyond),
        None => fail!("the new size of dimension {axis} is 0"),
    }
}

/// Elements from beyond the input get one value.
fn outside(b: &mut Builder, y: Tensor, axis: usize, taps: &Taps, beyond: f64) -> Outcome<Tensor> {
    if !taps.outside.contains(&true) {
        return Ok(y);
    }
    let flags: Vec<Expr> = taps.outside.iter().map(|&outside| i64::from(outside).into()).collect();
    let flags = b.ints(&flags, DType::I64)?;
    let flags = along(b, &flags, axis, y.rank())?;
    let flags = b.convert(&flags, DType::Bool)?;
    let flags = b.expand(&flags, y.dims())?;
    b.mask_fill(&y, &flags, beyond.into())
}
