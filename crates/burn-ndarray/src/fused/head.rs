//! Steps of a block that the kernel of its head applies as it stores results.

use crate::bounds::Bounds;
use burn_backend::{Block, DType, Register};

/// Removes the step that bounds the result of the head, of `dtype`, and returns its bounds. Its result takes the register of the head, so
/// nothing else may read that.
pub fn take_bounds<T>(block: &mut Block<T>, dtype: DType) -> Option<Bounds> {
    let head = Register::try_from(block.inputs.len()).ok()?;
    let mut readers = block.steps.iter().enumerate().filter(|(_, step)| step.any(|&x| x == head));
    let (at, step) = readers.next()?;
    if readers.next().is_some() || block.outputs.contains(&head) {
        return None;
    }
    let bounds = Bounds::of(step, dtype)?;
    block.steps.remove(at);
    block.specs.remove(at);
    let result = head + 1 + at as Register;
    let moved = |register: Register| match register {
        register if register == result => head,
        register if register > result => register - 1,
        register => register,
    };
    let steps = core::mem::take(&mut block.steps);
    block.steps = steps.into_iter().map(|step| step.map(moved)).collect();
    block.outputs.iter_mut().for_each(|output| *output = moved(*output));
    Some(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use burn_backend::{BinaryOp, Operation, Shape, TensorSpec, UnaryOp};

    fn block(steps: Vec<Operation<Register>>, outputs: Vec<Register>) -> Block<()> {
        let (shape, spec) = (Shape::from([4]), TensorSpec::new([4], DType::F32));
        let specs = vec![spec; steps.len()];
        Block { shape, folded: 0, head: None, inputs: vec![()], steps, specs, outputs }
    }

    fn relu(x: Register) -> Operation<Register> {
        Operation::Unary { op: UnaryOp::Relu, x }
    }

    /// Input 0 and head 1: `relu` is step 1, behind a step that does not read the head.
    #[test]
    fn registers_move_to_the_place_of_the_step() {
        let exp = Operation::Unary { op: UnaryOp::Exp, x: 0 };
        let add = Operation::Binary { op: BinaryOp::Add, lhs: 2, rhs: 3 };
        let mut block = block(vec![exp.clone(), relu(1), add], vec![2, 3, 4]);
        assert!(take_bounds(&mut block, DType::F32).is_some());
        assert_eq!(block.steps, [exp, Operation::Binary { op: BinaryOp::Add, lhs: 2, rhs: 1 }]);
        assert_eq!(block.specs.len(), 2);
        assert_eq!(block.outputs, [2, 1, 3]);
    }

    #[test]
    fn a_head_that_something_else_reads_keeps_its_steps() {
        let add = Operation::Binary { op: BinaryOp::Add, lhs: 2, rhs: 1 };
        assert!(take_bounds(&mut block(vec![relu(1), add], vec![3]), DType::F32).is_none());
        assert!(take_bounds(&mut block(vec![relu(1)], vec![1, 2]), DType::F32).is_none());
        assert!(take_bounds(&mut block(vec![relu(0)], vec![2]), DType::F32).is_none());
        assert!(take_bounds(&mut block(vec![relu(1)], vec![2]), DType::F64).is_none());
    }
}
