//! Steps of a block that the kernel of its head applies as it stores results.

use crate::kernels::bounds::Bounds;
use burn_backend::{BinaryOp, Block, DType, Register};

/// Steps taken off a block, in the order in which they apply to the result of its head.
#[derive(Debug)]
pub struct HeadEpilogue<T> {
    /// Input that is added.
    pub residual: Option<T>,
    pub bounds: Option<Bounds>,
}

/// Removes the steps after the head, of `dtype`, that its kernel applies: the addition of an input that
/// `fits`, then bounds. The result of the last one takes the register of the head, so nothing else may read
/// what it is made from.
pub fn take_epilogue<T: Clone>(
    block: &mut Block<T>,
    dtype: DType,
    fits: impl FnOnce(&T) -> bool,
) -> HeadEpilogue<T> {
    let residual = take_residual(block, dtype, fits);
    HeadEpilogue { residual, bounds: take_bounds(block, dtype) }
}

fn take_residual<T: Clone>(block: &mut Block<T>, dtype: DType, fits: impl FnOnce(&T) -> bool) -> Option<T> {
    let head = head(block)?;
    let at = only_reader(block)?;
    let (&lhs, &rhs) = block.steps[at].as_elementwise()?.as_binary(BinaryOp::Add)?;
    let register = if lhs == head { rhs } else { lhs };
    let residual = block.inputs.get(usize::from(register))?;
    if dtype != DType::F32 || !fits(residual) {
        return None;
    }
    let residual = residual.clone();
    take_step(block, at);
    if !block.steps.iter().any(|step| step.any(|&x| x == register)) && !block.outputs.contains(&register) {
        block.inputs.remove(usize::from(register));
        rename(block, |x| if x > register { x - 1 } else { x });
    }
    Some(residual)
}

fn take_bounds<T>(block: &mut Block<T>, dtype: DType) -> Option<Bounds> {
    let at = only_reader(block)?;
    let bounds = Bounds::of(&block.steps[at], dtype)?;
    take_step(block, at);
    Some(bounds)
}

/// The register of the head.
fn head<T>(block: &Block<T>) -> Option<Register> {
    Register::try_from(block.inputs.len()).ok()
}

/// Position of the step that reads the result of the head, if nothing else does.
fn only_reader<T>(block: &Block<T>) -> Option<usize> {
    let head = head(block)?;
    let mut readers = block.steps.iter().enumerate().filter(|(_, step)| step.any(|&x| x == head));
    let (at, _) = readers.next()?;
    (readers.next().is_none() && !block.outputs.contains(&head)).then_some(at)
}

/// Removes the only step that reads the head; its result becomes that of the head.
fn take_step<T>(block: &mut Block<T>, at: usize) {
    let head = block.inputs.len() as Register;
    block.steps.remove(at);
    block.specs.remove(at);
    let result = head + 1 + at as Register;
    rename(block, |register| match register {
        register if register == result => head,
        register if register > result => register - 1,
        register => register,
    });
}

/// Replaces registers in steps and outputs.
fn rename<T>(block: &mut Block<T>, new: impl Fn(Register) -> Register) {
    let steps = core::mem::take(&mut block.steps);
    block.steps = steps.into_iter().map(|step| step.map(&new)).collect();
    block.outputs.iter_mut().for_each(|output| *output = new(*output));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use burn_backend::{BlockStep, Elementwise};
    use burn_backend::{Shape, TensorSpec, UnaryOp};

    /// A block whose inputs are numbers instead of tensors.
    fn block(inputs: Vec<u8>, steps: Vec<BlockStep<Register>>, outputs: Vec<Register>) -> Block<u8> {
        let (shape, spec) = (Shape::from([4]), TensorSpec::new([4], DType::F32));
        let specs = vec![spec; steps.len()];
        Block { shape, folded: 0, head: None, inputs, steps, specs, outputs }
    }

    fn unary(op: UnaryOp, x: Register) -> BlockStep<Register> {
        BlockStep::Elementwise(Elementwise::Unary { op, x })
    }

    fn relu(x: Register) -> BlockStep<Register> {
        unary(UnaryOp::Relu, x)
    }

    fn add(lhs: Register, rhs: Register) -> BlockStep<Register> {
        BlockStep::Elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs, rhs })
    }

    /// The residual, and whether there are bounds.
    fn taken(block: &mut Block<u8>) -> (Option<u8>, bool) {
        let epilogue = take_epilogue(block, DType::F32, |_| true);
        (epilogue.residual, epilogue.bounds.is_some())
    }

    /// Input 0 and head 1: `relu` is step 1, after a step that does not read the head.
    #[test]
    fn registers_move_to_the_place_of_the_step() {
        let exp = unary(UnaryOp::Exp, 0);
        let mut block = block(vec![7], vec![exp.clone(), relu(1), add(2, 3)], vec![2, 3, 4]);
        assert_eq!(taken(&mut block), (None, true));
        assert_eq!(block.steps, [exp, add(2, 1)]);
        assert_eq!(block.specs.len(), 2);
        assert_eq!(block.outputs, [2, 1, 3]);
    }

    /// Inputs 0 and 1, head 2.
    #[test]
    fn an_input_is_added_before_bounds_in_either_order() {
        for sum in [add(2, 0), add(0, 2)] {
            let mut block = block(vec![7, 8], vec![sum, relu(3), add(4, 1)], vec![5]);
            assert_eq!(taken(&mut block), (Some(7), true));
            assert_eq!(block.inputs, [8]);
            assert_eq!(block.steps, [add(1, 0)]);
            assert_eq!(block.outputs, [2]);
        }
        let mut last = block(vec![7], vec![add(1, 0)], vec![2]);
        assert_eq!(taken(&mut last), (Some(7), false));
        assert!(last.inputs.is_empty() && last.steps.is_empty() && last.specs.is_empty());
        assert_eq!(last.outputs, [0]);
    }

    #[test]
    fn an_input_that_is_read_again_stays() {
        let mut block = block(vec![7], vec![add(1, 0), relu(2), add(3, 0)], vec![4]);
        assert_eq!(taken(&mut block), (Some(7), true));
        assert_eq!(block.inputs, [7]);
        assert_eq!(block.steps, [add(1, 0)]);
        assert_eq!(block.outputs, [2]);
    }

    #[test]
    fn bounds_before_an_addition_are_taken_alone() {
        let mut block = block(vec![7], vec![relu(1), add(2, 0)], vec![3]);
        assert_eq!(taken(&mut block), (None, true));
        assert_eq!(block.steps, [add(1, 0)]);
        assert_eq!(block.inputs, [7]);
    }

    #[test]
    fn sums_that_something_else_reads_are_not_bounded() {
        let mut block = block(vec![7], vec![add(1, 0), relu(2)], vec![2, 3]);
        assert_eq!(taken(&mut block), (Some(7), false));
        assert_eq!(block.steps, [relu(0)]);
        assert_eq!(block.outputs, [0, 1]);
    }

    #[test]
    fn a_head_that_something_else_reads_keeps_its_steps() {
        for (steps, outputs) in [
            (vec![relu(1), add(2, 1)], vec![3]),
            (vec![relu(1)], vec![1, 2]),
            (vec![relu(0)], vec![2]),
            (vec![add(1, 0)], vec![1, 2]),
            (vec![add(1, 1)], vec![2]),
            (vec![add(1, 0), add(2, 1)], vec![3]),
            // A step of the block computes the residual.
            (vec![unary(UnaryOp::Exp, 0), add(1, 2)], vec![3]),
            (
                vec![BlockStep::Elementwise(Elementwise::Binary { op: BinaryOp::Sub, lhs: 1, rhs: 0 })],
                vec![2],
            ),
        ] {
            let mut block = block(vec![7], steps.clone(), outputs);
            assert_eq!(taken(&mut block), (None, false), "{steps:?}");
            assert_eq!(block.steps, steps);
        }
    }

    #[test]
    fn other_dtypes_and_inputs_that_do_not_fit_stay_steps() {
        for (dtype, fits) in [(DType::F64, true), (DType::F16, true), (DType::F32, false)] {
            let mut block = block(vec![7], vec![add(1, 0)], vec![2]);
            let epilogue = take_epilogue(&mut block, dtype, |_| fits);
            assert!(epilogue.residual.is_none() && epilogue.bounds.is_none());
            assert_eq!(block.steps, [add(1, 0)]);
        }
        let mut block = block(vec![7], vec![relu(1)], vec![2]);
        assert!(take_epilogue(&mut block, DType::F64, |_| true).bounds.is_none());
    }
}
