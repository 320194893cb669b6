//! The Gaussian error linear unit from the calls that exporters write for it.

use crate::builder::Statement;
use crate::calls::{Operand, all};
use crate::program::Program;
use crate::value::{Tensor, TensorId};
use std::collections::HashMap;

/// Calls by the tensors that they make.
struct Calls<'a> {
    made: HashMap<TensorId, (&'static str, &'a [Operand])>,
}

impl<'a> Calls<'a> {
    /// Arguments of the call that made a tensor, if it is this one.
    fn of(&self, tensor: &Tensor, name: &str) -> Option<&'a [Operand]> {
        self.made.get(&tensor.id).filter(|(found, _)| *found == name).map(|(_, operands)| *operands)
    }

    /// The tensor that a number was applied to.
    fn scalar(&self, tensor: &Tensor, name: &str, value: f64) -> Option<&'a Tensor> {
        let operands = self.of(tensor, name)?;
        let found = operands[1].number().ok()?.to_f64()?;
        ((found - value).abs() < 1e-4).then(|| operands[0].tensor().ok())?
    }

    /// `x` of `1 + erf(x / sqrt(2))`.
    fn one_and_erf(&self, tensor: &Tensor) -> Option<&'a Tensor> {
        let erf = self.scalar(tensor, "add_scalar", 1.0)?;
        let scaled = self.of(erf, "erf")?[0].tensor().ok()?;
        let root = std::f64::consts::SQRT_2;
        self.scalar(scaled, "div_scalar", root).or_else(|| self.scalar(scaled, "mul_scalar", 1.0 / root))
    }

    /// `x` of `x (1 + erf(x / sqrt(2))) / 2`, in the orders in which it is written.
    fn input(&self, name: &str, operands: &'a [Operand]) -> Option<&'a Tensor> {
        let pairs = |operands: &'a [Operand]| {
            let (a, b) = (operands[0].tensor().ok()?, operands[1].tensor().ok()?);
            Some([(a, b), (b, a)])
        };
        match name {
            "mul_scalar" if operands[1].number().ok()?.to_f64() == Some(0.5) => {
                let product = self.of(operands[0].tensor().ok()?, "mul")?;
                let found = pairs(product)?.into_iter().find(|(x, gate)| self.is_gate(gate, x));
                found.map(|(x, _)| x)
            }
            "mul" => pairs(operands)?.into_iter().find_map(|(half, gate)| {
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
    pub(super) fn find_gelu(&mut self) {
        let Some(gelu) = all().find(|call| call.name == "gelu") else { return };
        let mut calls = Calls { made: HashMap::new() };
        let mut found = Vec::new();
        for (place, statement) in self.statements.iter().enumerate() {
            let Statement::Call { definition, operands, results } = statement else { continue };
            if let Some(x) = calls.input(definition.name, operands) {
                found.push((place, x.clone()));
            }
            if let [result] = &results[..] {
                calls.made.insert(result.id, (definition.name, operands));
            }
        }
        for (place, x) in found {
            if let Statement::Call { definition, operands, .. } = &mut self.statements[place] {
                *definition = gelu;
                *operands = vec![Operand::Tensor(x)];
            }
        }
        self.remove_unused();
    }
}
