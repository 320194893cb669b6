use crate::create::fits;
use crate::{Float, Tensor, TensorError, TensorKind, TensorOptions};
use burn_backend::{Backend, DType, HasSpec, Scalar, Shape, TensorData};
use burn_derive::fallible;
use core::fmt::{Display, Formatter};
use core::marker::PhantomData;

/// A tensor whose rank is known at run time only; its elements are of kind `K`.
///
/// For what reads files of any rank, or computes a rank. A [`Tensor`] becomes one with `From`, and comes back
/// with `TryFrom` or [`DynTensor::into_rank`], without a copy. Shapes of different rank broadcast as in
/// NumPy: the smaller one gets dimensions of size 1 in front. PyTorch: every `torch.Tensor`.
///
/// ```
/// use burn::tensor::{DynTensor, Tensor, TensorError, backend::Backend};
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

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Wraps the backend's own tensor. The reverse of [`DynTensor::into_handle`]. PyTorch has no counterpart.
    pub fn from_handle(handle: B::Tensor) -> Self {
        debug_assert!(
            K::holds(handle.spec().dtype),
            "{} is no dtype of a {} tensor",
            handle.dtype(),
            K::NAME
        );
        DynTensor { handle, kind: PhantomData }
    }

    /// Returns the backend's own tensor. PyTorch has no counterpart.
    pub fn into_handle(self) -> B::Tensor {
        self.handle
    }

    /// Returns the backend's own tensor, borrowed. PyTorch has no counterpart.
    pub fn handle(&self) -> &B::Tensor {
        &self.handle
    }

    /// Returns the size of each dimension. PyTorch: `x.shape`.
    pub fn shape(&self) -> Shape {
        self.handle.shape()
    }

    /// Returns the number of dimensions. PyTorch: `x.ndim`.
    #[doc(alias = "ndim")]
    pub fn rank(&self) -> usize {
        self.handle.spec().shape.rank()
    }

    /// Returns the element type. PyTorch: `x.dtype`.
    pub fn dtype(&self) -> DType {
        self.handle.dtype()
    }

    /// Returns the device of the tensor. PyTorch: `x.device`.
    pub fn device(&self) -> B::Device {
        B::device(&self.handle)
    }

    /// Moves the tensor to `device`. PyTorch: `x.to(device)`.
    pub fn try_to_device(self, device: &B::Device) -> Result<Self, TensorError> {
        Ok(Self::from_handle(B::to_device(self.handle, device)))
    }

    /// Returns all elements in row-major order.
    pub(crate) fn flat(self) -> Tensor<B, 1, K> {
        let count = self.shape().num_elements();
        Tensor::from_handle(B::reshape(self.handle, [count].into()))
    }
}

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Creates a tensor of host values of any rank, converted to the default element type of the kind, or the
    /// one of the options. PyTorch: `torch.tensor`.
    ///
    /// # Errors
    /// When the dtype is of another kind, or the device has no elements of it.
    pub fn try_from_data(
        data: impl Into<TensorData>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let (data, options) = (data.into(), options.into());
        let dtype = options.dtype::<K>("from_data")?;
        fits("from_data", &data.shape, data.shape.rank(), dtype)?;
        Ok(Self::from_handle(B::from_data(data.convert_dtype(dtype), &options.device)))
    }

    /// Creates a tensor filled with `value`. PyTorch: `torch.full`.
    ///
    /// # Errors
    /// When memory cannot hold the shape, the dtype is of another kind, or the device has no elements of it.
    pub fn try_full(
        shape: impl Into<Shape>,
        value: impl Into<Scalar>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        full("full", &shape.into(), value.into(), &options.into())
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
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Creates a tensor of zeros; of bools, `false`. PyTorch: `torch.zeros`.
    ///
    /// # Errors
    /// As [`DynTensor::full`].
    pub fn try_zeros(
        shape: impl Into<Shape>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        full("zeros", &shape.into(), Scalar::Int(0), &options.into())
    }

    /// Creates a tensor of ones; of bools, `true`. PyTorch: `torch.ones`.
    ///
    /// # Errors
    /// As [`DynTensor::full`].
    pub fn try_ones(
        shape: impl Into<Shape>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        full("ones", &shape.into(), Scalar::Int(1), &options.into())
    }
}

#[track_caller]
fn full<B: Backend, K: TensorKind>(
    operation: &'static str,
    shape: &Shape,
    value: Scalar,
    options: &TensorOptions<B>,
) -> Result<DynTensor<B, K>, TensorError> {
    let spec = fits(operation, shape, shape.rank(), options.dtype::<K>(operation)?)?;
    Ok(DynTensor::from_handle(B::full(spec, value, &options.device)))
}

impl<B: Backend, K: TensorKind> Display for DynTensor<B, K> {
    /// Formats the tensor as a [`Tensor`].
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        let device = self.device();
        crate::display::tensor(f, &self.to_data(), &device, &B::name(&device), K::NAME, None)
    }
}
