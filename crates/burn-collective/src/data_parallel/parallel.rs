use super::background::Background;
use super::bucket_order::BucketOrder;
use crate::Communicator;
use std::sync::{Arc, Mutex};

/// Bytes of gradients that travel together, as in PyTorch.
const BUCKET_BYTES: usize = 25 * 1024 * 1024;

/// Data parallel training: every rank has the whole model and a part of each batch.
///
/// [`synchronize`](Self::synchronize) gives all ranks the model of rank 0. In each step a rank computes the
/// gradients of its part of the batch by [`backward`](Self::backward), which averages them over all ranks
/// while the backward pass runs, and every rank makes the same step of its optimizer, so that the models stay
/// equal to the last bit. Gradients that are already computed are averaged by
/// [`reduce_gradients`](Self::reduce_gradients). PyTorch: `torch.nn.parallel.DistributedDataParallel`.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::collective::{CollectiveError, DataParallel, DistributedSampler, Local};
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{Optimizer, SgdConfig};
/// use burn::tensor::Tensor;
///
/// type B = Autodiff<NdArray>;
/// let models = Local::run(2, |communicator| {
///     let device = Default::default();
///     let sampler = DistributedSampler::new(8, 4, &communicator)?.with_shuffle(42);
///     let parallel = DataParallel::new(communicator);
///     let model: Linear<B> = LinearConfig::new(1, 1).init(&device);
///     let mut model = parallel.synchronize(model)?;
///     let mut optimizer = SgdConfig::new().init();
///     for batch in sampler.batches(0)? {
///         // The items of this rank: two of four.
///         let x: Vec<f32> = batch.iter().map(|item| *item as f32 / 8.0).collect();
///         let x = Tensor::<B, 1>::from_data(x.as_slice(), &device).reshape([batch.len(), 1]);
///         let loss = (model.forward(x.clone()) - x * 3.0).square().mean();
///         let grads = parallel.backward(loss, &model, batch.len())?.grads;
///         model = optimizer.step(0.1, model, grads);
///     }
///     Ok::<_, CollectiveError>(model.weight.val().into_data().to_f64())
/// })?;
/// assert_eq!(models[0], models[1]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DataParallel {
    pub(super) communicator: Communicator,
    pub(super) bucket_bytes: usize,
    /// Communicator of the calls that run beside a backward pass.
    pub(super) background: Background,
    /// Order of buckets, which the first backward pass measures.
    pub(super) order: Arc<Mutex<BucketOrder>>,
}

impl DataParallel {
    /// Returns data parallel training on the ranks of `communicator`, with buckets of 25 MiB.
    pub fn new(communicator: Communicator) -> Self {
        DataParallel {
            communicator,
            bucket_bytes: BUCKET_BYTES,
            background: Background::default(),
            order: Arc::default(),
        }
    }

    /// Sets the bytes of gradients that travel together. PyTorch: `bucket_cap_mb`.
    #[doc(alias = "bucket_cap_mb")]
    #[must_use]
    pub fn with_bucket_bytes(mut self, bytes: usize) -> Self {
        self.bucket_bytes = bytes;
        self
    }

    pub(crate) fn bucket_bytes(&self) -> usize {
        self.bucket_bytes
    }

    /// Returns the communicator.
    pub fn communicator(&self) -> &Communicator {
        &self.communicator
    }
}
