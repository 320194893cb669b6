use crate::quantization::{BlockTensor, QuantizedTensor};
use burn_backend::{Backend, HasSpec, TensorSpec};

/// Backend representation of a [`Float`](crate::Float) tensor.
///
/// Where tensors of all kinds are met, as [`AnyParam`] meets them, those of the other kinds are `Float` too:
/// one tensor of the backend.
///
/// [`AnyParam`]: https://docs.rs/burn-core
#[derive(Clone, Debug)]
pub enum TensorPrimitive<B: Backend> {
    /// One tensor of the backend.
    Float(B::Tensor),
    /// The parts of a quantized tensor.
    QFloat(QuantizedTensor<B>),
    /// A matrix of quantized blocks.
    Blocks(BlockTensor<B>),
}

impl<B: Backend> TensorPrimitive<B> {
    /// Returns the tensor; a quantized one is dequantized. Every operation calls this, so it is not inlined:
    /// one compiled copy is enough.
    #[inline(never)]
    pub fn tensor(self) -> B::Tensor {
        match self {
            TensorPrimitive::Float(tensor) => tensor,
            TensorPrimitive::QFloat(parts) => parts.dequantize(),
            TensorPrimitive::Blocks(blocks) => blocks.dequantize(),
        }
    }

    /// Returns one of the backend's tensors that it consists of.
    pub(crate) fn part(&self) -> &B::Tensor {
        match self {
            TensorPrimitive::Float(tensor) => tensor,
            TensorPrimitive::QFloat(parts) => &parts.packed().values,
            TensorPrimitive::Blocks(blocks) => &blocks.packed().blocks,
        }
    }

    pub fn is_quantized(&self) -> bool {
        !matches!(self, TensorPrimitive::Float(_))
    }

    /// Returns the device.
    pub fn device(&self) -> B::Device {
        B::device(self.part())
    }

    /// Maps each tensor of the backend to one of the same spec, also of another backend.
    #[must_use]
    pub fn map<C: Backend>(self, part: impl Fn(B::Tensor) -> C::Tensor) -> TensorPrimitive<C> {
        match self {
            TensorPrimitive::Float(tensor) => TensorPrimitive::Float(part(tensor)),
            TensorPrimitive::QFloat(parts) => TensorPrimitive::QFloat(parts.map(&part)),
            TensorPrimitive::Blocks(blocks) => TensorPrimitive::Blocks(blocks.map(&part)),
        }
    }
}

/// Shape and dtype; of a quantized tensor, those of the floats that it stands for.
impl<B: Backend> HasSpec for TensorPrimitive<B> {
    fn spec(&self) -> &TensorSpec {
        match self {
            TensorPrimitive::Float(tensor) => tensor.spec(),
            TensorPrimitive::QFloat(parts) => parts.spec(),
            TensorPrimitive::Blocks(blocks) => blocks.spec(),
        }
    }
}
