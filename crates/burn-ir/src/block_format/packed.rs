use super::BlockFormat;
use crate::{DType, HasSpec, Shape};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Matrix in a [block format](BlockFormat): the bytes of its blocks, row after row, as a GGUF file stores
/// them.
///
/// A weight `[out, in]` has its blocks along `in`, the reduction of a product. Used as `[in, out]`, as a
/// linear layer does, it is `transposed`: the same bytes with the dimensions swapped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct PackedBlocks<T> {
    /// Blocks, `[rows, bytes of a row]` of dtype `U8`.
    pub blocks: T,
    pub format: BlockFormat,
    /// Whether the matrix is the transpose of the stored rows.
    pub transposed: bool,
    /// Float dtype of the dequantized elements.
    pub dtype: DType,
}

impl<T: HasSpec> PackedBlocks<T> {
    /// Returns the shape of the dequantized matrix. The blocks must be a matrix of whole blocks.
    pub fn shape(&self) -> Shape {
        let stored = &self.blocks.spec().shape;
        let (rows, columns) = (stored[0], stored[1] / self.format.bytes() * self.format.elements());
        if self.transposed { [columns, rows].into() } else { [rows, columns].into() }
    }
}

impl<T> PackedBlocks<T> {
    /// Swaps the two dimensions, without moving a byte.
    #[must_use]
    pub fn transpose(self) -> Self {
        PackedBlocks { transposed: !self.transposed, ..self }
    }
}

/// Arguments of a matrix product with a matrix of blocks: `lhs` (`[.., m, k]`, float) times `rhs` (`[k, n]`),
/// of the dtype of `lhs`.
///
/// A backend may round the rows of `lhs` to 8-bit integers with a scale for each block, as llama.cpp does: an
/// element `x` of a block whose largest magnitude is `a` is then wrong by at most `a / 254`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct BlockMatmulArgs<T> {
    pub lhs: T,
    pub rhs: PackedBlocks<T>,
}
