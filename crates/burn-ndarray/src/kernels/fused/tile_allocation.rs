//! Where each value of a block is kept: as few tiles as possible, so that they stay in the first cache.

use super::input::Input;
use alloc::vec::Vec;
use burn_backend::{BlockStep, DType, HasSpec, Register, Shape, TensorSpec};

/// Location of the elements of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueLocation {
    Input(usize),
    /// A tile that other values use before and after.
    Tile(usize),
    /// One element for each row of the tile.
    Column(usize),
    /// The memory of a result.
    Result(usize),
}

/// Value of a block: a register as tiles hold it.
#[derive(Clone, Copy, Debug)]
pub struct TileValue {
    pub place: ValueLocation,
    pub dtype: DType,
    /// Bytes of an element.
    pub width: usize,
    /// Whether there is one element per row.
    pub per_row: bool,
}

/// Locations of the values of a block, and the memory that they need for a tile.
#[derive(Debug)]
pub struct TileAllocation {
    /// By register.
    pub values: Vec<TileValue>,
    pub tiles: usize,
    pub columns: usize,
    /// For each result the input over which it may be written.
    pub over: Vec<Option<usize>>,
}

/// The register whose elements an operand reads: what is only repeated inside of the block is its source.
pub fn sources(inputs: usize, steps: &[BlockStep<Register>], outputs: &[Register]) -> Vec<usize> {
    let mut sources: Vec<usize> = (0..inputs + steps.len()).collect();
    for (k, step) in steps.iter().enumerate() {
        let register = inputs + k;
        if let Some(x) = step.as_expand()
            && !outputs.iter().any(|&output| usize::from(output) == register)
        {
            sources[register] = sources[usize::from(*x)];
        }
    }
    sources
}

impl TileAllocation {
    pub fn new(
        shape: &Shape,
        inputs: &[Input],
        steps: &[BlockStep<Register>],
        specs: &[TensorSpec],
        outputs: &[Register],
        sources: &[usize],
    ) -> Self {
        let first = inputs.len();
        let mut last_use: Vec<usize> = (0..first + steps.len()).map(|r| r.saturating_sub(first)).collect();
        for (k, step) in steps.iter().enumerate() {
            step.visit(|&r| last_use[sources[usize::from(r)]] = k);
        }
        let of_input = |(i, input): (usize, &Input)| {
            let dtype = input.x.spec().dtype;
            TileValue { place: ValueLocation::Input(i), dtype, width: dtype.size(), per_row: false }
        };
        let mut values: Vec<TileValue> = inputs.iter().enumerate().map(of_input).collect();
        let mut over: Vec<Option<usize>> = outputs.iter().map(|_| None).collect();
        let (mut free, mut tiles, mut columns): (Vec<usize>, _, _) = (Vec::new(), 0, 0);
        for (k, spec) in specs.iter().enumerate() {
            let register = first + k;
            if sources[register] != register {
                values.push(values[sources[register]]);
                continue;
            }
            let per_row = spec.shape != *shape;
            // A tile that is read for the last time can be written over by elements of the same size.
            let mut dying: Vec<usize> = Vec::new();
            steps[k].visit(|&r| {
                let source = sources[usize::from(r)];
                let TileValue { place, width, .. } = values[source];
                if let ValueLocation::Tile(tile) = place
                    && last_use[source] == k
                    && !dying.contains(&tile)
                {
                    dying.push(tile);
                    if width == spec.dtype.size() && steps[k].as_reduce().is_none() {
                        free.push(tile);
                    }
                }
            });
            let result = outputs.iter().position(|&output| usize::from(output) == register);
            let place = if let Some(result) = result {
                let spare = |&i: &usize| {
                    let x = &inputs[i].x;
                    !per_row
                        && last_use[i] <= k
                        && *x.spec() == *spec
                        && x.is_writable()
                        && !over.contains(&Some(i))
                };
                over[result] = (0..first).find(spare);
                ValueLocation::Result(result)
            } else if per_row {
                columns += 1;
                ValueLocation::Column(columns - 1)
            } else {
                ValueLocation::Tile(free.pop().unwrap_or_else(|| {
                    tiles += 1;
                    tiles - 1
                }))
            };
            free.extend(dying.into_iter().filter(|&tile| place != ValueLocation::Tile(tile)));
            free.sort_unstable();
            free.dedup();
            values.push(TileValue { place, dtype: spec.dtype, width: spec.dtype.size(), per_row });
        }
        TileAllocation { values, tiles, columns, over }
    }
}
