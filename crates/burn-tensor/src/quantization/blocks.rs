use super::BlockTensor;
use crate::check::check;
use crate::{Tensor, TensorError, TensorPrimitive};
use alloc::boxed::Box;
use burn_backend::{Backend, BlockFormat, Operation, PackedBlocks, Quantized, TensorData, TensorSpec};
use burn_derive::fallible;

#[fallible]
/// # Quantization, of Float tensors
impl<B: Backend> Tensor<B, 2> {
    /// Creates a matrix from quantized blocks as GGUF files store them, without dequantizing them.
    ///
    /// Matrix products read the blocks themselves, [`Tensor::select`] along the stored rows dequantizes the
    /// selected ones, and [`Tensor::transpose`] moves no byte; other operations dequantize the whole matrix.
    /// No gradient flows to it. PyTorch has no counterpart.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::tensor::quantization::{BlockFormat, PackedBlocks};
    /// use burn::tensor::{DType, Tensor, TensorData};
    ///
    /// // One row of 32 elements: the scale 0.5 in half precision, then signed bytes.
    /// let row: Vec<u8> = [0x00, 0x38].into_iter().chain(0..32).collect();
    /// let blocks = PackedBlocks {
    ///     blocks: TensorData::new(row, [1, 34]),
    ///     format: BlockFormat::Q8_0,
    ///     transposed: false,
    ///     dtype: DType::F32,
    /// };
    /// let weight = Tensor::<NdArray, 2>::from_blocks(blocks, &Default::default());
    /// assert_eq!(weight.dims(), [1, 32]);
    /// let y = Tensor::ones([1, 32], &Default::default()).matmul(weight.transpose());
    /// // 0.5 (0 + 1 + .. + 31)
    /// assert_eq!(y.into_data().to_f64(), [248.0]);
    /// ```
    ///
    /// # Errors
    /// When the blocks are no matrix of whole blocks of dtype `U8`, or the dtype is no float.
    pub fn try_from_blocks(
        blocks: PackedBlocks<TensorData>,
        device: &B::Device,
    ) -> Result<Self, TensorError> {
        let specs = blocks.map_ref(|data| TensorSpec::new(data.shape.clone(), data.dtype));
        check(&Operation::Quantized(Quantized::DequantizeBlocks(Box::new(specs.by_ref()))))?;
        let blocks = BlockTensor::try_new(blocks.map(|data| B::from_data(data, device)))?;
        Ok(Self::from_any(TensorPrimitive::Blocks(blocks)))
    }
}

/// # Quantization, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Returns the format of the blocks, if the tensor is a matrix of quantized blocks. PyTorch has no
    /// counterpart.
    pub fn block_format(&self) -> Option<BlockFormat> {
        self.blocks().map(|blocks| blocks.packed().format)
    }
}
