//! A row that products compute themselves, as their left factor.

use super::fused::programmed;
use super::row_kernel::RowKernel;
use super::row_launch::{RowLaunch, Sharing};
use super::rows;
use crate::launch::tensor::CubeTensor;
use burn_backend::*;

/// Bytes of a cube beside its row: units combine their folds in them, and the driver reserves some.
const RESERVED: usize = 4 << 10;
/// Bytes of a row at most: each cube of the products computes all of it.
const LONGEST_ROW: usize = 32 << 10;

/// The one row of a block, which has vectors of the size that products read.
pub struct RowFactor<'a> {
    pub kernel: RowKernel,
    pub inputs: Vec<&'a CubeTensor>,
    /// Vector width of each input.
    pub widths: Vec<usize>,
    pub words: Vec<u32>,
}

impl<'a> RowFactor<'a> {
    /// Returns the row of a block, in vectors of `width` elements; `None` where a cube does not keep all of
    /// it.
    pub fn new(block: &'a Block<CubeTensor>, width: usize) -> Option<Self> {
        let engine = block.inputs.first()?.engine();
        let (program, specs) = programmed(block);
        let [spec] = &specs[..] else { return None };
        let bytes = spec.shape.num_elements() * spec.dtype.size();
        let has_room = bytes <= LONGEST_ROW && bytes + RESERVED <= engine.hardware().max_shared_memory_size;
        if !has_room || !rows::are_known(block) {
            return None;
        }
        let inputs: Vec<&CubeTensor> = block.inputs.iter().collect();
        let launch =
            RowLaunch::new(program, (&block.shape, block.folded), &inputs, &specs, Sharing::EachCube)?;
        let widths = launch.widths().collect();
        let RowLaunch { kernel, words, count } = launch;
        (count == 1 && kernel.kept && kernel.width == width).then_some(RowFactor {
            kernel,
            inputs,
            widths,
            words,
        })
    }
}
