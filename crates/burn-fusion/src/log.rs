//! Blocks as text.

use crate::report::bytes;
use burn_backend::{Block, HasSpec};
use std::fmt;

/// A block and the bytes that it saves: a line, and one per step.
pub struct Listing<'a, T>(pub &'a Block<T>, pub u64);

impl<T: HasSpec> fmt::Display for Listing<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Block { shape, inputs, steps, specs, outputs, .. } = self.0;
        let count = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
        let (first, saved) = (inputs.len(), bytes(self.1));
        let (inputs, wanted) = (count(first, "input"), count(outputs.len(), "output"));
        writeln!(
            f,
            "fusion: {} on {shape:?}, {inputs}, {wanted}, {saved} not moved",
            count(steps.len(), "step")
        )?;
        for (k, (step, spec)) in steps.iter().zip(specs).enumerate() {
            let mut operands = Vec::new();
            step.visit(|x| operands.push(format!("%{x}")));
            let is_output = outputs.iter().any(|&output| usize::from(output) == first + k);
            let mark = if is_output { ", wanted" } else { "" };
            let operands = operands.join(", ");
            writeln!(
                f,
                "  %{} = {} {operands}: {} {:?}{mark}",
                first + k,
                step.name(),
                spec.dtype.name(),
                spec.shape
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::{BinaryOp, DType, Operation, Shape, TensorSpec, UnaryOp};

    #[test]
    fn a_line_per_step() {
        let spec = TensorSpec::new([3, 2], DType::F32);
        let block = Block {
            shape: Shape::from([3, 2]),
            folded: 0,
            inputs: vec![&spec],
            steps: vec![
                Operation::Unary { op: UnaryOp::Exp, x: 0 },
                Operation::Binary { op: BinaryOp::Add, lhs: 0, rhs: 1 },
            ],
            specs: vec![spec.clone(); 2],
            outputs: vec![2],
        };
        assert_eq!(
            Listing(&block, 2400).to_string(),
            "fusion: 2 steps on [3, 2], 1 input, 1 output, 2.4 kB not moved\n\
             \x20 %1 = exp %0: f32 [3, 2]\n\
             \x20 %2 = add %0, %1: f32 [3, 2], wanted\n"
        );
    }
}
