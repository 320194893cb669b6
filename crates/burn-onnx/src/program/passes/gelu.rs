//! The Gaussian error linear unit from the calls that exporters write for it.

use super::calls::{Calls, either_order};
use crate::calls::Operand;
use crate::program::Program;
use crate::value::Tensor;

impl<'a> Calls<'a> {
    /// `x` of `1 + erf(x / sqrt(2))`.
    fn one_and_erf(&self, tensor: &Tensor) -> Option<&'a Tensor> {
        let erf = self.scalar(tensor, "add_scalar", 1.0)?;
        let scaled = self.of(erf, "erf")?[0].tensor().ok()?;
        let root = std::f64::consts::SQRT_2;
        self.scalar(scaled, "div_scalar", root).or_else(|| self.scalar(scaled, "mul_scalar", 1.0 / root))
    }

    /// `x` of `x (1 + erf(x / sqrt(2))) / 2`, in the orders in which it is written.
    fn gelu_input(&self, name: &str, operands: &'a [Operand]) -> Option<&'a Tensor> {
        match name {
            "mul_scalar" if operands[1].number().ok()?.to_f64() == Some(0.5) => {
                let product = self.either_order(operands[0].tensor().ok()?, "mul")?;
                let found = product.into_iter().find(|(x, gate)| self.is_gate(gate, x));
                found.map(|(x, _)| x)
            }
            "mul" => either_order(operands)?.into_iter().find_map(|(half, gate)| {
                let x = self.scalar(half, "mul_scalar", 0.5)?;
                self.is_gate(gate, x).then_some(x)
            }),
            _ => None,
        }
    }

    fn is_gate(&self, gate: &Tensor, x: &Tensor) -> bool {
        self.one_and_erf(gate).is_some_and(|inner| inner.id == x.id)
    }
}

impl Program {
    /// Replaces `x (1 + erf(x / sqrt(2))) / 2` by one call.
    pub(crate) fn find_gelu(&mut self) {
        self.replace(|calls, name, operands| {
            let x = calls.gelu_input(name, operands)?.clone();
            Some(Box::new(move |b| b.gelu(&x)))
        });
    }
}
