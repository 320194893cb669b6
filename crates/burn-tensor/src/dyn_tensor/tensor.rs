use crate::create::fits;
use crate::options::on_device;
use crate::{Float, Numeric, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, DType, HasSpec, Scalar, Shape, TensorData};
use burn_derive::fallible;
use core::fmt::{Display, Formatter};
use core::marker::PhantomData;

/// A tensor whose rank is known at run time only; its elements are of kind `K`.
///
/// For what reads files of any rank, or computes a rank. A [`Tensor`] becomes one with `From`, and comes back with
/// `TryFrom` or [`DynTensor::into_rank`], without a copy. Shapes of different rank broadcast as in NumPy: the smaller
/// one gets dimensions of size 1 in front. PyTorch: every `torch.Tensor`.
///
/// ```
/// # use burn_tensor::{DynTensor, Tensor, TensorError, backend::Backend};
/// fn centred<B: Backend>(x: DynTensor<B>) -> Result<Tensor<B, 2>, TensorError> {
///     let mean = x.clone().mean_dims(&[-1], true);
///     Tensor::try_from(x - mean)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct DynTensor<B: Backend, K = Float> {
    pub(crate) handle: B::Tensor,
    kind: PhantomData<K>,
}

impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// A tensor from the backend's own. The reverse of [`DynTensor::into_handle`]. PyTorch has no counterpart.
    pub fn from_handle(handle: B::Tensor) -> Self {
        debug_assert!(
            K::holds(handle.spec().dtype),
            "{} is no dtype of a {} tensor",
            handle.dtype(),
            K::NAME
        );
        DynTensor { handle, kind: PhantomData }
    }

    /// The backend's own tensor. PyTorch has no counterpart.
    pub fn into_handle(self) -> B::Tensor {
        self.handle
    }

    /// The backend's own tensor, borrowed. PyTorch has no counterpart.
    pub fn handle(&self) -> &B::Tensor {
        &self.handle
    }

    /// Host values of any rank, converted to the default element type of the kind. PyTorch: `torch.tensor`.
    #[must_use]
    pub fn from_data(data: impl Into<TensorData>, device: &B::Device) -> Self {
        Self::from_handle(B::from_data(data.into().convert_dtype(K::dtype::<B>()), device))
    }

    /// Size of each dimension. PyTorch: `x.shape`.
    pub fn shape(&self) -> Shape {
        self.handle.shape()
    }

    /// How many dimensions there are. PyTorch: `x.ndim`.
    pub fn rank(&self) -> usize {
        self.handle.spec().shape.rank()
    }

    /// The type of the elements. PyTorch: `x.dtype`.
    pub fn dtype(&self) -> DType {
        self.handle.dtype()
    }

    /// Where the tensor lives. PyTorch: `x.device`.
    pub fn device(&self) -> B::Device {
        B::device(&self.handle)
    }

    /// This tensor on `device`. PyTorch: `x.to(device)`.
    #[must_use]
    pub fn to_device(self, device: &B::Device) -> Self {
        Self::from_handle(B::to_device(self.handle, device))
    }

    /// All elements in row-major order.
    pub(crate) fn flat(self) -> Tensor<B, 1, K> {
        let count = self.shape().num_elements();
        Tensor::from_handle(B::reshape(self.handle, [count].into()))
    }
}

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// `value` everywhere. PyTorch: `torch.full`.
    ///
    /// # Errors
    /// When memory cannot hold the shape, or the device has no elements of the default type.
    pub fn try_full(
        shape: impl Into<Shape>,
        value: impl Into<Scalar>,
        device: &B::Device,
    ) -> Result<Self, TensorError> {
        let shape = shape.into();
        let spec = fits("full", &shape, shape.rank(), K::dtype::<B>())?;
        on_device::<B>("full", device, spec.dtype)?;
        Ok(Self::from_handle(B::full(spec, value.into(), device)))
    }

    /// Reads the elements, and waits for them. PyTorch: `x.numpy()`.
    ///
    /// # Errors
    /// When the device failed, or where a thread cannot wait (wasm).
    pub fn try_into_data(self) -> Result<TensorData, TensorError> {
        let shape = self.shape();
        let mut data = self.flat().try_into_data()?;
        data.shape = shape;
        Ok(data)
    }

    /// [`DynTensor::into_data`] of a tensor that is kept. PyTorch: `x.numpy()`.
    ///
    /// # Errors
    /// When the device failed, or where a thread cannot wait (wasm).
    pub fn try_to_data(&self) -> Result<TensorData, TensorError> {
        self.clone().try_into_data()
    }
}

#[fallible]
impl<B: Backend, K: Numeric> DynTensor<B, K> {
    /// Zeros. PyTorch: `torch.zeros`.
    ///
    /// # Errors
    /// When memory cannot hold the shape.
    pub fn try_zeros(shape: impl Into<Shape>, device: &B::Device) -> Result<Self, TensorError> {
        Self::try_full(shape, 0, device)
    }

    /// Ones. PyTorch: `torch.ones`.
    ///
    /// # Errors
    /// When memory cannot hold the shape.
    pub fn try_ones(shape: impl Into<Shape>, device: &B::Device) -> Result<Self, TensorError> {
        Self::try_full(shape, 1, device)
    }
}

impl<B: Backend, K: TensorKind> Display for DynTensor<B, K> {
    /// As a [`Tensor`] is printed.
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        let device = self.device();
        crate::display::tensor(f, &self.to_data(), &device, &B::name(&device), K::NAME, None)
    }
}
