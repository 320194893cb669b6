use crate::error_text::error_text;
use crate::{CandleDevice, CandleError, dtype};
use burn_backend::{DType, HasSpec, Shape, TensorSpec};
use burn_library_backend::{Handle, Memory, with_dtype};
use candle_core::Tensor;

/// A tensor of candle with the element type that it stands for, which candle may store as a wider one.
#[derive(Clone, Debug)]
pub struct CandleTensor {
    handle: Handle<Tensor, CandleDevice>,
}

impl HasSpec for CandleTensor {
    #[inline]
    fn spec(&self) -> &TensorSpec {
        self.handle.spec()
    }
}

/// Checks that candle infers what is inferred here.
#[inline]
fn check(spec: &TensorSpec, tensor: &Tensor) {
    debug_assert_eq!(tensor.dims(), &spec.shape[..], "{spec:?}");
    debug_assert_eq!(tensor.dtype(), dtype::stored(spec.dtype), "{spec:?}");
}

impl CandleTensor {
    #[inline]
    pub(crate) fn new(spec: TensorSpec, tensor: Tensor, device: CandleDevice, memory: Memory) -> Self {
        check(&spec, &tensor);
        CandleTensor { handle: Handle::new(spec, tensor, device, memory) }
    }

    /// Returns a tensor of candle as ours: a view of the same elements, without its history of gradients.
    /// Bytes are taken for `u8`; [`to_bool`](Self::to_bool) makes bools of them.
    ///
    /// ```
    /// use burn_candle::{CandleTensor, candle_core::{Device, Tensor}};
    /// let x = CandleTensor::from_candle(Tensor::new(&[[1_u32, 2]], &Device::Cpu)?)?;
    /// assert_eq!(x.into_candle().dims(), [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such element type here, such as candle's floats of 8 bits.
    pub fn from_candle(tensor: Tensor) -> Result<Self, CandleError> {
        let device = CandleDevice::of(tensor.device());
        let Some(dtype) = dtype::own(tensor.dtype()) else {
            return Err(CandleError::DType { device, dtype: tensor.dtype().as_str().into() });
        };
        let failed = |error: candle_core::Error| CandleError::Failed { device, cause: error_text(&error) };
        // A device that candle opened twice is two devices for it.
        let tensor = tensor.detach().to_device(&device.to_candle()?).map_err(failed)?;
        let spec = TensorSpec { shape: Shape::from(tensor.dims()), dtype };
        Ok(CandleTensor::new(spec, tensor, device, Memory::foreign()))
    }

    /// Returns the tensor as candle has it. `i8` is stored as `i16`, `u16` as `u32`, `u64` as the `i64` of
    /// the same bits, and bools as bytes.
    pub fn into_candle(self) -> Tensor {
        self.handle.into_inner(Tensor::clone)
    }

    /// Returns bytes as bools: what is not 0 is true.
    ///
    /// # Errors
    /// When the elements are no bytes, or the device fails.
    pub fn to_bool(self) -> Result<Self, CandleError> {
        let device = self.device();
        if self.candle().dtype() != candle_core::DType::U8 {
            return Err(CandleError::DType { device, dtype: self.candle().dtype().as_str().into() });
        }
        let bools = self.candle().ne(0_u8);
        let tensor = bools.map_err(|error| CandleError::Failed { device, cause: error_text(&error) })?;
        let spec = with_dtype(&self, DType::Bool);
        Ok(CandleTensor::new(spec, tensor, device, Memory::foreign()))
    }

    /// Address of the first element on the host, to see whether a buffer was reused; `None` on other devices.
    pub fn address(&self) -> Option<usize> {
        crate::buffer::address(self.candle())
    }

    #[inline]
    pub(crate) fn candle(&self) -> &Tensor {
        self.handle.inner()
    }

    #[inline]
    pub(crate) fn device(&self) -> CandleDevice {
        self.handle.device()
    }

    /// The same buffer, seen otherwise.
    pub(crate) fn viewed(&self, spec: TensorSpec, tensor: Tensor) -> Self {
        check(&spec, &tensor);
        CandleTensor { handle: self.handle.viewed(spec, tensor) }
    }

    /// Whether no other tensor holds the elements, which may be overwritten then.
    #[inline]
    pub(crate) fn is_unique(&self) -> bool {
        self.handle.is_unique()
    }
}
