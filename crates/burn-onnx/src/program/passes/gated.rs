//! Activations that exporters write as products with a gate: SiLU, and GELU by its hyperbolic tangent.

use super::calls::{Calls, either_order};
use crate::calls::Operand;
use crate::program::Program;
use crate::value::Tensor;

impl Program {
    /// Replaces `x sigmoid(x)` and `x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2` by one call each.
    pub(super) fn find_gated(&mut self) {
        self.replace(|calls, name, operands| {
            if let Some(x) = silu(calls, name, operands) {
                let x = x.clone();
                return Some(Box::new(move |b| b.silu(&x)));
            }
            let x = gelu_tanh(calls, name, operands)?.clone();
            Some(Box::new(move |b| b.gelu_tanh(&x)))
        });
    }
}

/// `x` of `x sigmoid(x)`.
fn silu<'a>(calls: &Calls<'a>, name: &str, operands: &'a [Operand]) -> Option<&'a Tensor> {
    let pairs = if name == "mul" { either_order(operands)? } else { return None };
    let found = pairs
        .into_iter()
        .find(|(x, gate)| calls.argument(gate, "sigmoid").is_some_and(|inner| inner.id == x.id));
    found.map(|(x, _)| x)
}

/// `x` of the approximation of GELU, in the orders in which it is written.
fn gelu_tanh<'a>(calls: &Calls<'a>, name: &str, operands: &'a [Operand]) -> Option<&'a Tensor> {
    match name {
        "mul_scalar" if operands[1].number().ok()?.to_f64() == Some(0.5) => {
            let product = calls.either_order(operands[0].tensor().ok()?, "mul")?;
            let found = product.into_iter().find(|(x, gate)| is_gate(calls, gate, x));
            found.map(|(x, _)| x)
        }
        "mul" => either_order(operands)?.into_iter().find_map(|(half, other)| {
            let whole = calls.scalar(half, "mul_scalar", 0.5)?;
            let pairs = [(whole, other), (other, whole)];
            pairs.into_iter().find(|(x, gate)| is_gate(calls, gate, x)).map(|(x, _)| x)
        }),
        _ => None,
    }
}

/// Whether a tensor is `1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))`.
fn is_gate(calls: &Calls<'_>, gate: &Tensor, x: &Tensor) -> bool {
    let inner = || {
        let tanh = calls.scalar(gate, "add_scalar", 1.0)?;
        let scaled = calls.argument(tanh, "tanh")?;
        let sum = calls.scalar(scaled, "mul_scalar", (2.0 / std::f64::consts::PI).sqrt())?;
        calls
            .either_order(sum, "add")?
            .into_iter()
            .find(|(first, cubic)| first.id == x.id && is_cubic(calls, cubic, x))
    };
    inner().is_some()
}

/// Whether a tensor is `0.044715 x^3`, in whatever order its factors are multiplied.
fn is_cubic(calls: &Calls<'_>, cubic: &Tensor, x: &Tensor) -> bool {
    let power = power(calls, cubic, x, MOST_PRODUCTS);
    power.is_some_and(|(factor, exponent)| (factor - 0.044715).abs() < 1e-4 && exponent == 3.0)
}

/// Most products on the way from `0.044715 x^3` to `x`.
const MOST_PRODUCTS: usize = 4;

/// The factor and the exponent of a tensor that is `factor x^exponent`.
fn power(calls: &Calls<'_>, tensor: &Tensor, x: &Tensor, most: usize) -> Option<(f64, f64)> {
    if tensor.id == x.id {
        return Some((1.0, 1.0));
    }
    let most = most.checked_sub(1)?;
    if let Some((inner, number)) = calls.with_number(tensor, "mul_scalar") {
        return power(calls, inner, x, most).map(|(factor, exponent)| (factor * number, exponent));
    }
    if let Some((inner, number)) = calls.with_number(tensor, "powf_scalar") {
        return (inner.id == x.id).then_some((1.0, number));
    }
    let [(a, b), _] = calls.either_order(tensor, "mul")?;
    let (a, b) = (power(calls, a, x, most)?, power(calls, b, x, most)?);
    Some((a.0 * b.0, a.1 + b.1))
}
