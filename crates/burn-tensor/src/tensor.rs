use crate::{Float, TensorKind};
use burn_backend::{Backend, DType, HasSpec, Shape, TensorSpec};
use core::marker::PhantomData;

/// A tensor of rank `D` on backend `B`; its elements are of kind `K`.
///
/// Operations take their operands by value: what is not used again is written in place. A clone shares the
/// elements and costs a reference count.
///
/// Operands of different rank do not compile:
///
/// ```compile_fail
/// use burn_tensor::{Tensor, backend::Backend};
/// fn add<B: Backend>(matrix: Tensor<B, 2>, vector: Tensor<B, 1>) -> Tensor<B, 2> {
///     matrix + vector
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Tensor<B: Backend, const D: usize, K = Float> {
    handle: B::Tensor,
    kind: PhantomData<K>,
}

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// A tensor from the backend's own, which has rank `D`. The reverse of [`Tensor::into_handle`].
    /// PyTorch has no counterpart.
    pub fn from_handle(handle: B::Tensor) -> Self {
        debug_assert_eq!(handle.spec().shape.rank(), D, "the rank is in the type");
        debug_assert!(
            K::holds(handle.spec().dtype),
            "{} is no dtype of a {} tensor",
            handle.dtype(),
            K::NAME
        );
        Tensor { handle, kind: PhantomData }
    }

    /// The backend's own tensor. PyTorch has no counterpart.
    pub fn into_handle(self) -> B::Tensor {
        self.handle
    }

    /// The backend's own tensor, borrowed. PyTorch has no counterpart.
    pub fn handle(&self) -> &B::Tensor {
        &self.handle
    }

    /// [`Tensor::from_handle`] for the primitive of the kind, for authors of operations. PyTorch has no counterpart.
    pub fn from_primitive(primitive: K::Primitive<B>) -> Self {
        Self::from_handle(K::unwrap::<B>(primitive))
    }

    /// The primitive of the kind: for floats a [`TensorPrimitive`](crate::TensorPrimitive).
    /// PyTorch has no counterpart.
    pub fn into_primitive(self) -> K::Primitive<B> {
        K::wrap::<B>(self.handle)
    }

    /// Shape and dtype.
    pub(crate) fn spec(&self) -> &TensorSpec {
        self.handle.spec()
    }

    /// Size of each dimension. PyTorch: `x.shape`.
    ///
    /// ```
    /// # use burn_tensor::{Tensor, backend::Backend};
    /// fn batch<B: Backend>(x: &Tensor<B, 3>) -> usize {
    ///     let [batch, _height, _width] = x.dims();
    ///     batch
    /// }
    /// ```
    pub fn dims(&self) -> [usize; D] {
        self.spec().shape[..].try_into().expect("the rank is in the type")
    }

    /// Size of each dimension, as a value that outlives the tensor. PyTorch: `x.shape`.
    pub fn shape(&self) -> Shape {
        self.spec().shape.clone()
    }

    /// The type of the elements. PyTorch: `x.dtype`.
    pub fn dtype(&self) -> DType {
        self.spec().dtype
    }

    /// `D`. PyTorch: `x.dim()`.
    pub fn rank(&self) -> usize {
        D
    }

    /// Where the elements are. PyTorch: `x.device`.
    pub fn device(&self) -> B::Device {
        B::device(&self.handle)
    }

    /// This tensor on `device`; the gradient comes back to where it came from. PyTorch: `x.to(device)`.
    #[must_use]
    pub fn to_device(self, device: &B::Device) -> Self {
        Self::from_handle(B::to_device(self.handle, device))
    }
}
