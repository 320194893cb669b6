//! Products of quantized tensors. MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv since version 10.

use super::convolution::convolved;
use super::iota::along;
use super::matmul::product;
use super::quantize::saturated;
use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// The tensor less its zero point, which is one for all or one for each index of an axis.
fn centred(
    node: &Node<'_>,
    b: &mut Builder,
    x: &Tensor,
    place: usize,
    axis: usize,
    dtype: DType,
) -> Outcome<Tensor> {
    let wide = b.convert(x, dtype)?;
    let Some(zero_point) = node.optional_tensor(b, place)? else { return Ok(wide) };
    let zero_point = b.convert(&zero_point, dtype)?;
    let zero_point = factor(b, &zero_point, x, axis)?;
    b.sub(&wide, &zero_point)
}

/// A scale or a zero point in dimensions that broadcast to `x`.
fn factor(b: &mut Builder, factor: &Tensor, x: &Tensor, axis: usize) -> Outcome<Tensor> {
    match factor.rank() {
        0 => b.reshape(factor, &vec![Expr::Int(1); x.rank()]),
        1 if factor.dims()[0].is(1) => b.reshape(factor, &vec![Expr::Int(1); x.rank()]),
        1 => along(b, factor, axis, x.rank()),
        rank => {
            require!(rank == x.rank(), "a factor {factor:?} does not fit {x:?}");
            Ok(factor.clone())
        }
    }
}

/// `(a - a_zero_point) (b - b_zero_point)` in `int32`.
pub(super) fn matmul_integer(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let x = centred(node, b, &x, 2, x.rank().saturating_sub(2), DType::I32)?;
    let y = centred(node, b, &y, 3, y.rank().saturating_sub(1), DType::I32)?;
    Ok(vec![product(b, &x, &y)?.into()])
}

/// `(x - x_zero_point)` convolved with `(w - w_zero_point)`, in `int32`. Convolutions are of floats: those of
/// double precision hold every sum of products exactly.
pub(super) fn conv_integer(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let x = centred(node, b, &x, 2, 1, DType::F64)?;
    let weight = centred(node, b, &weight, 3, 0, DType::F64)?;
    let y = convolved(node, b, &x, &weight, None)?;
    Ok(vec![b.convert(&y, DType::I32)?.into()])
}

/// The scale of the product over that of the result.
fn requantized(
    node: &Node<'_>,
    b: &mut Builder,
    sums: &Tensor,
    scales: [usize; 3],
    zero_point: usize,
    axes: [usize; 2],
) -> Outcome<Tensor> {
    let mut y = b.convert(sums, DType::F32)?;
    let scale = |b: &mut Builder, place: usize, axis: usize| {
        let scale = node.tensor(b, place)?;
        let scale = b.convert(&scale, DType::F32)?;
        factor(b, &scale, sums, axis)
    };
    let (left, right) = (scale(b, scales[0], axes[0])?, scale(b, scales[1], axes[1])?);
    let (whole, both) = (scale(b, scales[2], axes[1])?, b.mul(&left, &right)?);
    let ratio = b.div(&both, &whole)?;
    y = b.mul(&y, &ratio)?;
    let zero_point = node.tensor(b, zero_point)?;
    let dtype = zero_point.dtype();
    let zero_point = factor(b, &zero_point, sums, axes[1])?;
    saturated(b, &y, Some(&zero_point), dtype)
}

/// The product of quantized matrices, quantized again.
pub(super) fn qlinear_matmul(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 3)?);
    require!(x.rank() >= 2 && y.rank() >= 2, "expected matrices, got {x:?} and {y:?}");
    let left = centred(node, b, &x, 2, x.rank() - 2, DType::I32)?;
    let right = centred(node, b, &y, 5, y.rank() - 1, DType::I32)?;
    let sums = product(b, &left, &right)?;
    let rank = sums.rank();
    Ok(vec![requantized(node, b, &sums, [1, 4, 6], 7, [rank - 2, rank - 1])?.into()])
}

/// The convolution of quantized tensors, quantized again.
pub(super) fn qlinear_conv(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight) = (node.tensor(b, 0)?, node.tensor(b, 3)?);
    let x = centred(node, b, &x, 2, 1, DType::F64)?;
    let weight = centred(node, b, &weight, 5, 0, DType::F64)?;
    let bias = node.optional_tensor(b, 8)?.map(|bias| b.convert(&bias, DType::F64)).transpose()?;
    let sums = convolved(node, b, &x, &weight, bias.as_ref())?;
    Ok(vec![requantized(node, b, &sums, [1, 4, 6], 7, [1, 1])?.into()])
}
