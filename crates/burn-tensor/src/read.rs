use crate::{Tensor, TensorKind};
use burn_backend::{Backend, DataError, TensorData, block_on};

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Reads the elements, and waits for them.
    ///
    /// # Panics
    /// When the device failed, or where a thread cannot wait (wasm): see [`Tensor::into_data_async`].
    #[track_caller]
    pub fn into_data(self) -> TensorData {
        match block_on(B::into_data(self.handle)) {
            Ok(Ok(data)) => data,
            Ok(Err(error)) => panic!("into_data: {error}"),
            Err(_pending) => {
                panic!("into_data: this platform cannot wait for the device; use into_data_async")
            }
        }
    }

    /// [`Tensor::into_data`] of a tensor that is kept.
    #[track_caller]
    pub fn to_data(&self) -> TensorData {
        self.clone().into_data()
    }

    /// Reads the elements.
    ///
    /// # Errors
    /// When the device failed.
    pub async fn into_data_async(self) -> Result<TensorData, DataError> {
        B::into_data(self.handle).await
    }

    /// [`Tensor::into_data_async`] of a tensor that is kept.
    ///
    /// # Errors
    /// When the device failed.
    pub async fn to_data_async(&self) -> Result<TensorData, DataError> {
        B::into_data(self.handle.clone()).await
    }

    /// The only element.
    ///
    /// # Panics
    /// When there is another number of elements than one.
    #[track_caller]
    pub fn into_scalar(self) -> K::Elem<B> {
        let shape = self.shape();
        let count = shape.num_elements();
        assert!(count == 1, "into_scalar: needs a tensor of one element, found {count} of shape {shape:?}");
        self.into_data().iter().next().expect("one element")
    }
}
