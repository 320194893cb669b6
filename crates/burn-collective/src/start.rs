//! Collectives that run in the background.

use crate::Collective;
use crate::differentiable::data;
use crate::group::Group;
use crate::{CollectiveError, Communicator, Reduction, Request};
use burn_backend::Backend;
use burn_backend::dynamic::DynamicTensor;
use burn_ir::TensorData;
use burn_tensor::{Numeric, Tensor, TensorKind};
use std::sync::mpsc::{Receiver, channel};

type Outcome<T> = Result<T, CollectiveError>;

impl Communicator {
    /// Runs `call` after the calls before it, and returns where its result arrives.
    pub(crate) fn start<T: Send + 'static>(
        &self,
        operation: &'static str,
        call: impl FnOnce(&Group) -> Outcome<T> + Send + 'static,
    ) -> Outcome<(Receiver<Outcome<T>>, CollectiveError)> {
        let (sender, receiver) = channel();
        let group = self.group().clone();
        let job = move || {
            // A dropped request has no reader for the result.
            let _ = sender.send(call(&group));
        };
        let started = self.worker().start(job);
        started.map_err(|cause| self.failed_call(operation, format!("no thread for the call: {cause}")))?;
        Ok((receiver, self.failed_call(operation, "the call ended without a result".to_string())))
    }

    fn failed_call(&self, operation: &str, message: String) -> CollectiveError {
        CollectiveError::Library { operation: operation.to_string(), rank: self.rank(), message }
    }

    fn start_with<B: Backend, const D: usize, K: TensorKind>(
        &self,
        operation: &'static str,
        tensor: Tensor<B, D, K>,
        collective: Option<Collective>,
        call: impl FnOnce(&Group, TensorData) -> Outcome<TensorData> + Send + 'static,
    ) -> Outcome<Request<Tensor<B, D, K>>> {
        let device = tensor.device();
        let x = DynamicTensor::new::<B>(tensor.into_handle());
        // Calls in the background keep their order with those of the device, which starts them at once.
        if let Some(collective) = collective
            && self.group().engine.device_collectives().is_some()
            && let Some(pending) = self.idle_group().start_on_device(collective, &x)?
        {
            let (sender, receiver) = channel();
            let lost = self.failed_call(operation, "the call ended without a result".to_string());
            // The receiver is here.
            let _ = sender.send(Ok(pending));
            let group = self.group().clone();
            return Ok(Request::new(receiver, lost, move |pending| {
                let result = group.finish_on_device(collective, pending)?;
                Ok(Tensor::from_handle(result.into_inner::<B>()))
            }));
        }
        let (receiver, lost) = start_data(self, operation, x, call)?;
        let finish = move |data| Ok(Tensor::from_handle(B::from_data(data, &device)));
        Ok(Request::new(receiver, lost, finish))
    }

    /// [`all_reduce`](Self::all_reduce) in the background, without a gradient. PyTorch:
    /// `torch.distributed.all_reduce(async_op=True)`.
    ///
    /// # Errors
    /// When the tensor cannot be read, or the system starts no more threads. All others come with
    /// [`Request::wait`].
    pub fn start_all_reduce<B: Backend, const D: usize, K: Numeric>(
        &self,
        tensor: Tensor<B, D, K>,
        reduction: Reduction,
    ) -> Result<Request<Tensor<B, D, K>>, CollectiveError> {
        let collective = Some(Collective::AllReduce(reduction));
        self.start_with("all_reduce", tensor, collective, move |group, data| {
            group.all_reduce(data, reduction)
        })
    }

    /// [`all_gather`](Self::all_gather) in the background, without a gradient. PyTorch:
    /// `torch.distributed.all_gather_into_tensor(async_op=True)`.
    ///
    /// # Errors
    /// As [`start_all_reduce`](Self::start_all_reduce).
    pub fn start_all_gather<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensor: Tensor<B, D, K>,
        dim: usize,
    ) -> Result<Request<Tensor<B, D, K>>, CollectiveError> {
        let collective = Some(Collective::AllGather { dim, mean: false });
        self.start_with("all_gather", tensor, collective, move |group, data| group.all_gather(data, dim))
    }

    /// [`reduce_scatter`](Self::reduce_scatter) in the background, without a gradient. PyTorch:
    /// `torch.distributed.reduce_scatter_tensor(async_op=True)`.
    ///
    /// # Errors
    /// As [`start_all_reduce`](Self::start_all_reduce).
    pub fn start_reduce_scatter<B: Backend, const D: usize, K: Numeric>(
        &self,
        tensor: Tensor<B, D, K>,
        dim: usize,
        reduction: Reduction,
    ) -> Result<Request<Tensor<B, D, K>>, CollectiveError> {
        let collective = match reduction {
            Reduction::Sum => Some(Collective::ReduceScatter { dim, mean: false }),
            Reduction::Mean => Some(Collective::ReduceScatter { dim, mean: true }),
            // No engine has these on a device.
            Reduction::Min | Reduction::Max | Reduction::Product => None,
        };
        self.start_with("reduce_scatter", tensor, collective, move |group, data| {
            group.reduce_scatter(data, dim, reduction)
        })
    }

    /// [`broadcast`](Self::broadcast) in the background, without a gradient. PyTorch:
    /// `torch.distributed.broadcast(async_op=True)`.
    ///
    /// # Errors
    /// As [`start_all_reduce`](Self::start_all_reduce).
    pub fn start_broadcast<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensor: Tensor<B, D, K>,
        root: usize,
    ) -> Result<Request<Tensor<B, D, K>>, CollectiveError> {
        let collective = Some(Collective::Broadcast { root });
        self.start_with("broadcast", tensor, collective, move |group, data| group.broadcast(data, root))
    }

    /// [`receive`](Self::receive) in the background. PyTorch: `torch.distributed.irecv`.
    ///
    /// Calls made after it wait for it, as all calls of a communicator keep their order; [`send`](Self::send)
    /// never waits.
    ///
    /// # Errors
    /// When the system starts no more threads. All others come with [`Request::wait`].
    #[doc(alias = "irecv")]
    pub fn start_receive<B: Backend, const D: usize, K: TensorKind>(
        &self,
        from: usize,
        device: &B::Device,
    ) -> Result<Request<Tensor<B, D, K>>, CollectiveError> {
        let device = device.clone();
        let (receiver, lost) =
            self.start("receive", move |group| group.receive_kind(from, D, K::holds, K::NAME))?;
        Ok(Request::new(receiver, lost, move |data| Ok(Tensor::from_handle(B::from_data(data, &device)))))
    }

    /// [`barrier`](Self::barrier) in the background. PyTorch: `torch.distributed.barrier(async_op=True)`.
    ///
    /// # Errors
    /// As [`start_receive`](Self::start_receive).
    pub fn start_barrier(&self) -> Result<Request<()>, CollectiveError> {
        let (receiver, lost) = self.start("barrier", Group::barrier)?;
        Ok(Request::new(receiver, lost, Ok))
    }
}

/// Reads the tensor here, so that the backend's calls keep their order; bytes move in the background.
fn start_data(
    communicator: &Communicator,
    operation: &'static str,
    x: DynamicTensor,
    call: impl FnOnce(&Group, TensorData) -> Outcome<TensorData> + Send + 'static,
) -> Outcome<(Receiver<Outcome<TensorData>>, CollectiveError)> {
    match data(operation, communicator.rank(), x) {
        Ok(data) => communicator.start(operation, move |group| call(group, data)),
        Err(error) => Err(communicator.idle_group().refuse(operation, error)),
    }
}
