use super::chain_kernel;
use super::cursor::Cursor;
use super::head_epilogue::{HeadEpilogue, take_epilogue};
use super::input::lay_out;
use super::pass::Pass;
use super::recompute::recompute;
use super::stage::stages;
use super::step::{Flow, FusedStep};
use super::tile_allocation::{TileAllocation, sources};
use crate::NdArray;
use crate::kernels::conv;
use crate::kernels::reduce::FlatOrder;
use crate::left_out::with_feature;
use crate::tensor::NdTensor;
use crate::threads::parallel::Shared;
use alloc::vec;
use alloc::vec::Vec;
use burn_backend::{Block, BlockHead, BlockStep, DType, HasSpec, Register, TensorSpec, reference};

/// Computes the outputs of a block. The head is computed in full, a convolution with the steps that its
/// kernels apply, and the other steps are written over its result.
pub fn run(mut block: Block<NdTensor>) -> Vec<NdTensor> {
    let results = match block.head.take() {
        None => return tiles(block),
        Some(head @ (BlockHead::Product(_) | BlockHead::Products(_) | BlockHead::RowProducts(_))) => {
            reference::run_head::<NdArray>(head)
        }
        Some(BlockHead::Convolution(args)) => {
            let shape = block.shape.clone();
            let fits = |x: &NdTensor| x.dtype() == DType::F32 && *x.shape() == shape && x.is_contiguous();
            let HeadEpilogue { residual, bounds } = take_epilogue(&mut block, args.x.dtype(), fits);
            let conv = conv::conv_with;
            vec![with_feature!("convolution", "conv", conv(*args, shape, residual.as_ref(), bounds))]
        }
    };
    reference::behind_head(block, results, rest)
}

/// Computes what follows a head. A single operation is written over the result by its own kernel, which plans
/// no tiles.
fn rest(block: Block<NdTensor>) -> Vec<NdTensor> {
    if block.folded == 0 && block.steps.len() == 1 {
        return reference::run_block::<NdArray>(block);
    }
    tiles(block)
}

fn tiles(block: Block<NdTensor>) -> Vec<NdTensor> {
    let Block { shape, folded, head: _, inputs, mut steps, mut specs, mut outputs } = block;
    if folded > 0 && chain_kernel::is_available() {
        recompute((inputs.len(), &shape), &mut steps, &mut specs, &mut outputs);
    }
    let sources = sources(inputs.len(), &steps, &outputs);
    let mut whole: Vec<bool> = inputs.iter().map(|_| false).collect();
    for step in &steps {
        if let Some((_, x)) = step.as_reduce()
            && let Some(whole) = whole.get_mut(sources[usize::from(*x)])
        {
            *whole = true;
        }
    }
    let (grid, mut inputs) = lay_out(&shape, folded, inputs, &whole);
    let places = TileAllocation::new(&shape, &inputs, &steps, &specs, &outputs, &sources);
    let pass = Pass::new(grid, folded > 0, &places);
    // Inputs that are written over stay where they are.
    let starts: Vec<Shared<u8>> = inputs.iter().map(|input| Shared(input.x.start().cast_mut())).collect();
    let spec = |output: Register| &specs[usize::from(output) - inputs.len()];
    let fresh: Vec<TensorSpec> = outputs.iter().map(|&output| spec(output).clone()).collect();
    let mut results: Vec<NdTensor> = Vec::with_capacity(outputs.len());
    for (over, spec) in places.over.iter().zip(fresh) {
        results.push(match over {
            Some(input) => {
                let none = NdTensor::new(TensorSpec::new([0], spec.dtype));
                core::mem::replace(&mut inputs[*input].x, none)
            }
            None => NdTensor::new(spec),
        });
    }
    let memory: Vec<Shared<u8>> = results.iter_mut().map(|x| Shared(x.start_mut())).collect();
    let cursor = |register: usize| {
        let value = places.values[sources[register]];
        (value, Cursor::new(value, grid, pass.scratch, (&inputs, &starts), &memory))
    };
    let kept: Vec<usize> =
        (0..steps.len()).filter(|k| sources[inputs.len() + k] == inputs.len() + k).collect();
    let order = FlatOrder::new(&shape[shape.rank() - folded..]);
    let flow = flow(&steps, &kept, &outputs, &sources);
    let plan = |&k: &usize| {
        FusedStep::new(&steps[k], cursor(inputs.len() + k), |r| cursor(usize::from(r)), (grid, order))
    };
    pass.run(&stages(kept.iter().map(plan).collect(), &flow, grid.columns));
    results
}

/// How the result of each step that is kept goes on into the kept step after it.
fn flow(
    steps: &[BlockStep<Register>],
    kept: &[usize],
    outputs: &[Register],
    sources: &[usize],
) -> Vec<Option<Flow>> {
    let inputs = sources.len() - steps.len();
    let mut readers: Vec<usize> = sources.iter().map(|_| 0).collect();
    outputs.iter().for_each(|&output| readers[sources[usize::from(output)]] += 1);
    for &k in kept {
        steps[k].visit(|&r| readers[sources[usize::from(r)]] += 1);
    }
    let operand = |(at, &k): (usize, &usize)| {
        let before = inputs + kept[at.checked_sub(1)?];
        let (mut found, mut position) = (None, 0);
        steps[k].visit(|&r| {
            if sources[usize::from(r)] == before {
                found = Some(Flow { operand: position, is_only: readers[before] == 1 });
            }
            position += 1;
        });
        found
    };
    kept.iter().enumerate().map(operand).collect()
}
