//! Products at the head of a block.

use super::epilogue::Tail;
use super::fused::{ByOperation, fused, programmed};
use crate::device::engine::Engine;
use crate::device::library::Epilogue;
use crate::launch::tensor::CubeTensor;
use crate::ops::matmul::{self, EpilogueArgs, Form, LeftFactor, MatmulCall, with_epilogue};
use crate::ops::window::conv_;
use burn_backend::*;
use std::{fmt, slice};

/// A block. A product that it begins with is computed by the device's library, which may do the first steps
/// as it writes the product, and one kernel for the other steps; or by a kernel of ours that does all of
/// them. Steps that no kernel can be made of are computed `by_operation`.
pub fn run_block(block: Block<CubeTensor>, by_operation: ByOperation) -> Vec<CubeTensor> {
    let Product { lhs, rhs } = match &block.head {
        Some(BlockHead::Product(product)) => product,
        Some(BlockHead::Products(_)) => return two_products(block, by_operation),
        Some(BlockHead::RowProducts(_)) => return row_products(block, by_operation),
        Some(BlockHead::Convolution(_)) => return behind_convolution(block, by_operation),
        None => return fused(block, by_operation),
    };
    if let Some(results) = of_few_rows(&block, LeftFactor::Matrix(lhs), slice::from_ref(rhs)) {
        return results;
    }
    if let Some((product, steps)) = by_library(&block) {
        return behind(block, product, steps, by_operation);
    }
    match in_one(&block, [lhs, rhs], matmul::by_the_best) {
        Ok(results) => results,
        Err(why) => {
            let product = matmul::by_kernel(lhs, rhs);
            kernels::explain(|| format!("alone: {why}"));
            behind(block, product, 0, by_operation)
        }
    }
}

/// The block as one kernel for few rows, if that knows its products and has room for its steps.
fn of_few_rows(block: &Block<CubeTensor>, lhs: LeftFactor, rhs: &[CubeTensor]) -> Option<Vec<CubeTensor>> {
    if !rhs.iter().all(|rhs| matmul::is_of_few_rows(lhs.spec(), rhs)) {
        return None;
    }
    let rows = lhs.spec().shape[lhs.spec().shape.rank() - 2];
    let fits = |tail: &Tail| tail.fits([rows, 1]);
    with_tail(block, rhs[0].engine(), fits, |epilogue| matmul::of_few_rows(lhs, rhs, epilogue)).ok()
}

/// The products of the row of a block and each of several matrices, if one kernel computes all of it.
pub fn products_of_row(rows: &Block<CubeTensor>, rhs: &[CubeTensor]) -> Option<Vec<CubeTensor>> {
    let lhs = LeftFactor::row(rows)?;
    let [rhs] = rhs else { return matmul::products(lhs, rhs) };
    matmul::is_of_few_rows(lhs.spec(), rhs).then(|| vec![matmul::of_rows(lhs, rhs)])
}

/// A block that begins with products of the row of another one.
fn row_products(mut block: Block<CubeTensor>, by_operation: ByOperation) -> Vec<CubeTensor> {
    let Some(BlockHead::RowProducts(head)) = block.head.clone() else {
        unreachable!("the block begins with products of a row")
    };
    let RowProducts { rows, rhs } = *head;
    let rows = Block::from(rows);
    let results = LeftFactor::row(&rows).and_then(|lhs| of_few_rows(&block, lhs, &rhs));
    results.unwrap_or_else(|| {
        let lhs = fused(rows, by_operation).remove(0);
        let products = rhs.into_iter().map(|rhs| BlockHead::Product(Product { lhs: lhs.clone(), rhs }));
        block.head = products.reduce(BlockHead::with_product);
        run_block(block, by_operation)
    })
}

/// A block behind two products, which only few rows have.
fn two_products(mut block: Block<CubeTensor>, by_operation: ByOperation) -> Vec<CubeTensor> {
    let Some(BlockHead::Products(Products { lhs, rhs })) = block.head.clone() else {
        unreachable!("the block begins with two products")
    };
    if let Some(results) = of_few_rows(&block, LeftFactor::Matrix(&lhs), &rhs) {
        return results;
    }
    block.head = None;
    let both = matmul::products(LeftFactor::Matrix(&lhs), &rhs);
    let both = both.unwrap_or_else(|| rhs.iter().map(|rhs| matmul::matmul(&lhs, rhs)).collect());
    reference::behind_head(block, both, |block| fused(block, by_operation))
}

fn behind_convolution(mut block: Block<CubeTensor>, by_operation: ByOperation) -> Vec<CubeTensor> {
    let Some(BlockHead::Convolution(args)) = block.head.take() else {
        unreachable!("the block begins with a convolution")
    };
    reference::behind_head(block, vec![conv_(*args)], |block| fused(block, by_operation))
}

/// Reason why the kernel of a product cannot include its epilogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NotFused {
    Folds,
    Arguments,
    Length,
}

impl fmt::Display for NotFused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotFused::Folds => "rows are folded behind it",
            NotFused::Arguments => "there are more tensors behind it than the device has arguments",
            NotFused::Length => "there are more steps behind it than a kernel has for each element",
        })
    }
}

/// The block, whose head has these factors, as one kernel of ours. Whether it can be one depends on shapes,
/// steps and the device, not on which kernel is chosen.
fn in_one(
    block: &Block<CubeTensor>,
    [lhs, rhs]: [&CubeTensor; 2],
    launch: impl FnOnce(&MatmulCall, EpilogueArgs),
) -> Result<Vec<CubeTensor>, NotFused> {
    let call = MatmulCall::new(lhs, rhs, &block.shape);
    let fits = |tail: &Tail| call.forms().iter().all(|form| tail.fits(form.own()));
    with_tail(block, lhs.engine(), fits, |epilogue| launch(&call, epilogue))
}

/// The block as one kernel, if its steps fit behind the products.
fn with_tail(
    block: &Block<CubeTensor>,
    engine: &'static dyn Engine,
    fits: impl FnOnce(&Tail) -> bool,
    launch: impl FnOnce(EpilogueArgs),
) -> Result<Vec<CubeTensor>, NotFused> {
    if block.folded > 0 {
        return Err(NotFused::Folds);
    }
    // Words are an argument too.
    if block.operands().count() + block.outputs.len() + 1 > engine.hardware().max_bindings as usize {
        return Err(NotFused::Arguments);
    }
    let (program, results) = programmed(block);
    let inputs: Vec<&CubeTensor> = block.inputs.iter().collect();
    let (tail, words) = Tail::new(program, &block.shape, &inputs, engine);
    if !fits(&tail) {
        return Err(NotFused::Length);
    }
    let outputs: Vec<CubeTensor> = results.into_iter().map(|spec| CubeTensor::empty(spec, engine)).collect();
    let places: Vec<&CubeTensor> = outputs.iter().collect();
    launch(EpilogueArgs { tail, inputs: &inputs, outputs: &places, words });
    Ok(outputs)
}

/// A block that begins with a product, by one kernel of ours, to compare and to measure: nothing where its
/// steps cannot be in it.
///
/// # Panics
/// When the block has no product, or the kernel is for other ones ([`Form::fits`]).
#[track_caller]
pub fn block_by(form: Form, block: &Block<CubeTensor>) -> Option<Vec<CubeTensor>> {
    let Some(BlockHead::Product(Product { lhs, rhs })) = &block.head else {
        panic!("the block begins with no product")
    };
    let launch = |call: &MatmulCall, epilogue: EpilogueArgs| {
        assert!(
            call.forms().contains(&form),
            "matmul {form} to {:?}: the kernel is for other products",
            block.shape
        );
        call.launch(form, epilogue);
    };
    in_one(block, [lhs, rhs], launch).ok()
}

/// The product after so many steps, where the device has a library that computes it.
fn by_library(block: &Block<CubeTensor>) -> Option<(CubeTensor, usize)> {
    let Some(BlockHead::Product(Product { lhs, rhs })) = &block.head else { return None };
    lhs.engine().library()?;
    // Few rows have a kernel, and a residual of one row is no reason for another one.
    if matmul::is_of_few_rows(lhs.spec(), rhs) {
        return matmul::by_library(lhs, rhs).map(|product| (product, 0));
    }
    let (epilogue, taken) = epilogue(block, lhs.dtype());
    let with_steps = (taken > 0).then(|| with_epilogue(lhs, rhs, epilogue)).flatten();
    let with_steps = with_steps.map(|product| (product, taken));
    with_steps.or_else(|| matmul::by_library(lhs, rhs).map(|product| (product, 0)))
}

/// Returns the epilogue that a library may fuse with the product, and the number of steps it covers.
fn epilogue(block: &Block<CubeTensor>, dtype: DType) -> (Epilogue<'_>, usize) {
    let product = block.inputs.len();
    let uses = |r: usize| {
        let outputs = block.outputs.iter().filter(|&&output| usize::from(output) == r).count();
        let operands = |step: &BlockStep<Register>| {
            let mut count = 0;
            step.visit(|&operand| count += usize::from(usize::from(operand) == r));
            count
        };
        outputs + block.steps.iter().map(operands).sum::<usize>()
    };
    // Each fused step is read by the next one only.
    let (mut epilogue, mut taken) = (Epilogue::default(), 0);
    let is_last = |r: Register, taken: usize| usize::from(r) == product + taken;
    let elementwise = |step: usize| block.steps.get(step).and_then(BlockStep::as_elementwise);
    if let Some((&x, &y)) = elementwise(0).and_then(|op| op.as_binary(BinaryOp::Add))
        && uses(product) == 1
    {
        let other = if is_last(x, 0) { y } else { x };
        if let Some(bias) =
            block.inputs.get(usize::from(other)).filter(|bias| is_bias(bias, dtype, &block.shape))
        {
            (epilogue.bias, taken) = (Some(bias), 1);
        }
    }
    if let Some(op) = elementwise(taken)
        && op.as_unary() == Some(UnaryOp::Relu)
        && is_last(*op.first_value(), taken)
        && uses(product + taken) == 1
    {
        (epilogue.relu, taken) = (true, taken + 1);
    }
    (epilogue, taken)
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
fn behind(
    block: Block<CubeTensor>,
    product: CubeTensor,
    taken: usize,
    by_operation: ByOperation,
) -> Vec<CubeTensor> {
    let Block { shape, folded, head: _, mut inputs, steps, specs, outputs } = block;
    // The result of the last step that is done takes the register of the product, which no later step reads.
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
        results = fused(Block { shape, folded, head: None, inputs, steps, specs, outputs }, by_operation);
    }
    if let Some((at, product)) = place {
        results.insert(at, product);
    }
    results
}
