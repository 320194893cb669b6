//! The left factor of products of a few rows: a matrix, or one row that each cube computes.

use crate::launch::kernel::{A, Body};
use crate::launch::tensor::CubeTensor;
use crate::ops::block::{RowFactor, RowKernel};
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::ir::ManagedVariable;
use cubecl::prelude::*;

cubecl::define_size!(pub(super) W);

/// Bytes of a vector.
pub(super) const BYTES: usize = 16;

/// A left factor.
pub enum LeftFactor<'a> {
    Matrix(&'a CubeTensor),
    /// With the spec of the row.
    Row(&'a TensorSpec, Box<RowFactor<'a>>),
}

/// A left factor as it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LeftFactorKernel {
    Matrix,
    Row(Box<RowKernel>),
}

/// Arrays and words of a left factor in a launch.
pub struct LeftFactorArgs<'a> {
    pub kernel: LeftFactorKernel,
    /// Arrays before those of the matrices, and after them.
    pub before: Vec<CubeTensor>,
    pub after: Vec<&'a CubeTensor>,
    /// Vector widths of those after them.
    pub widths: Vec<usize>,
    /// Words after all others.
    pub words: Vec<u32>,
}

impl<'a> LeftFactor<'a> {
    /// Returns the row of a block as the left factor of products, if a cube keeps it.
    pub fn row(block: &'a Block<CubeTensor>) -> Option<Self> {
        let spec = block.specs.get(usize::from(*block.outputs.first()?).checked_sub(block.inputs.len())?)?;
        let factor = RowFactor::new(block, BYTES / spec.dtype.size())?;
        Some(LeftFactor::Row(spec, Box::new(factor)))
    }

    pub fn args(self) -> LeftFactorArgs<'a> {
        match self {
            LeftFactor::Matrix(x) => LeftFactorArgs {
                kernel: LeftFactorKernel::Matrix,
                before: vec![contiguous(x.clone())],
                after: Vec::new(),
                widths: Vec::new(),
                words: Vec::new(),
            },
            LeftFactor::Row(_, row) => {
                let RowFactor { kernel, inputs, widths, words } = *row;
                LeftFactorArgs {
                    kernel: LeftFactorKernel::Row(Box::new(kernel)),
                    before: Vec::new(),
                    after: inputs,
                    widths,
                    words,
                }
            }
        }
    }
}

impl HasSpec for LeftFactor<'_> {
    fn spec(&self) -> &TensorSpec {
        match self {
            LeftFactor::Matrix(x) => x.spec(),
            LeftFactor::Row(spec, _) => spec,
        }
    }
}

#[cube]
fn shared_row<E: Numeric, N: Size>(#[comptime] vectors: usize) -> SharedMemory<Vector<E, N>> {
    SharedMemory::<Vector<E, N>>::new(vectors)
}

#[cube]
fn wait_for_cube() {
    sync_cube();
}

impl LeftFactorKernel {
    /// The first array of the matrices.
    pub fn before(&self) -> usize {
        match self {
            LeftFactorKernel::Matrix => 1,
            LeftFactorKernel::Row(_) => 0,
        }
    }

    /// The first array after all factors, of which this many are matrices.
    pub fn end(&self, matrices: usize) -> usize {
        match self {
            LeftFactorKernel::Matrix => 1 + matrices,
            LeftFactorKernel::Row(row) => matrices + row.accesses.len(),
        }
    }

    /// Returns the vectors of the factor; a row is computed first, which reads the last words of the launch.
    /// `A` is the element type of all factors, and `W` the size of their vectors.
    pub(super) fn vectors(&self, body: &mut Body, matrices: usize) -> NativeExpand<Array<Vector<A, W>>> {
        let row = match self {
            LeftFactorKernel::Matrix => return body.array::<Vector<A, W>>(0),
            LeftFactorKernel::Row(row) => row,
        };
        let vectors = row.team.size as usize * row.each;
        let shared: ManagedVariable = shared_row::expand::<A, W>(&mut body.scope, vectors).into();
        let inputs = (matrices..self.end(matrices)).map(|at| (body.variable(at), body.dtype(at)));
        let arrays = inputs.chain([(shared.clone(), body.dtype(0))]).collect();
        row.write(body, arrays, 0u32.into());
        wait_for_cube::expand(&mut body.scope);
        shared.into()
    }
}
