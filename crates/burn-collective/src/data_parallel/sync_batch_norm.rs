use crate::tensor_parallel::compute;
use crate::{CollectiveError, Communicator, Reduction};
use burn_core::module::{Ignored, Module};
use burn_nn::BatchNorm;
use burn_tensor::backend::Backend;
use burn_tensor::{DType, Tensor};

const NAME: &str = "SyncBatchNorm";

/// Batch normalization whose mean and variance are those of the batches of all ranks together.
///
/// `y = (x - mean) / sqrt(var + epsilon) gamma + beta`, as [`BatchNorm`] does for one rank. Two collectives
/// of the size of the channels in the forward pass, and two in the backward pass: every rank calls the layer,
/// and runs the backward pass. The running statistics are the same on all ranks. For validation, as in
/// `module.valid()`, nothing is moved.
///
/// Gradients are those of the sum of the losses of all ranks, which
/// [`DataParallel::reduce_gradients`](crate::DataParallel) averages: where all ranks have equally many items,
/// the step is that of one rank with the whole batch.
///
/// PyTorch: `torch.nn.SyncBatchNorm`.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::collective::{CollectiveError, Local, SyncBatchNorm};
/// use burn::nn::{BatchNorm, BatchNormConfig};
/// use burn::tensor::Tensor;
///
/// type B = Autodiff<NdArray>;
/// let outputs = Local::run(2, |communicator| {
///     let device = Default::default();
///     let norm: BatchNorm<B> = BatchNormConfig::new(1).with_epsilon(0.0).init(&device);
///     let norm = SyncBatchNorm::from_batch_norm(norm, &communicator);
///     // One item on each rank: 1 and 3, with the mean 2 and the variance 1.
///     let x = Tensor::<B, 2>::full([1, 1], 2.0 * communicator.rank() as f32 + 1.0, &device);
///     Ok::<_, CollectiveError>(norm.try_forward(x)?.into_scalar())
/// })?;
/// assert_eq!(outputs, [Ok(-1.0), Ok(1.0)]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[derive(Module, Debug)]
pub struct SyncBatchNorm<B: Backend> {
    /// Parameters, running statistics and settings.
    pub norm: BatchNorm<B>,
    /// Ranks whose batches are normalized together.
    pub communicator: Ignored<Communicator>,
}

impl<B: Backend> SyncBatchNorm<B> {
    /// Returns the layer with the parameters of `norm`. PyTorch:
    /// `torch.nn.SyncBatchNorm.convert_sync_batchnorm`.
    #[doc(alias = "convert_sync_batchnorm")]
    pub fn from_batch_norm(norm: BatchNorm<B>, communicator: &Communicator) -> Self {
        SyncBatchNorm { norm, communicator: Ignored(communicator.clone()) }
    }

    /// Normalizes `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Panics
    /// When [`try_forward`](Self::try_forward) has an error.
    #[track_caller]
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        self.try_forward(x).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Normalizes `[batch, channels, ..]`, as [`forward`](Self::forward).
    ///
    /// # Errors
    /// When the number of channels is not `num_features`, and those of [`Communicator::all_reduce`].
    pub fn try_forward<const D: usize>(&self, x: Tensor<B, D>) -> Result<Tensor<B, D>, CollectiveError> {
        let (dims, [channels]) = (x.dims(), self.norm.gamma.dims());
        let is_alone = self.communicator.world_size() == 1;
        if is_alone || !self.norm.training.is_on::<B>(&x.device()) {
            return compute(&self.communicator, NAME, || self.norm.forward(x));
        }
        if dims.get(1) != Some(&channels) {
            let group = self.communicator.idle_group();
            let expected = format!("[batch, {channels}, ..]");
            return Err(group.refuse(NAME, group.argument(NAME, "x", expected, format!("{dims:?}"))));
        }
        let inner = dims.iter().skip(2).product();
        let y = self.train(x.reshape([dims[0], channels, inner]))?;
        Ok(y.reshape(dims))
    }

    fn train(&self, x: Tensor<B, 3>) -> Result<Tensor<B, 3>, CollectiveError> {
        let ([batch, channels, inner], dtype) = (x.dims(), x.dtype());
        let x = widened(x);
        let count = Tensor::<B, 1>::full([1], (batch * inner) as f64, &x.device()).cast(x.dtype());
        // Sums of the channels and the number of values, in one call.
        let sums = Tensor::cat(vec![over_batch(x.clone()), count], 0);
        let sums = self.communicator.all_reduce(sums, Reduction::Sum)?;
        let count = sums.clone().narrow(0, channels, 1).detach();
        let mean = sums.narrow(0, 0, channels) / count.clone();
        let centered = x - mean.clone().reshape([1, channels, 1]);
        let squares = self.communicator.all_reduce(over_batch(centered.clone().square()), Reduction::Sum)?;
        let variance = squares / count.clone();
        let momentum = self.norm.momentum;
        let toward = |running: Tensor<B, 1>, batch: Tensor<B, 1>| {
            let dtype = running.dtype();
            (widened(running) * (1.0 - momentum) + batch.detach() * momentum).cast(dtype)
        };
        let unbiased = variance.clone() * count.clone() / (count - 1.0);
        self.norm.running_mean.update(|running| toward(running, mean));
        self.norm.running_var.update(|running| toward(running, unbiased));
        let [gamma, beta] = [&self.norm.gamma, &self.norm.beta].map(|param| widened(param.val()));
        let scale = gamma / (variance + self.norm.epsilon).sqrt();
        let y = centered * scale.reshape([1, channels, 1]) + beta.reshape([1, channels, 1]);
        Ok(if is_half(dtype) && is_half(self.norm.gamma.val().dtype()) { y.cast(dtype) } else { y })
    }
}

fn is_half(dtype: DType) -> bool {
    dtype == DType::F16 || dtype == DType::BF16
}

/// In half precision the square of a deviation could be infinite.
fn widened<B: Backend, const D: usize>(x: Tensor<B, D>) -> Tensor<B, D> {
    if is_half(x.dtype()) { x.cast(DType::F32) } else { x }
}

/// Sum per channel.
fn over_batch<B: Backend>(x: Tensor<B, 3>) -> Tensor<B, 1> {
    let [_, channels, _] = x.dims();
    x.sum_dim(2).sum_dim(0).reshape([channels])
}
