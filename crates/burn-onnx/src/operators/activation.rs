//! Activation functions.

use super::iota::along;
use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};

macro_rules! plain {
    ($($name:ident => $method:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            let x = node.tensor(b, 0)?;
            Ok(vec![b.$method(&x)?.into()])
        }
    )*};
}

plain! {
    hard_swish => hard_swish;
    mish => mish;
    sigmoid => sigmoid;
    softplus => softplus;
    softsign => softsign;
}

pub(super) fn relu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    Ok(vec![if x.dtype().is_float() { b.relu(&x)? } else { b.clamp_min(&x, 0.into())? }.into()])
}

pub(super) fn celu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, alpha) = (node.tensor(b, 0)?, node.float("alpha", 1.0)?);
    Ok(vec![b.celu(&x, alpha)?.into()])
}

pub(super) fn elu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, alpha) = (node.tensor(b, 0)?, node.float("alpha", 1.0)?);
    Ok(vec![b.elu(&x, alpha)?.into()])
}

/// `gamma elu(x, alpha)`.
pub(super) fn selu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let alpha = node.float("alpha", f64::from(1.673_263_2_f32))?;
    let gamma = node.float("gamma", f64::from(1.050_701_f32))?;
    let x = node.tensor(b, 0)?;
    let x = b.elu(&x, alpha)?;
    Ok(vec![b.mul_scalar(&x, gamma.into())?.into()])
}

pub(super) fn gelu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let y = match &node.text("approximate", "none")?[..] {
        "none" => b.gelu(&x)?,
        "tanh" => b.gelu_tanh(&x)?,
        other => fail!("attribute `approximate` must be none or tanh, found `{other}`"),
    };
    Ok(vec![y.into()])
}

pub(super) fn hard_sigmoid(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (alpha, beta) = (node.float("alpha", 0.2)?, node.float("beta", 0.5)?);
    let x = node.tensor(b, 0)?;
    Ok(vec![b.hard_sigmoid(&x, alpha, beta)?.into()])
}

pub(super) fn leaky_relu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, alpha) = (node.tensor(b, 0)?, node.float("alpha", 0.01)?);
    Ok(vec![b.leaky_relu(&x, alpha)?.into()])
}

/// `x` above zero, `slope x` below, with a slope that broadcasts to `x`.
pub(super) fn prelu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, mut slope) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    if node.opset < 7 && slope.rank() == 1 && x.rank() > 1 && !slope.dims()[0].is(1) {
        // Before version 7 there is one slope for each channel.
        slope = along(b, &slope, 1, x.rank())?;
    }
    let (x, slope) = b.aligned(&x, &slope)?;
    let scaled = b.mul(&x, &slope)?;
    let negative = b.lower_elem(&x, 0.into())?;
    Ok(vec![b.mask_where(&x, &negative, &scaled)?.into()])
}

/// `x + bias` below `-lambda`, `x - bias` above `lambda`, zero between.
pub(super) fn shrink(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (bias, lambda) = (node.float("bias", 0.0)?, node.float("lambd", 0.5)?);
    let x = node.tensor(b, 0)?;
    let (low, high) = (b.lower_elem(&x, (-lambda).into())?, b.greater_elem(&x, lambda.into())?);
    let (raised, lowered) = (b.add_scalar(&x, bias.into())?, b.sub_scalar(&x, bias.into())?);
    let zero = b.mul_scalar(&x, Expr::Int(0))?;
    let y = b.mask_where(&zero, &low, &raised)?;
    Ok(vec![b.mask_where(&y, &high, &lowered)?.into()])
}

/// `x sigmoid(alpha x)`.
pub(super) fn swish(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, alpha) = (node.tensor(b, 0)?, node.float("alpha", 1.0)?);
    if alpha == 1.0 {
        return Ok(vec![b.silu(&x)?.into()]);
    }
    let scaled = b.mul_scalar(&x, alpha.into())?;
    let gate = b.sigmoid(&scaled)?;
    Ok(vec![b.mul(&x, &gate)?.into()])
}

pub(super) fn thresholded_relu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, alpha) = (node.tensor(b, 0)?, node.float("alpha", 1.0)?);
    let low = b.lower_equal_elem(&x, alpha.into())?;
    Ok(vec![b.mask_fill(&x, &low, 0.into())?.into()])
}
