use crate::TensorError;
use crate::check::{check, together};
use alloc::boxed::Box;
use burn_backend::sync::Arc;
use burn_backend::{Backend, HasSpec, Operation, PackedBlocks, Quantized, TensorSpec};
use burn_derive::fallible;

/// Matrix of quantized blocks as GGUF files store them, with the shape and dtype of its dequantized values. A
/// clone shares the blocks.
#[derive(Clone, Debug)]
pub struct BlockTensor<B: Backend>(Arc<Parts<B>>);

#[derive(Debug)]
struct Parts<B: Backend> {
    packed: PackedBlocks<B::Tensor>,
    spec: TensorSpec,
}

#[fallible]
impl<B: Backend> BlockTensor<B> {
    /// Creates a matrix of these blocks.
    ///
    /// # Errors
    /// When the blocks are no matrix of whole blocks of dtype `U8`, or the dtype is no float.
    pub fn try_new(packed: PackedBlocks<B::Tensor>) -> Result<Self, TensorError> {
        let specs = packed.map_ref(HasSpec::spec);
        check(&Operation::Quantized(Quantized::DequantizeBlocks(Box::new(specs))))?;
        Ok(Self::checked(packed))
    }
}

impl<B: Backend> BlockTensor<B> {
    fn checked(packed: PackedBlocks<B::Tensor>) -> Self {
        let spec = TensorSpec { shape: packed.shape(), dtype: packed.dtype };
        BlockTensor(Arc::new(Parts { packed, spec }))
    }

    /// Returns the blocks.
    pub fn packed(&self) -> &PackedBlocks<B::Tensor> {
        &self.0.packed
    }

    /// Dequantizes to floats.
    #[cold]
    pub fn dequantize(&self) -> B::Tensor {
        B::dequantize_blocks(self.packed().clone())
    }

    /// Swaps the two dimensions, without moving a byte.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self::checked(self.packed().clone().transpose())
    }

    /// Maps the blocks to a tensor of the same spec, also of another backend.
    #[must_use]
    #[cold]
    pub fn map<C: Backend>(&self, part: &dyn Fn(B::Tensor) -> C::Tensor) -> BlockTensor<C> {
        let packed = self.packed().map_ref(|x| part(x.clone()));
        BlockTensor(Arc::new(Parts { packed, spec: self.0.spec.clone() }))
    }

    /// Returns whether the stored rows of blocks lie along dimension `dim`, so that they can be taken one by
    /// one.
    pub(crate) fn has_rows_of(&self, dim: usize) -> bool {
        dim == usize::from(self.packed().transposed)
    }

    /// Dequantizes these stored rows.
    ///
    /// # Errors
    /// When the indices are on another device.
    #[cold]
    pub(crate) fn rows(&self, indices: B::Tensor) -> Result<B::Tensor, TensorError> {
        let PackedBlocks { blocks, format, transposed, dtype } = self.packed().clone();
        together::<B>("select", &blocks, &[&indices])?;
        let blocks = B::select(blocks, 0, indices);
        Ok(B::dequantize_blocks(PackedBlocks { blocks, format, transposed, dtype }))
    }
}

/// Shape and dtype of the dequantized values.
impl<B: Backend> HasSpec for BlockTensor<B> {
    fn spec(&self) -> &TensorSpec {
        &self.0.spec
    }
}
