use crate::check::ensure;
use crate::in_operation::try_in_operation;
use crate::{Tensor, TensorError, TensorKind};
use burn_backend::{Backend, DataError, TensorData, block_on};
use burn_derive::fallible;

/// # Reading of elements
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Reads the elements, and waits for them. PyTorch: `x.cpu().numpy()`.
    ///
    /// # Panics
    /// When the device failed, or where a thread cannot wait (wasm): see [`Tensor::into_data_async`].
    #[doc(alias = "cpu")]
    #[track_caller]
    pub fn into_data(self) -> TensorData {
        match self.try_into_data() {
            Ok(data) => data,
            Err(error) => error.raise(),
        }
    }

    /// [`Tensor::into_data`] of a tensor that is kept. PyTorch: `x.cpu().numpy()`.
    ///
    /// # Panics
    /// As [`Tensor::into_data`].
    #[doc(alias = "cpu")]
    #[track_caller]
    pub fn to_data(&self) -> TensorData {
        match self.try_to_data() {
            Ok(data) => data,
            Err(error) => error.raise(),
        }
    }

    /// [`Tensor::into_data`], and what is wrong as a value.
    ///
    /// # Errors
    /// When the device failed, or where a thread cannot wait (wasm): see [`Tensor::into_data_async`].
    #[track_caller]
    pub fn try_into_data(self) -> Result<TensorData, TensorError> {
        try_in_operation("into_data", || match block_on(B::into_data(self.into_handle())) {
            Ok(Ok(data)) => Ok(data),
            Ok(Err(error)) => Err(TensorError::data("into_data", &error)),
            Err(_pending) => Err(TensorError::argument(
                "into_data",
                format_args!("this platform cannot wait for the device; use into_data_async"),
            )),
        })
    }

    /// [`Tensor::try_into_data`] of a tensor that is kept. PyTorch: `x.cpu().numpy()`.
    ///
    /// # Errors
    /// When the device failed, or where a thread cannot wait (wasm): see [`Tensor::to_data_async`].
    #[doc(alias = "cpu")]
    #[track_caller]
    pub fn try_to_data(&self) -> Result<TensorData, TensorError> {
        match self.clone().try_into_data() {
            Ok(data) => Ok(data),
            Err(error) => Err(error.in_operation("to_data")),
        }
    }

    /// Reads the elements. CUDA and WGPU devices are asked by the call and not by the first poll, so that
    /// work can be queued behind the read before anyone waits for it. PyTorch has no counterpart.
    ///
    /// # Errors
    /// When the device failed.
    pub fn into_data_async(self) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::into_data(self.into_handle())
    }

    /// [`Tensor::into_data_async`] of a tensor that is kept. PyTorch has no counterpart.
    ///
    /// # Errors
    /// When the device failed.
    pub async fn to_data_async(&self) -> Result<TensorData, DataError> {
        B::into_data(self.clone().into_handle()).await
    }
}

#[fallible]
/// # Reading of elements
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Reads the only element. PyTorch: `x.item()`.
    ///
    /// # Errors
    /// When there is another number of elements than one.
    pub fn try_into_scalar(self) -> Result<K::Elem<B>, TensorError> {
        let shape = self.shape();
        let count = shape.num_elements();
        ensure!(count == 1, "into_scalar", "needs a tensor of one element, found {count} of shape {shape:?}");
        let data = self.try_into_data()?;
        Ok(data.iter().next().expect("one element"))
    }
}
