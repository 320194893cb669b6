//! Products at the head of a block.

use super::fused::fused;
use crate::leaf::Leaf;
use crate::library::Epilogue;
use crate::matmul::with_epilogue;
use crate::tensor::CubeTensor;
use burn_backend::*;

/// A block: the product that it begins with, and one kernel for its steps. A library may do the first steps as it writes the product.
pub fn run_block(block: Block<CubeTensor>) -> Vec<CubeTensor> {
    match by_library(&block) {
        Some((product, steps)) => behind(block, product, steps),
        None => reference::head_first::<Leaf>(block, fused),
    }
}

/// The product after so many steps, where the device has a library that goes on from a product.
fn by_library(block: &Block<CubeTensor>) -> Option<(CubeTensor, usize)> {
    let Product { lhs, rhs } = block.head.as_ref()?;
    lhs.engine().library()?;
    let product = block.inputs.len();
    let uses = |r: usize| {
        let outputs = block.outputs.iter().filter(|&&output| usize::from(output) == r).count();
        let operands = |step: &Operation<Register>| {
            let mut count = 0;
            step.visit(|&operand| count += usize::from(usize::from(operand) == r));
            count
        };
        outputs + block.steps.iter().map(operands).sum::<usize>()
    };
    // What has been taken is read by the next step, and by nobody else.
    let (mut epilogue, mut taken) = (Epilogue::default(), 0);
    let is_last = |r: Register, taken: usize| usize::from(r) == product + taken;
    if let Some(&Operation::Binary { op: BinaryOp::Add, lhs: x, rhs: y }) = block.steps.first()
        && uses(product) == 1
    {
        let other = if is_last(x, 0) { y } else { x };
        if let Some(bias) =
            block.inputs.get(usize::from(other)).filter(|bias| is_bias(bias, lhs.dtype(), &block.shape))
        {
            (epilogue.bias, taken) = (Some(bias), 1);
        }
    }
    if let Some(&Operation::Unary { op: UnaryOp::Relu, x }) = block.steps.get(taken)
        && is_last(x, taken)
        && uses(product + taken) == 1
    {
        (epilogue.relu, taken) = (true, taken + 1);
    }
    if taken == 0 {
        return None;
    }
    with_epilogue(lhs, rhs, epilogue).map(|product| (product, taken))
}

/// Whether `x` is one row for all rows of a product of this shape.
fn is_bias(x: &CubeTensor, dtype: DType, shape: &Shape) -> bool {
    let cols = shape.last().copied();
    let spec = x.spec();
    spec.dtype == dtype
        && spec.shape.last().copied() == cols
        && Some(spec.shape.num_elements()) == cols
        && x.is_contiguous()
}

/// The outputs of a block whose product and first `taken` steps are done.
fn behind(block: Block<CubeTensor>, product: CubeTensor, taken: usize) -> Vec<CubeTensor> {
    let Block { shape, folded, head: _, mut inputs, steps, specs, outputs } = block;
    // The result of the last step that is done takes the register of the product, which nobody reads.
    let register = inputs.len();
    let moved = |r: Register| if usize::from(r) < register { r } else { r - taken as Register };
    let (mut outputs, mut place): (Vec<Register>, _) = (outputs.into_iter().map(moved).collect(), None);
    if let Some(at) = outputs.iter().position(|&output| usize::from(output) == register) {
        outputs.remove(at);
        place = Some((at, product.clone()));
    }
    inputs.push(product);
    let steps: Vec<_> = steps.into_iter().skip(taken).map(|step| step.map(moved)).collect();
    let specs = specs.into_iter().skip(taken).collect();
    let mut results = Vec::new();
    if !outputs.is_empty() {
        results = fused(Block { shape, folded, head: None, inputs, steps, specs, outputs });
    }
    if let Some((at, product)) = place {
        results.insert(at, product);
    }
    results
}
