use crate::error::TchError;
use crate::library::Torch;
use crate::{LibTorchDevice, dtype};
use burn_backend::{HasSpec, Shape, TensorSpec};
use burn_foreign::{Library, Memory};
use std::fmt;
use std::sync::Arc;
use tch::Tensor;

/// A tensor of LibTorch with the element type that it stands for, which LibTorch may store as a wider one.
#[derive(Clone)]
pub struct TchTensor {
    view: Arc<View>,
}

struct View {
    spec: TensorSpec,
    tensor: Tensor,
    device: LibTorchDevice,
    memory: Memory,
    /// Whose buffer it is, if this is a view of another tensor; that one is no view.
    base: Option<Arc<View>>,
}

// SAFETY: LibTorch counts the references to a tensor atomically, and its functions that read one may run at the
// same time on several threads. A tensor is written only by `TchTensor::unique`, whose borrow is exclusive.
unsafe impl Sync for View {}

impl fmt::Debug for TchTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let View { spec, device, .. } = &*self.view;
        f.debug_struct("TchTensor").field("spec", spec).field("device", device).finish_non_exhaustive()
    }
}

impl HasSpec for TchTensor {
    #[inline]
    fn spec(&self) -> &TensorSpec {
        &self.view.spec
    }
}

impl TchTensor {
    pub(crate) fn new(spec: TensorSpec, tensor: Tensor, device: LibTorchDevice, memory: Memory) -> Self {
        Self::of(View { spec, tensor, device, memory, base: None })
    }

    fn of(view: View) -> Self {
        let View { spec, tensor, .. } = &view;
        debug_assert_eq!(
            tensor.size(),
            crate::layout::sizes(&spec.shape)[..],
            "LibTorch infers the same shape as {spec:?}"
        );
        debug_assert_eq!(tensor.kind(), dtype::stored(spec.dtype), "LibTorch infers the same elements");
        TchTensor { view: Arc::new(view) }
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
        crate::device::set_threads();
        let device = LibTorchDevice::of(tensor.device());
        let failed = |error: tch::TchError| TchError::Failed { device, cause: Torch::cause(&error) };
        let kind = tensor.f_kind().map_err(failed)?;
        let (Some(dtype), false) = (dtype::own(kind), tensor.is_sparse() || tensor.is_mkldnn()) else {
            let dtype = if tensor.is_sparse() { format!("sparse {kind:?}") } else { format!("{kind:?}") };
            return Err(TchError::DType { device, dtype });
        };
        let tensor = tensor.f_detach().map_err(failed)?;
        let shape: Shape = tensor.size().into_iter().map(|size| size as usize).collect();
        Ok(TchTensor::new(TensorSpec { shape, dtype }, tensor, device, Memory::foreign()))
    }

    /// Returns the tensor as `tch` has it. `u16` is stored as `i32`, `u32` as `i64`, and `u64` as the `i64` of the
    /// same bits.
    pub fn into_tch(self) -> Tensor {
        self.view.base.as_ref().unwrap_or(&self.view).memory.lend();
        match Arc::try_unwrap(self.view) {
            Ok(view) => view.tensor,
            Err(view) => view.tensor.shallow_clone(),
        }
    }

    /// Address of the first element, to see whether a buffer was reused.
    pub fn address(&self) -> usize {
        self.view.tensor.data_ptr() as usize
    }

    #[inline]
    pub(crate) fn tch(&self) -> &Tensor {
        &self.view.tensor
    }

    pub(crate) fn device(&self) -> LibTorchDevice {
        self.view.device
    }

    /// The same buffer, seen otherwise.
    pub(crate) fn viewed(&self, spec: TensorSpec, tensor: Tensor) -> Self {
        let base = Some(self.view.base.as_ref().unwrap_or(&self.view).clone());
        Self::of(View { spec, tensor, device: self.view.device, memory: Memory::none(), base })
    }

    /// The elements, to be written over, if nobody else can see them and none is there twice.
    pub(crate) fn unique(&mut self) -> Option<&mut Tensor> {
        let view = Arc::get_mut(&mut self.view)?;
        let is_alone = match &view.base {
            None => !view.memory.is_lent(),
            // Views hold their base: with one holder, it has this view alone.
            Some(base) => Arc::strong_count(base) == 1 && !base.memory.is_lent(),
        };
        (is_alone && view.tensor.is_contiguous()).then_some(&mut view.tensor)
    }
}
