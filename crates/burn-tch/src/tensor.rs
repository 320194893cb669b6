use crate::error_text::error_text;
use crate::{LibTorchDevice, TchError, dtype};
use burn_backend::{HasSpec, Shape, TensorSpec};
use burn_library_backend::{Handle, Memory};
use std::fmt;
use tch::Tensor;

/// A tensor of LibTorch with the element type that it stands for, which LibTorch may store as a wider one.
#[derive(Clone)]
pub struct TchTensor {
    handle: Handle<Shared, LibTorchDevice>,
}

/// A tensor that threads share.
pub struct Shared(pub Tensor);

// SAFETY: LibTorch counts the references to a tensor atomically, and its functions that read one may run at
// the same time on several threads. A tensor is written only by `TchTensor::unique`, whose borrow is
// exclusive, and by blocks, of which each thread has a part of its own.
unsafe impl Sync for Shared {}

impl fmt::Debug for TchTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (spec, device) = (self.spec(), self.device());
        f.debug_struct("TchTensor").field("spec", spec).field("device", &device).finish_non_exhaustive()
    }
}

impl HasSpec for TchTensor {
    #[inline]
    fn spec(&self) -> &TensorSpec {
        self.handle.spec()
    }
}

/// Checks that LibTorch infers what is inferred here.
#[inline]
fn check(spec: &TensorSpec, tensor: &Tensor) {
    debug_assert_eq!(tensor.size(), crate::sizes::sizes(&spec.shape)[..], "{spec:?}");
    debug_assert_eq!(tensor.kind(), dtype::stored(spec.dtype), "{spec:?}");
}

impl TchTensor {
    #[inline]
    pub(crate) fn new(spec: TensorSpec, tensor: Tensor, device: LibTorchDevice, memory: Memory) -> Self {
        check(&spec, &tensor);
        TchTensor { handle: Handle::new(spec, Shared(tensor), device, memory) }
    }

    /// Returns a tensor of `tch` as ours: a view of the same elements, without its history of gradients.
    ///
    /// ```
    /// use burn_tch::{TchTensor, tch};
    /// let x = TchTensor::from_tch(tch::Tensor::from_slice2(&[[1.0_f32, 2.0]]))?;
    /// assert_eq!(x.into_tch().size(), [1, 2]);
    /// # Ok::<(), burn_tch::TchError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such element type here, such as complex numbers, or the tensor is sparse.
    pub fn from_tch(tensor: Tensor) -> Result<Self, TchError> {
        crate::settings::set();
        let device = LibTorchDevice::of(tensor.device());
        let failed = |error: tch::TchError| TchError::Failed { device, cause: error_text(&error) };
        let kind = tensor.f_kind().map_err(failed)?;
        let (Some(dtype), false) = (dtype::own(kind), tensor.is_sparse() || tensor.is_mkldnn()) else {
            let dtype = if tensor.is_sparse() { format!("sparse {kind:?}") } else { format!("{kind:?}") };
            return Err(TchError::DType { device, dtype });
        };
        let tensor = tensor.f_detach().map_err(failed)?;
        let shape: Shape = tensor.size().into_iter().map(|size| size as usize).collect();
        Ok(TchTensor::new(TensorSpec { shape, dtype }, tensor, device, Memory::foreign()))
    }

    /// Returns the tensor as `tch` has it. `u16` is stored as `i32`, `u32` as `i64`, and `u64` as the `i64`
    /// of the same bits.
    pub fn into_tch(self) -> Tensor {
        self.handle.into_inner(|shared| Shared(shared.0.shallow_clone())).0
    }

    /// Address of the first element, to see whether a buffer was reused.
    pub fn address(&self) -> usize {
        self.tch().data_ptr() as usize
    }

    #[inline]
    pub(crate) fn tch(&self) -> &Tensor {
        &self.handle.inner().0
    }

    #[inline]
    pub(crate) fn device(&self) -> LibTorchDevice {
        self.handle.device()
    }

    /// The same buffer, seen otherwise.
    pub(crate) fn viewed(&self, spec: TensorSpec, tensor: Tensor) -> Self {
        check(&spec, &tensor);
        TchTensor { handle: self.handle.viewed(spec, Shared(tensor)) }
    }

    /// The elements, to be written over, if no other tensor holds them and none is there twice.
    #[inline]
    pub(crate) fn unique(&mut self) -> Option<&mut Tensor> {
        self.handle.unique().map(|shared| &mut shared.0).filter(|tensor| tensor.is_contiguous())
    }
}
