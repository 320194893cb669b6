//! Bits of integers. BitShift since version 11, the others since 18, BitCast since 26.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};
use burn_ir::DType;

macro_rules! bitwise {
    ($($name:ident => $method:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
            let (x, y) = b.aligned(&x, &y)?;
            Ok(vec![b.$method(&x, &y)?.into()])
        }
    )*};
}

bitwise! {
    and => bitwise_and;
    or => bitwise_or;
    xor => bitwise_xor;
}

pub(super) fn not(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    Ok(vec![b.bitwise_not(&x)?.into()])
}

pub(super) fn shift(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let (x, y) = b.aligned(&x, &y)?;
    Ok(vec![match &node.text("direction", "")?[..] {
        "LEFT" => b.bitwise_left_shift(&x, &y)?,
        "RIGHT" => b.bitwise_right_shift(&x, &y)?,
        other => fail!("attribute `direction` must be LEFT or RIGHT, found `{other}`"),
    }
    .into()])
}

/// The bits of elements read as another element type of the same width.
pub(super) fn bit_cast(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let Some(dtype) = node.dtype("to")? else { fail!("attribute `to` is missing") };
    require!(x.dtype().size() == dtype.size(), "elements of {} and {dtype} differ in width", x.dtype());
    if x.dtype() == DType::Bool || dtype == DType::Bool {
        return Ok(vec![b.convert(&x, dtype)?.into()]);
    }
    let dims = x.dims().to_vec();
    let flat = b.reshape(&x, &[Expr::product(&dims)])?;
    let y = match (x.dtype().is_float(), dtype.is_float()) {
        (true, true) => b.float_bits_to_float(&flat, dtype)?,
        (true, false) => b.float_bits_to_int(&flat, dtype)?,
        (false, true) => b.int_bits_to_float(&flat, dtype)?,
        (false, false) => b.int_bits_to_int(&flat, dtype)?,
    };
    Ok(vec![b.reshaped(&y, &dims)?.into()])
}
