use crate::kernels::cast::cast;
use crate::kernels::layout::permute;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{BlockFormat, DType, PackedBlocks, TensorSpec};
use core::ops::Range;

/// Rows of blocks.
#[derive(Debug)]
pub struct BlockRows {
    pub format: BlockFormat,
    pub blocks: NdTensor,
    pub rows: usize,
    /// Elements of a row.
    pub columns: usize,
}

#[inline(always)]
fn decode_body<const FMA: bool>(format: BlockFormat, blocks: &[u8], out: &mut [f32]) {
    format.decode(blocks, out);
}
dispatch! { narrow fn decode(format: BlockFormat, blocks: &[u8], out: &mut [f32]) = decode_body }

impl BlockRows {
    pub fn new(x: PackedBlocks<NdTensor>) -> Self {
        let (rows, row_bytes) = (x.blocks.shape()[0], x.blocks.shape()[1]);
        let columns = row_bytes / x.format.bytes() * x.format.elements();
        BlockRows { format: x.format, blocks: x.blocks.into_contiguous(), rows, columns }
    }

    pub fn row_bytes(&self) -> usize {
        self.columns / self.format.elements() * self.format.bytes()
    }

    /// Dequantizes these elements of these rows; the columns are whole blocks.
    pub fn decode(&self, rows: Range<usize>, columns: Range<usize>) -> NdTensor {
        let (bytes, row_bytes, width) = (self.blocks.slice::<u8>(), self.row_bytes(), columns.len());
        let [start, end] = [columns.start, columns.end].map(|column| column / self.format.elements());
        let [start, end] = [start, end].map(|block| block * self.format.bytes());
        NdTensor::with(TensorSpec::new([rows.len(), width], DType::F32), |out: &mut [f32]| {
            // An element takes about as long as two additions.
            parallel::for_chunks(out, width, 2 * width, &|index, out| {
                let row = &bytes[(rows.start + index) * row_bytes..];
                decode(self.format, &row[start..end], out);
            });
        })
    }
}

pub fn dequantize_blocks(x: PackedBlocks<NdTensor>) -> NdTensor {
    let (dtype, transposed) = (x.dtype, x.transposed);
    let rows = BlockRows::new(x);
    let values = cast(rows.decode(0..rows.rows, 0..rows.columns), dtype);
    if transposed { permute(values, &[1, 0]) } else { values }
}
