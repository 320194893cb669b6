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
        "mul" => either_order(operands)?.into_iter().find_map(|(half, gate)| {
            let x = calls.scalar(half, "mul_scalar", 0.5)?;
            is_gate(calls, gate, x).then_some(x)
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

/// Whether a tensor is `0.044715 x^3`.
fn is_cubic(calls: &Calls<'_>, cubic: &Tensor, x: &Tensor) -> bool {
    let Some(cube) = calls.scalar(cubic, "mul_scalar", 0.044715) else { return false };
    if calls.scalar(cube, "powf_scalar", 3.0).is_some_and(|base| base.id == x.id) {
        return true;
    }
    let Some(pairs) = calls.either_order(cube, "mul") else { return false };
    pairs.into_iter().any(|(factor, square)| {
        factor.id == x.id
            && calls.either_order(square, "mul").is_some_and(|[(a, b), _]| a.id == x.id && b.id == x.id)
    })
}
