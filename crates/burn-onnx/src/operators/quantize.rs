//! Floats as small integers with a scale and a zero point. QuantizeLinear and DequantizeLinear since version
//! 10, with an axis since 13, blocks since 21; DynamicQuantizeLinear since 11.

use super::iota::{along, integer_range, part, repeat_interleave};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// A scale or a zero point in dimensions that broadcast to `x`: one for all, one for each index of the axis,
/// or one for each block along it.
pub(super) fn spread(b: &mut Builder, factor: &Tensor, x: &Tensor, axis: usize, block: usize) -> Outcome<Tensor> {
    if factor.held_dims().len() == 1 && (factor.is_scalar() || factor.held_dims()[0].is(1)) {
        return b.reshape(factor, &vec![Expr::Int(1); x.held_dims().len()]);
    }
    if factor.rank() == 1 && block == 0 {
        return along(b, factor, axis, x.rank());
    }
    require!(
        factor.rank() == x.rank() && block > 0,
        "a scale {factor:?} for {x:?} needs an axis or a block size"
    );
    let wide = repeat_interleave(b, factor, axis, &block.into())?;
    part(b, &wide, axis, 0, x.dim(axis)?)
}

/// Rounded to the even one, clamped to the range of an integer type, and converted to it.
pub(super) fn saturated(b: &mut Builder, x: &Tensor, zero_point: Option<&Tensor>, dtype: DType) -> Outcome<Tensor> {
    require!(dtype.is_int(), "the quantized type must be of integers, found {dtype}");
    let mut x = b.round(x)?;
    if let Some(zero_point) = zero_point {
        let zero_point = b.convert(zero_point, x.dtype())?;
        let (left, right) = b.aligned(&x, &zero_point)?;
        x = b.add(&left, &right)?;
    }
    let (low, high) = integer_range(dtype);
    let x = b.clamp(&x, (low as f64).into(), (high as f64).into())?;
    b.convert(&x, dtype)
}

fn block(node: &Node<'_>) -> Outcome<usize> {
    match usize::try_from(node.int("block_size", 0)?) {
        Ok(block) => Ok(block),
        Err(_) => fail!("attribute `block_size` is negative"),
    }
}

fn axis(node: &Node<'_>, x: &Tensor, scale: &Tensor) -> Outcome<usize> {
    let axis = node.int("axis", 1)?;
    // One scale for all needs no axis, and a vector has no axis 1.
    if scale.rank() == 0 || (scale.rank() == 1 && scale.held_dims()[0].is(1)) {
        return Ok(node.axis(axis, x.rank()).unwrap_or(0));
    }
    node.axis(axis, x.rank())
}

/// `clamp(round(x / scale) + zero_point)`.
pub(super) fn quantize(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, scale, zero_point) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.optional_tensor(b, 2)?);
    let dtype = match (&zero_point, node.dtype("output_dtype")?) {
        (Some(zero_point), _) => zero_point.dtype(),
        (None, Some(dtype)) => dtype,
        (None, None) => DType::U8,
    };
    let precision = match node.int("precision", 0)? {
        0 => scale.dtype(),
        _ => node.dtype("precision")?.unwrap_or(scale.dtype()),
    };
    let (axis, block) = (axis(node, &x, &scale)?, block(node)?);
    let scale = spread(b, &scale, &x, axis, block)?;
    let zero_point = zero_point.map(|zero_point| spread(b, &zero_point, &x, axis, block)).transpose()?;
    let (wide, scale) = (b.convert(&x, precision)?, b.convert(&scale, precision)?);
    let (wide, scale) = b.aligned(&wide, &scale)?;
    let divided = b.div(&wide, &scale)?;
    // Sums with a zero point of 16 bits are beyond the integers of half precision.
    let divided = if matches!(precision, DType::F16 | DType::BF16) { b.convert(&divided, DType::F32)? } else { divided };
    let y = saturated(b, &divided, zero_point.as_ref(), dtype)?;
    Ok(vec![y.as_scalar(x.is_scalar()).into()])
}

/// `(x - zero_point) scale`.
pub(super) fn dequantize(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, scale, zero_point) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.optional_tensor(b, 2)?);
    let dtype = match node.int("output_dtype", 0)? {
        0 => scale.dtype(),
        _ => node.dtype("output_dtype")?.unwrap_or(scale.dtype()),
    };
    let (axis, block) = (axis(node, &x, &scale)?, block(node)?);
    let scale = spread(b, &scale, &x, axis, block)?;
    let mut y = b.convert(&x, DType::F32)?;
    if let Some(zero_point) = zero_point {
        let zero_point = spread(b, &zero_point, &x, axis, block)?;
        let zero_point = b.convert(&zero_point, DType::F32)?;
        let (left, right) = b.aligned(&y, &zero_point)?;
        y = b.sub(&left, &right)?;
    }
    let scale = b.convert(&scale, DType::F32)?;
    let (y, scale) = b.aligned(&y, &scale)?;
    let y = b.mul(&y, &scale)?;
    let y = b.convert(&y, dtype)?;
    Ok(vec![y.as_scalar(x.is_scalar()).into()])
}

/// Quantization to `uint8` with the range of the elements and zero: also gives the scale and the zero point.
pub(super) fn dynamic(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axes: Vec<usize> = (0..x.held_dims().len()).collect();
    let (high, low) = (b.max_dims(&x, &axes)?, b.min_dims(&x, &axes)?);
    let (high, low) = (b.clamp_min(&high, 0.0.into())?, b.clamp_max(&low, 0.0.into())?);
    let width = b.sub(&high, &low)?;
    let is_flat = b.equal_elem(&width, 0.0.into())?;
    let width = b.mask_fill(&width, &is_flat, 1.0.into())?;
    let scale = b.div_scalar(&width, 255.0.into())?;
    let zero_point = b.div(&low, &scale)?;
    let zero_point = b.neg(&zero_point)?;
    let zero_point = b.clamp(&zero_point, 0.0.into(), 255.0.into())?;
    let zero_point = b.round(&zero_point)?;
    let divided = b.div(&x, &scale)?;
    let y = saturated(b, &divided, Some(&zero_point), DType::U8)?;
    let scale = b.reshaped(&scale, &[])?;
    let zero_point = b.reshaped(&zero_point, &[])?;
    let zero_point = b.convert(&zero_point, DType::U8)?;
    Ok(vec![y.into(), scale.into(), zero_point.into()])
}
