use crate::quantization::{BlockTensor, QuantizationScheme, QuantizedTensor};
use crate::{Float, TensorError, TensorKind, TensorPrimitive};
use burn_backend::{Backend, DType, HasSpec, Shape, TensorSpec};
use burn_derive::fallible;
use core::marker::PhantomData;

/// A tensor of rank `D` on backend `B`; its elements are of kind `K`.
///
/// Operations take their operands by value: what is not used again is written in place. A clone shares the
/// elements and costs a reference count.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, TensorData};
///
/// let device = Default::default();
/// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
/// let y = x.clone().matmul(x.transpose()) + 1.0;
/// assert_eq!(y.dims(), [2, 2]);
/// assert_eq!(y.into_data(), TensorData::from([[6.0_f32, 12.0], [12.0, 26.0]]));
/// ```
///
/// Operands of different rank do not compile:
///
/// ```compile_fail
/// use burn::tensor::{Tensor, backend::Backend};
/// fn add<B: Backend>(matrix: Tensor<B, 2>, vector: Tensor<B, 1>) -> Tensor<B, 2> {
///     matrix + vector
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Tensor<B: Backend, const D: usize, K = Float> {
    primitive: TensorPrimitive<B>,
    kind: PhantomData<K>,
}

#[fallible]
/// # Shape, dtype, device and handle
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Returns the backend's own tensor, borrowed. PyTorch has no counterpart.
    ///
    /// # Errors
    /// When the tensor is quantized: then there are several.
    pub fn try_handle(&self) -> Result<&B::Tensor, TensorError> {
        match self.plain() {
            Some(handle) => Ok(handle),
            None => Err(several("handle")),
        }
    }
}

#[fallible]
/// # Shape, dtype, device and handle
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Wraps the backend's own tensor, which has rank `D`. The reverse of [`Tensor::into_handle`]. PyTorch
    /// has no counterpart.
    pub fn from_handle(handle: B::Tensor) -> Self {
        Self::from_any(TensorPrimitive::Float(handle))
    }

    /// Returns the backend's own tensor; a quantized tensor is dequantized. PyTorch has no counterpart.
    pub fn into_handle(self) -> B::Tensor {
        self.primitive.tensor()
    }

    /// Returns the backend's own tensor, unless the tensor is quantized.
    pub(crate) fn plain(&self) -> Option<&B::Tensor> {
        match &self.primitive {
            TensorPrimitive::Float(handle) => Some(handle),
            TensorPrimitive::QFloat(_) | TensorPrimitive::Blocks(_) => None,
        }
    }

    /// [`Tensor::from_handle`] for the primitive of the kind, for authors of operations. PyTorch has no
    /// counterpart.
    pub fn from_primitive(primitive: K::Primitive<B>) -> Self {
        Self::from_any(K::unwrap::<B>(primitive))
    }

    /// Returns the primitive of the kind: for floats a [`TensorPrimitive`](crate::TensorPrimitive). PyTorch
    /// has no counterpart.
    pub fn into_primitive(self) -> K::Primitive<B> {
        K::wrap::<B>(self.primitive)
    }

    pub(crate) fn from_any(primitive: TensorPrimitive<B>) -> Self {
        debug_assert_eq!(primitive.spec().shape.rank(), D, "the rank is in the type");
        debug_assert!(
            K::holds(primitive.spec().dtype),
            "{} is no dtype of a {} tensor",
            primitive.dtype(),
            K::NAME
        );
        Tensor { primitive, kind: PhantomData }
    }

    pub(crate) fn from_quantized(parts: QuantizedTensor<B>) -> Self {
        Self::from_any(TensorPrimitive::QFloat(parts))
    }

    pub(crate) fn into_any(self) -> TensorPrimitive<B> {
        self.primitive
    }

    /// Returns the blocks, if the tensor is a matrix of quantized blocks.
    pub(crate) fn blocks(&self) -> Option<&BlockTensor<B>> {
        match &self.primitive {
            TensorPrimitive::Blocks(blocks) => Some(blocks),
            TensorPrimitive::Float(_) | TensorPrimitive::QFloat(_) => None,
        }
    }

    /// Returns the quantization scheme, if the tensor is quantized by one. PyTorch: `x.qscheme()`.
    #[doc(alias = "qscheme")]
    pub fn quantization(&self) -> Option<QuantizationScheme> {
        match &self.primitive {
            TensorPrimitive::Float(_) | TensorPrimitive::Blocks(_) => None,
            TensorPrimitive::QFloat(parts) => Some(parts.scheme()),
        }
    }

    /// Returns whether the tensor is quantized. PyTorch: `x.is_quantized`.
    pub fn is_quantized(&self) -> bool {
        self.primitive.is_quantized()
    }

    /// Returns the shape and dtype.
    pub(crate) fn spec(&self) -> &TensorSpec {
        self.primitive.spec()
    }

    /// Returns the size of each dimension. PyTorch: `x.shape`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn batch<B: Backend>(x: &Tensor<B, 3>) -> usize {
    ///     let [batch, _height, _width] = x.dims();
    ///     batch
    /// }
    /// ```
    #[doc(alias = "shape")]
    pub fn dims(&self) -> [usize; D] {
        self.spec().shape[..].try_into().expect("the rank is in the type")
    }

    /// Returns the size of each dimension, as a value that outlives the tensor. PyTorch: `x.shape`.
    pub fn shape(&self) -> Shape {
        self.spec().shape.clone()
    }

    /// Returns the element type. PyTorch: `x.dtype`.
    pub fn dtype(&self) -> DType {
        self.spec().dtype
    }

    /// Returns the number of dimensions, `D`. PyTorch: `x.dim()`.
    #[doc(alias = "dim")]
    pub fn rank(&self) -> usize {
        D
    }

    /// Returns the device of the tensor. PyTorch: `x.device`.
    pub fn device(&self) -> B::Device {
        self.primitive.device()
    }

    /// Moves the tensor to `device`; its gradient is moved back in the backward pass. PyTorch:
    /// `x.to(device)`.
    pub fn try_to_device(self, device: &B::Device) -> Result<Self, TensorError> {
        Ok(Self::from_any(self.primitive.map::<B>(|part| B::to_device(part, device))))
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn several(operation: &'static str) -> TensorError {
    TensorError::argument(
        operation,
        format_args!("a quantized tensor has parts in place of one handle: dequantize it first"),
    )
}
