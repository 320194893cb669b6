//! Memory traffic that a block saves.

use burn_backend::{Block, BlockStep, HasSpec, Register, TensorSpec};

/// Returns the bytes that the steps of a block would have read and written one by one, less those of the
/// block: each input is read once, each output written once. Steps that only repeat are views and move
/// nothing.
pub fn saved<T: HasSpec>(block: &Block<T>, repeats: &[bool]) -> u64 {
    let Block { shape, head, inputs, steps, specs, outputs, .. } = block;
    let first = block.first_step();
    let head = head.as_ref().map(|head| TensorSpec { shape: shape.clone(), dtype: head.dtype() });
    let spec = |register: usize| -> &TensorSpec {
        let before = || inputs.get(register).map_or_else(|| head.as_ref().expect("the head"), HasSpec::spec);
        if register < first { before() } else { &specs[register - first] }
    };
    // After repeats is what is read.
    let source = |mut register: usize| {
        while register >= first && repeats[register - first] {
            register = usize::from(*steps[register - first].first());
        }
        register
    };
    let size = |register: usize| {
        let spec = spec(register);
        (spec.shape.num_elements() * spec.dtype.size()) as u64
    };
    let alone = |(k, step): (usize, &BlockStep<Register>)| {
        if repeats[k] {
            return 0;
        }
        let mut moved = size(first + k);
        step.visit(|&x| moved += size(source(usize::from(x))));
        moved
    };
    // The operands of a head are read in both cases.
    let products: u64 = (inputs.len()..first).map(size).sum();
    let apart: u64 = products + steps.iter().enumerate().map(alone).sum::<u64>();
    let read: u64 = (0..inputs.len()).map(size).sum();
    let written: u64 = outputs.iter().map(|&output| size(usize::from(output))).sum();
    apart.saturating_sub(read + written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::{BinaryOp, BlockHead, DType, Elementwise, Product, Shape, UnaryOp};

    #[test]
    fn intermediates_and_second_reads_are_saved() {
        let row = TensorSpec::new([1, 256], DType::F32);
        let all = TensorSpec::new([1024, 256], DType::F32);
        let repeat = BlockStep::Expand { x: 1, shape: all.shape.clone() };
        let add = BlockStep::Elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs: 0, rhs: 2 });
        let block = Block {
            shape: Shape::from([1024, 256]),
            folded: 0,
            head: None,
            inputs: vec![&all, &row],
            steps: vec![
                repeat,
                add,
                BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Exp, x: 3 }),
                BlockStep::Elementwise(Elementwise::Binary { op: BinaryOp::Mul, lhs: 4, rhs: 0 }),
            ],
            specs: vec![all.clone(); 4],
            outputs: vec![5],
        };
        let (large, small) = (1024 * 256 * 4, 256 * 4);
        let apart = (2 * large + small) + 2 * large + 3 * large;
        assert_eq!(saved(&block, &[true, false, false, false]), apart - (large + small + large));
    }

    #[test]
    fn a_product_is_not_written_for_what_follows() {
        let [lhs, rhs, row, all] =
            [[512, 32], [32, 64], [1, 64], [512, 64]].map(|shape| TensorSpec::new(shape, DType::F32));
        let block = Block {
            shape: all.shape.clone(),
            folded: 0,
            head: Some(BlockHead::Product(Product { lhs: &lhs, rhs: &rhs })),
            inputs: vec![&row],
            steps: vec![
                BlockStep::Elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs: 1, rhs: 0 }),
                BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Relu, x: 2 }),
            ],
            specs: vec![all.clone(); 2],
            outputs: vec![3],
        };
        // Written and read by two calls in between.
        assert_eq!(saved(&block, &[false; 2]), 4 * 512 * 64 * 4);
    }
}
