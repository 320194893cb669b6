//! Blocks as text.

use crate::report::bytes;
use burn_backend::{Block, BlockHead, HasSpec};
use std::fmt;

/// Log entry of a block and the bytes that it saves: a line, and one per step.
pub struct Listing<'a, T>(pub &'a Block<T>, pub u64);

impl<T: HasSpec> fmt::Display for Listing<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Block { shape, head, inputs, steps, specs, outputs, .. } = self.0;
        let count = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
        let (first, saved) = (self.0.first_step(), bytes(self.1));
        let (read, wanted) = (count(inputs.len(), "input"), count(outputs.len(), "output"));
        let begin = match head {
            Some(BlockHead::Product(_)) => "a product and ",
            Some(BlockHead::Products(_)) => "two products and ",
            Some(BlockHead::RowProducts(args)) if args.rhs.len() == 1 => "a product of rows and ",
            Some(BlockHead::RowProducts(_)) => "two products of rows and ",
            Some(BlockHead::Convolution(_)) => "a convolution and ",
            None => "",
        };
        let steps_of = count(steps.len(), "step");
        writeln!(f, "fusion: {begin}{steps_of} on {shape:?}, {read}, {wanted}, {saved} not moved")?;
        let mark = |register: usize| {
            let is_output = outputs.iter().any(|&output| usize::from(output) == register);
            if is_output { ", wanted" } else { "" }
        };
        if let Some(head) = head {
            let registers: Vec<usize> = (inputs.len()..first).collect();
            let names: Vec<String> = registers.iter().map(|at| format!("%{at}")).collect();
            let marks: String = registers.iter().map(|&at| mark(at)).collect();
            let shapes: Vec<String> = head.operands().map(|x| format!("{:?}", x.shape())).collect();
            let (names, name, shapes) = (names.join(", "), head.name(), shapes.join(" and "));
            writeln!(f, "  {names} = {name} of {shapes}: {} {shape:?}{marks}", head.dtype().name())?;
        }
        for (k, (step, spec)) in steps.iter().zip(specs).enumerate() {
            let mut operands = Vec::new();
            step.visit(|x| operands.push(format!("%{x}")));
            let (mark, operands) = (mark(first + k), operands.join(", "));
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
    use burn_backend::{
        BinaryOp, BlockStep, ConvArgs, ConvOptions, DType, Elementwise, Product, Shape, TensorSpec, UnaryOp,
    };

    #[test]
    fn a_line_per_step() {
        let spec = TensorSpec::new([3, 2], DType::F32);
        let block = Block {
            shape: Shape::from([3, 2]),
            folded: 0,
            head: None,
            inputs: vec![&spec],
            steps: vec![
                BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Exp, x: 0 }),
                BlockStep::Elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs: 0, rhs: 1 }),
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

    #[test]
    fn a_product_comes_first() {
        let [lhs, rhs, all] = [[3, 5], [5, 2], [3, 2]].map(|shape| TensorSpec::new(shape, DType::F32));
        let block = Block {
            shape: all.shape.clone(),
            folded: 0,
            head: Some(BlockHead::Product(Product { lhs: &lhs, rhs: &rhs })),
            inputs: Vec::new(),
            steps: vec![BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Relu, x: 0 })],
            specs: vec![all.clone()],
            outputs: vec![0, 1],
        };
        assert_eq!(
            Listing(&block, 24).to_string(),
            "fusion: a product and 1 step on [3, 2], 0 inputs, 2 outputs, 24 bytes not moved\n\
             \x20 %0 = matmul of [3, 5] and [5, 2]: f32 [3, 2], wanted\n\
             \x20 %1 = relu %0: f32 [3, 2], wanted\n"
        );
    }

    #[test]
    fn a_convolution_comes_with_its_bias() {
        let [x, weight, bias, all] = [&[1, 3, 8, 8][..], &[4, 3, 3, 3], &[4], &[1, 4, 6, 6]]
            .map(|shape| TensorSpec { shape: Shape::from(shape), dtype: DType::F32 });
        let args = ConvArgs { x: &x, weight: &weight, bias: Some(&bias), options: ConvOptions::new(2) };
        let block = Block {
            shape: all.shape.clone(),
            folded: 0,
            head: Some(BlockHead::Convolution(Box::new(args))),
            inputs: Vec::new(),
            steps: vec![BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Relu, x: 0 })],
            specs: vec![all.clone()],
            outputs: vec![1],
        };
        assert_eq!(
            Listing(&block, 24).to_string(),
            "fusion: a convolution and 1 step on [1, 4, 6, 6], 0 inputs, 1 output, 24 bytes not moved\n\
             \x20 %0 = conv of [1, 3, 8, 8] and [4, 3, 3, 3] and [4]: f32 [1, 4, 6, 6]\n\
             \x20 %1 = relu %0: f32 [1, 4, 6, 6], wanted\n"
        );
    }
}
