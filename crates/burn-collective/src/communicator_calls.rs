//! Collectives of a communicator.

use crate::differentiable::{collective_error, data, linear_map};
use crate::frame::CallFields;
use crate::{Collective, CollectiveError, Communicator, Reduction};
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{Backend, HasSpec, ReduceOp};
use burn_ir::{Dims, Shape};
use burn_tensor::{Numeric, Tensor, TensorKind};

impl Communicator {
    /// Computes a collective, and records it where gradients are tracked.
    pub(crate) fn linear<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensor: Tensor<B, D, K>,
        collective: Collective,
    ) -> Result<Tensor<B, D, K>, CollectiveError> {
        let result = B::linear_map(linear_map(self, collective), tensor.into_handle());
        result.map(Tensor::from_handle).map_err(|error| collective_error(self, error))
    }

    /// Reduces the tensors of all ranks, element by element; each rank gets the result. PyTorch:
    /// `torch.distributed.all_reduce`.
    ///
    /// The gradient of a sum or a mean is the same reduction of the gradients of all ranks; those of minima,
    /// maxima and products are computed from the gathered values, by which these need the memory of one
    /// tensor for each rank.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::collective::{Local, Reduction};
    /// use burn::tensor::{Int, Tensor};
    ///
    /// let results = Local::run(3, |communicator| {
    ///     let x = Tensor::<NdArray, 1, Int>::full([2], communicator.rank() as i64 + 1, &Default::default());
    ///     communicator.all_reduce(x, Reduction::Product).map(|x| x.into_data().to_f64())
    /// })?;
    /// assert_eq!(results[2], Ok(vec![6.0, 6.0]));
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// When ranks differ in the call, one ended or did not arrive, or a tensor cannot be read.
    pub fn all_reduce<B: Backend, const D: usize, K: Numeric>(
        &self,
        tensor: Tensor<B, D, K>,
        reduction: Reduction,
    ) -> Result<Tensor<B, D, K>, CollectiveError> {
        let collective = Collective::AllReduce(reduction);
        let reduce = match reduction {
            Reduction::Sum | Reduction::Mean => return self.linear(tensor, collective),
            Reduction::Min => ReduceOp::Min,
            Reduction::Max => ReduceOp::Max,
            Reduction::Product => ReduceOp::Prod,
        };
        let x = tensor.into_handle();
        if !B::tracks_gradients(&B::device(&x)) {
            let result = collective.apply(self, DynamicTensor::new::<B>(x))?;
            return Ok(Tensor::from_handle(result.into_inner::<B>()));
        }
        let shape = x.spec().shape.clone();
        let row: Shape = core::iter::once(1).chain(shape.iter().copied()).collect();
        let gather = linear_map(self, Collective::AllGather { dim: 0, mean: false });
        let all = B::linear_map(gather, B::reshape(x, row)).map_err(|error| collective_error(self, error))?;
        Ok(Tensor::from_handle(B::reshape(B::reduce(reduce, all, Dims::from([0])), shape)))
    }

    /// Concatenates the tensors of all ranks along `dim`, in the order of ranks. PyTorch:
    /// `torch.distributed.all_gather_into_tensor`.
    ///
    /// The gradient is the [`reduce_scatter`](Self::reduce_scatter) of the gradients.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::collective::Local;
    /// use burn::tensor::Tensor;
    ///
    /// let results = Local::run(2, |communicator| {
    ///     let x = Tensor::<NdArray, 2>::full([1, 2], communicator.rank() as f32, &Default::default());
    ///     communicator.all_gather(x, 0).map(|x| (x.dims(), x.into_data().to_f64()))
    /// })?;
    /// assert_eq!(results[0], Ok(([2, 2], vec![0.0, 0.0, 1.0, 1.0])));
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce); also when the tensor has no dimension `dim`.
    #[doc(alias = "all_gather_into_tensor")]
    pub fn all_gather<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensor: Tensor<B, D, K>,
        dim: usize,
    ) -> Result<Tensor<B, D, K>, CollectiveError> {
        self.linear(tensor, Collective::AllGather { dim, mean: false })
    }

    /// Reduces the tensors of all ranks, and gives each rank its part of the result along `dim`. PyTorch:
    /// `torch.distributed.reduce_scatter_tensor`.
    ///
    /// The gradient is the [`all_gather`](Self::all_gather) of the gradients. Minima, maxima and products are
    /// those of [`all_reduce`](Self::all_reduce), of which the rank keeps its part.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::collective::{Local, Reduction};
    /// use burn::tensor::Tensor;
    ///
    /// let results = Local::run(2, |communicator| {
    ///     let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0, 4.0], &Default::default());
    ///     communicator.reduce_scatter(x, 0, Reduction::Sum).map(|x| x.into_data().to_f64())
    /// })?;
    /// assert_eq!(results, [Ok(vec![2.0, 4.0]), Ok(vec![6.0, 8.0])]);
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather); also when the number of ranks does not divide the size of `dim`.
    #[doc(alias = "reduce_scatter_tensor")]
    pub fn reduce_scatter<B: Backend, const D: usize, K: Numeric>(
        &self,
        tensor: Tensor<B, D, K>,
        dim: usize,
        reduction: Reduction,
    ) -> Result<Tensor<B, D, K>, CollectiveError> {
        let mean = match reduction {
            Reduction::Sum => false,
            Reduction::Mean => true,
            Reduction::Min | Reduction::Max | Reduction::Product => {
                let (rank, count) = (self.rank(), self.world_size());
                let shape = tensor.shape();
                let size = shape.get(dim).copied().filter(|size| size % count == 0);
                let Some(size) = size else {
                    let expected = format!("a dimension {dim} whose size {count} ranks divide");
                    let found = format!("shape {shape:?}");
                    let group = self.idle_group();
                    let error = group.argument("reduce_scatter", "dim", expected, found);
                    return Err(group.refuse("reduce_scatter", error));
                };
                let part = size / count;
                return Ok(self.all_reduce(tensor, reduction)?.narrow(dim, rank * part, part));
            }
        };
        self.linear(tensor, Collective::ReduceScatter { dim, mean })
    }

    /// Gives the tensor of rank `root` to all ranks; that of the others says shape, dtype and device.
    /// PyTorch: `torch.distributed.broadcast`.
    ///
    /// The gradient is the sum of the gradients of all ranks, on rank `root`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::collective::Local;
    /// use burn::tensor::Tensor;
    ///
    /// let results = Local::run(2, |communicator| {
    ///     let x = Tensor::<NdArray, 1>::full([1], communicator.rank() as f32 + 7.0, &Default::default());
    ///     communicator.broadcast(x, 1).map(Tensor::into_scalar)
    /// })?;
    /// assert_eq!(results, [Ok(8.0), Ok(8.0)]);
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce); also when there is no rank `root`.
    pub fn broadcast<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensor: Tensor<B, D, K>,
        root: usize,
    ) -> Result<Tensor<B, D, K>, CollectiveError> {
        self.linear(tensor, Collective::Broadcast { root })
    }

    /// Sends the values of a tensor to rank `to`, without waiting until it [receives](Self::receive) them.
    /// PyTorch: `torch.distributed.send`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::collective::Local;
    /// use burn::tensor::Tensor;
    ///
    /// let results = Local::run(2, |communicator| {
    ///     let device = Default::default();
    ///     if communicator.rank() == 0 {
    ///         communicator.send(Tensor::<NdArray, 1>::from_data([1.0, 2.0], &device), 1)?;
    ///         return Ok(Vec::new());
    ///     }
    ///     communicator.receive::<NdArray, 1, burn::tensor::Float>(0, &device).map(|x| x.into_data().to_f64())
    /// })?;
    /// assert_eq!(results[1], Ok(vec![1.0, 2.0]));
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// When `to` is this rank or none, or the tensor cannot be read.
    pub fn send<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensor: Tensor<B, D, K>,
        to: usize,
    ) -> Result<(), CollectiveError> {
        send(self, DynamicTensor::new::<B>(tensor.into_handle()), to)
    }

    /// Waits for the next tensor that rank `from` sends to this one. PyTorch: `torch.distributed.recv`.
    ///
    /// # Errors
    /// When `from` is this rank or none, it ended or sends nothing within the timeout, or its tensor is of
    /// another rank or kind.
    #[doc(alias = "recv")]
    pub fn receive<B: Backend, const D: usize, K: TensorKind>(
        &self,
        from: usize,
        device: &B::Device,
    ) -> Result<Tensor<B, D, K>, CollectiveError> {
        let data = self.idle_group().receive_kind(from, D, K::holds, K::NAME)?;
        Ok(Tensor::from_handle(B::from_data(data, device)))
    }

    /// Gives every rank the bytes of all, by rank; they may differ in length. PyTorch:
    /// `torch.distributed.all_gather_object`.
    ///
    /// ```
    /// use burn::collective::Local;
    ///
    /// let names = Local::run(2, |communicator| {
    ///     let name = format!("rank {}", communicator.rank());
    ///     communicator.all_gather_bytes(name.as_bytes())
    /// })?;
    /// assert_eq!(names[0], Ok(vec![b"rank 0".to_vec(), b"rank 1".to_vec()]));
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    #[doc(alias = "all_gather_object")]
    pub fn all_gather_bytes(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError> {
        const NAME: &str = "all_gather_bytes";
        self.idle_group().call(NAME, Ok(CallFields::new(NAME)), |call| call.gather_bytes(bytes))
    }

    /// Waits until every rank has called this. PyTorch: `torch.distributed.barrier`.
    ///
    /// # Errors
    /// When ranks differ in the call, or one ended or did not arrive.
    pub fn barrier(&self) -> Result<(), CollectiveError> {
        self.idle_group().barrier()
    }
}

fn send(communicator: &Communicator, x: DynamicTensor, to: usize) -> Result<(), CollectiveError> {
    // Not behind calls in the background: one of them may wait for what the other rank sends when it has
    // this.
    let group = communicator.group();
    // The other ranks are not in this call: the error is of this rank alone.
    let data = data("send", group.rank(), x)?;
    group.send(data, to)
}
