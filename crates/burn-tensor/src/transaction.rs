use crate::in_operation::try_in_operation;
use crate::{Tensor, TensorError, TensorKind};
use alloc::boxed::Box;
use alloc::vec::Vec;
use burn_backend::{Backend, DataError, TensorData, block_on};
use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::Poll;

type Reading = Pin<Box<dyn Future<Output = Result<TensorData, DataError>> + Send>>;

/// Several tensors that are read at once: the device computes all of them before the host waits.
///
/// ```
/// use burn::tensor::{Bool, Tensor, TensorData, Transaction, backend::Backend};
/// fn read<B: Backend>(loss: Tensor<B, 1>, mask: Tensor<B, 2, Bool>) -> [TensorData; 2] {
///     let read = Transaction::default().register(loss).register(mask).execute();
///     read.try_into().expect("two tensors")
/// }
/// ```
pub struct Transaction<B: Backend> {
    tensors: Vec<B::Tensor>,
}

impl<B: Backend> Default for Transaction<B> {
    fn default() -> Self {
        Transaction { tensors: Vec::new() }
    }
}

impl<B: Backend> fmt::Debug for Transaction<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("tensors", &self.tensors.len()).finish()
    }
}

impl<B: Backend> Transaction<B> {
    /// Adds a tensor of any rank and kind.
    #[must_use]
    pub fn register<const D: usize, K: TensorKind>(mut self, tensor: Tensor<B, D, K>) -> Self {
        self.tensors.push(tensor.into_handle());
        self
    }

    /// Reads the tensors, and waits for them; in the order of registration.
    ///
    /// # Panics
    /// When the device failed, or where a thread cannot wait (wasm): see [`Transaction::execute_async`].
    #[track_caller]
    #[must_use]
    pub fn execute(self) -> Vec<TensorData> {
        match self.try_execute() {
            Ok(data) => data,
            Err(error) => error.raise(),
        }
    }

    /// [`Transaction::execute`], and what is wrong as a value.
    ///
    /// # Errors
    /// When the device failed, or where a thread cannot wait (wasm): see [`Transaction::execute_async`].
    #[track_caller]
    pub fn try_execute(self) -> Result<Vec<TensorData>, TensorError> {
        try_in_operation("execute", || match block_on(self.execute_async()) {
            Ok(Ok(data)) => Ok(data),
            Ok(Err(error)) => Err(TensorError::data("execute", &error)),
            Err(_pending) => Err(TensorError::argument(
                "execute",
                format_args!("this platform cannot wait for the device; use execute_async"),
            )),
        })
    }

    /// Reads the tensors, in the order of registration.
    ///
    /// # Errors
    /// When the device failed.
    pub async fn execute_async(self) -> Result<Vec<TensorData>, DataError> {
        let read = |tensor| -> Reading { Box::pin(B::into_data(tensor)) };
        let mut waiting: Vec<Reading> = self.tensors.into_iter().map(read).collect();
        let mut data: Vec<Option<Result<TensorData, DataError>>> = waiting.iter().map(|_| None).collect();
        poll_fn(|context| {
            for (reading, data) in waiting.iter_mut().zip(&mut data) {
                if data.is_none()
                    && let Poll::Ready(read) = reading.as_mut().poll(context)
                {
                    *data = Some(read);
                }
            }
            if data.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        data.into_iter().flatten().collect()
    }
}
