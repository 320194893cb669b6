//! Backward passes that average gradients over ranks while they run.

use super::bucket_reducer::NAME;
use super::earlier::Earlier;
use super::fixed_order::EarlierChunks;
use super::parameters::trained;
use super::{AccumulatedGradients, BackwardReduction, DataParallel, ReducedGradients};
use crate::CollectiveError;
use burn_backend::AutodiffBackend;
use burn_backend::gradient_hook::GradientHookScope;
use burn_core::module::AutodiffModule;
use burn_optim::GradientsParams;
use burn_tensor::{Tensor, TensorError};

impl DataParallel {
    /// Runs the backward pass of `loss`, of shape `[1]`, and averages the gradients of the parameters of
    /// `module` over all ranks while it runs, weighted by `items`, the number of items in the batch of each
    /// rank: where the loss is a mean over its batch, this is the gradient of the mean over the items of all
    /// ranks.
    ///
    /// Gradients travel in [buckets](Self::with_bucket_bytes). A bucket travels as soon as its gradients are
    /// complete, and the buckets before it travel. Buckets are filled in the order in which gradients become
    /// ready: in the first pass the reverse of their declaration, then that which rank 0 saw in the first
    /// pass. A parameter without a gradient on some ranks counts as zero there and is
    /// [named](ReducedGradients::unused). A rank without items gives `None` and 0. The result is that of
    /// [`reduce_gradients`](Self::reduce_gradients), to the last bit where sums are computed in the order of
    /// ranks.
    ///
    /// PyTorch: `loss.backward()` with `torch.nn.parallel.DistributedDataParallel`.
    ///
    /// # Errors
    /// When ranks have different models, no rank has items, or the loss depends on no parameter.
    pub fn backward<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        loss: impl Into<Option<Tensor<B, 1>>>,
        module: &M,
        items: usize,
    ) -> Result<ReducedGradients, CollectiveError> {
        let reduction = self.begin_backward::<B, M>(module, items)?;
        self.run(reduction, loss.into(), module)
    }

    /// Begins the reduction of the gradients of one step, whose backward pass comes next; `None` where no
    /// rank has items. For loops that run the backward pass elsewhere: [`backward`](Self::backward) is the
    /// simple form.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::collective::{CollectiveError, DataParallel, Local};
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::optim::GradientsParams;
    /// use burn::tensor::Tensor;
    /// use burn::tensor::backend::GradientHookScope;
    ///
    /// type B = Autodiff<NdArray>;
    /// let begun = Local::run(2, |communicator| {
    ///     let device = Default::default();
    ///     let parallel = DataParallel::new(communicator);
    ///     let model: Linear<B> = parallel.synchronize(LinearConfig::new(2, 1).init(&device))?;
    ///     let loss = model.forward(Tensor::<B, 2>::ones([4, 2], &device)).mean();
    ///     let reduction = parallel.begin_backward::<B, _>(&model, 4)?.expect("there are items");
    ///     let scope = GradientHookScope::enter(reduction.hook());
    ///     let grads = loss.backward();
    ///     drop(scope);
    ///     let begun = reduction.begun();
    ///     reduction.finish(GradientsParams::from_grads(grads, &model))?;
    ///     Ok::<_, CollectiveError>(begun)
    /// })?;
    /// // Both gradients travel in one bucket, which was begun before the backward pass returned.
    /// assert_eq!(begun, [Ok(1), Ok(1)]);
    /// # Ok::<(), CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// When ranks have different models.
    pub fn begin_backward<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        module: &M,
        items: usize,
    ) -> Result<Option<BackwardReduction>, CollectiveError> {
        self.begin_reduction(trained::<B, M>(module), None, items, Earlier::None)
    }

    /// Runs the backward pass of the last micro-batch of a step, and averages the gradients of all its
    /// micro-batches over all ranks while it runs, weighted by their items, as [`backward`](Self::backward)
    /// does for one batch.
    ///
    /// The passes of the micro-batches before it are ordinary ones, which no other rank takes part in: ranks
    /// may have different numbers of them. The result is that of one batch with the items of all
    /// micro-batches, up to rounding. PyTorch: `DistributedDataParallel.no_sync()` around all but the last
    /// `loss.backward()` of a step.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::collective::{AccumulatedGradients, CollectiveError, DataParallel, Local};
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::optim::GradientsParams;
    /// use burn::tensor::Tensor;
    ///
    /// type B = Autodiff<NdArray>;
    /// let device = Default::default();
    /// let model: Linear<B> = LinearConfig::new(1, 1).init(&device);
    /// let loss = |x: f32| model.forward(Tensor::<B, 2>::from_data([[x]], &device)).mean();
    /// let slopes = Local::run(2, |communicator| {
    ///     let first = communicator.rank() as f32 * 2.0;
    ///     let parallel = DataParallel::new(communicator);
    ///     let mut earlier = AccumulatedGradients::new();
    ///     earlier.add(GradientsParams::from_grads(loss(first).backward(), &model), 1);
    ///     let grads = parallel.backward_accumulated(earlier, loss(first + 1.0), &model, 1)?.grads;
    ///     let weight = grads.get::<NdArray, 2>(model.weight.id());
    ///     Ok::<_, CollectiveError>(weight.map(|weight| weight.into_scalar()))
    /// })?;
    /// // The mean of 0, 1, 2 and 3.
    /// assert_eq!(slopes, [Ok(Some(1.5)), Ok(Some(1.5))]);
    /// # Ok::<(), CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`backward`](Self::backward).
    #[doc(alias = "no_sync")]
    pub fn backward_accumulated<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        earlier: AccumulatedGradients,
        loss: impl Into<Option<Tensor<B, 1>>>,
        module: &M,
        items: usize,
    ) -> Result<ReducedGradients, CollectiveError> {
        let reduction = self.begin_backward_accumulated::<B, M>(earlier, module, items)?;
        self.run(reduction, loss.into(), module)
    }

    /// Begins the reduction of the gradients of a step whose last micro-batch comes next, as
    /// [`begin_backward`](Self::begin_backward) does; `None` where no rank has items in any micro-batch.
    ///
    /// # Errors
    /// When ranks have different models.
    pub fn begin_backward_accumulated<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        earlier: AccumulatedGradients,
        module: &M,
        items: usize,
    ) -> Result<Option<BackwardReduction>, CollectiveError> {
        self.begin_reduction(trained::<B, M>(module), None, items, Earlier::MicroBatches(earlier))
    }

    /// Begins the reduction of a step in which the caller weights micro-batches: the gradients of all ranks
    /// are added, those of `earlier` as they are and those of the backward pass that comes next times
    /// `weight`.
    /// `None` on a rank without a last micro-batch.
    /// [`begin_backward_accumulated`](Self::begin_backward_accumulated) weights by items.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::collective::{CollectiveError, DataParallel, Local};
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::optim::GradientsParams;
    /// use burn::tensor::Tensor;
    /// use burn::tensor::backend::GradientHookScope;
    ///
    /// type B = Autodiff<NdArray>;
    /// let device = Default::default();
    /// let model: Linear<B> = LinearConfig::new(1, 1).init(&device);
    /// let loss = |x: f32| model.forward(Tensor::<B, 2>::from_data([[x]], &device)).mean();
    /// let slopes = Local::run(2, |communicator| {
    ///     let first = communicator.rank() as f32 * 2.0;
    ///     let parallel = DataParallel::new(communicator);
    ///     let earlier = GradientsParams::from_grads(loss(first).backward(), &model);
    ///     let reduction = parallel.begin_backward_weighted(earlier, &model, 10.0)?;
    ///     let scope = GradientHookScope::enter(reduction.hook());
    ///     let grads = GradientsParams::from_grads(loss(first + 1.0).backward(), &model);
    ///     drop(scope);
    ///     let grads = reduction.finish(grads)?.grads;
    ///     let weight = grads.get::<NdArray, 2>(model.weight.id());
    ///     Ok::<_, CollectiveError>(weight.map(|weight| weight.into_scalar()))
    /// })?;
    /// // 0 + 10 * 1 of rank 0, 2 + 10 * 3 of rank 1.
    /// assert_eq!(slopes, [Ok(Some(42.0)), Ok(Some(42.0))]);
    /// # Ok::<(), CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// When ranks have different models.
    pub fn begin_backward_weighted<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        earlier: GradientsParams,
        module: &M,
        weight: impl Into<Option<f64>>,
    ) -> Result<BackwardReduction, CollectiveError> {
        self.begin_weighted(trained::<B, M>(module), earlier, weight.into())
    }

    /// Runs the backward passes of the chunks of this rank, each given by its loss, of shape `[1]`, and its
    /// number of items (`None` and 0 where it is empty), and averages the gradients as
    /// [`reduce_chunks`](Self::reduce_chunks) does, in an order that does not depend on the number of ranks.
    /// Buckets travel while the last of the passes runs; a loss is computed when the pass of the one before
    /// it is over.
    ///
    /// # Errors
    /// As [`reduce_chunks`](Self::reduce_chunks), and when a loss depends on no parameter.
    pub fn backward_chunks<B: AutodiffBackend, M: AutodiffModule<B>, L: Into<Option<Tensor<B, 1>>>>(
        &self,
        chunks: impl ExactSizeIterator<Item = (L, usize)>,
        module: &M,
    ) -> Result<ReducedGradients, CollectiveError> {
        let count = chunks.len();
        self.check_chunks(self.background.of(&self.communicator)?.idle_group(), count)?;
        let (mut earlier, mut last) = (EarlierChunks::default(), None);
        for (index, (loss, items)) in chunks.enumerate() {
            let loss = loss.into();
            if index + 1 == count {
                last = loss;
                earlier.items.push(items);
            } else {
                earlier.push(self.own_gradients(loss, module)?, items);
            }
        }
        let items = earlier.items.iter().sum();
        let reduction =
            self.begin_reduction(trained::<B, M>(module), None, items, Earlier::Chunks(earlier))?;
        self.run(reduction, last, module)
    }

    /// Runs the backward pass of a reduction that has begun; `None` where no rank has items, which is an
    /// error.
    pub(crate) fn run<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        reduction: Option<BackwardReduction>,
        loss: Option<Tensor<B, 1>>,
        module: &M,
    ) -> Result<ReducedGradients, CollectiveError> {
        let reduction = reduction.ok_or_else(|| self.no_items())?;
        let scope = GradientHookScope::enter(reduction.hook());
        let grads = self.own_gradients(loss, module);
        drop(scope);
        reduction.finish(grads?)
    }

    /// Runs a backward pass, and returns the gradients of this rank.
    fn own_gradients<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        loss: Option<Tensor<B, 1>>,
        module: &M,
    ) -> Result<GradientsParams, CollectiveError> {
        let Some(loss) = loss else { return Ok(GradientsParams::new()) };
        match loss.try_backward() {
            Ok(grads) => Ok(GradientsParams::from_grads::<B, M>(grads, module)),
            Err(error) => Err(self.wrong_loss(error)),
        }
    }

    /// Ends the step on all ranks with the error of this one.
    fn wrong_loss(&self, source: TensorError) -> CollectiveError {
        let (operation, rank) = (NAME.to_string(), self.communicator.rank());
        let error = CollectiveError::Tensor { operation, rank, source };
        match self.background.of(&self.communicator) {
            Ok(communicator) => communicator.idle_group().refuse(NAME, error),
            Err(other) => other,
        }
    }
}
