//! A block that folds rows, as one kernel.

use super::program::Program;
use super::row_launch::{RowLaunch, Sharing};
use crate::launch::kernel::{UNITS, launch_vectors};
use crate::launch::tensor::{CubeTensor, require};
use burn_backend::*;
use cubecl::CubeDim;

/// Whether the folds of a block, if it has some, are of kinds that are written here.
pub fn are_known<T>(block: &Block<T>) -> bool
where
    T: HasSpec,
{
    let first = block.first_step();
    let dtype = |r: Register| match block.inputs.get(usize::from(r)) {
        Some(x) => x.dtype(),
        None => block.specs[usize::from(r) - first].dtype,
    };
    let known = |step: &BlockStep<Register>| {
        let is_known = |(op, x): (ReduceOp, &Register)| {
            !matches!(op, ReduceOp::Any | ReduceOp::All) && dtype(*x).is_float()
        };
        step.as_reduce().is_none_or(is_known)
    };
    let rank = block.shape.rank();
    let terms: usize = block.shape[rank - block.folded..].iter().product();
    block.folded == 0 || (terms > 1 && block.steps.iter().all(known))
}

impl Program {
    /// The results of steps that fold the last `folded` dimensions of `shape`, of these specs.
    pub fn run_rows(
        self,
        shape: &Shape,
        folded: usize,
        inputs: &[&CubeTensor],
        specs: Vec<TensorSpec>,
    ) -> Vec<CubeTensor> {
        let engine = inputs[0].engine();
        specs.iter().for_each(|spec| require(engine, spec.dtype));
        let launch = RowLaunch::new(self, (shape, folded), inputs, &specs, Sharing::OneCube);
        let results: Vec<CubeTensor> =
            specs.into_iter().map(|spec| CubeTensor::empty(spec, engine)).collect();
        let Some(launch) = launch else { return results };
        let width = launch.kernel.width;
        let outputs = launch.kernel.outputs.iter().map(|&(_, whole)| if whole { width } else { 1 });
        let widths = launch.widths().chain(outputs).collect();
        let RowLaunch { kernel, words, count } = launch;
        let cubes = count.div_ceil(kernel.team.rows() as usize);
        let places: Vec<&CubeTensor> = results.iter().collect();
        launch_vectors(kernel, inputs, &places, widths, &words, cubes, CubeDim::new_1d(UNITS));
        results
    }
}
