//! Gradients that each go to the rank that updates their parameter.

use super::ShardedOptimizer;
use super::optimizer::NAME;
use crate::data_parallel::{Earlier, Prepared, Sized, all_trained, buckets};
use crate::{CollectiveError, ReducedGradients};
use burn_backend::dynamic::Dynamic;
use burn_backend::{AutodiffBackend, Backend};
use burn_core::module::{AutodiffModule, ParamId};
use burn_ir::Creation;
use burn_optim::GradientsParams;
use burn_tensor::Tensor;
use std::collections::BTreeMap;

impl<O> ShardedOptimizer<O> {
    /// Averages the gradients of `module` over all ranks, weighted by `items`, and gives each rank those of
    /// the parameters that it updates: ZeRO-2. Otherwise as [`DataParallel::reduce_gradients`].
    ///
    /// [`DataParallel::reduce_gradients`]: crate::DataParallel::reduce_gradients
    ///
    /// # Errors
    /// When ranks have different models, no rank has items, or `grads` has gradients of parameters that are
    /// not in `module`.
    pub fn reduce_gradients<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        grads: GradientsParams,
        module: &M,
        items: usize,
    ) -> Result<ReducedGradients, CollectiveError> {
        let parameters = all_trained::<B, M>(module);
        self.check_parameters(&parameters)?;
        let prepared = self.parallel.prepare(grads, parameters, items)?;
        self.reduce_to_owners(prepared)
    }

    /// Runs the backward pass of `loss`, of shape `[1]`, and gives each gradient to the rank that updates its
    /// parameter while the pass runs, as [`DataParallel::backward`] gives it to all: ZeRO-2.
    ///
    /// A rank never has all gradients: each bucket is read and its gradients are freed as soon as it is full,
    /// and one bucket at most is on its way while the next one fills. So at its peak a rank has the gradients
    /// of its own parameters and about two buckets ([`DataParallel::with_bucket_bytes`]) for each step that
    /// is under way. The results have the bits of [`reduce_gradients`](Self::reduce_gradients).
    ///
    /// [`DataParallel::backward`]: crate::DataParallel::backward
    /// [`DataParallel::with_bucket_bytes`]: crate::DataParallel::with_bucket_bytes
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::collective::{CollectiveError, DataParallel, Local, ShardedOptimizer};
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::optim::AdamWConfig;
    /// use burn::tensor::Tensor;
    ///
    /// type B = Autodiff<NdArray>;
    /// let weights = Local::run(2, |communicator| {
    ///     let device = Default::default();
    ///     let parallel = DataParallel::new(communicator);
    ///     let model: Linear<B> = LinearConfig::new(3, 2).init(&device);
    ///     let mut model = parallel.synchronize(model)?;
    ///     let mut optimizer = ShardedOptimizer::new(AdamWConfig::new().init(), &parallel, &model)?;
    ///     for _ in 0..3 {
    ///         let loss = model.forward(Tensor::<B, 2>::ones([4, 3], &device)).square().mean();
    ///         let grads = optimizer.backward(loss, &model, 4)?.grads;
    ///         model = optimizer.step(1e-3, model, grads)?;
    ///     }
    ///     Ok::<_, CollectiveError>(model.weight.val().into_data().to_f64())
    /// })?;
    /// assert_eq!(weights[0], weights[1]);
    /// # Ok::<(), CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// When ranks have different models, no rank has items, or the loss depends on no parameter.
    pub fn backward<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        loss: impl Into<Option<Tensor<B, 1>>>,
        module: &M,
        items: usize,
    ) -> Result<ReducedGradients, CollectiveError> {
        let parameters = all_trained::<B, M>(module);
        self.check_parameters(&parameters)?;
        let owners = self.parameters.iter().map(|x| x.owner).collect();
        let reduction = self.parallel.begin_reduction(parameters, Some(owners), items, Earlier::None)?;
        self.parallel.run(reduction, loss.into(), module)
    }

    fn reduce_to_owners(&self, prepared: Prepared) -> Result<ReducedGradients, CollectiveError> {
        let Prepared { list, reduction, unused } = prepared;
        let owners: BTreeMap<ParamId, usize> =
            self.parameters.iter().map(|x| (x.parameter.id, x.owner)).collect();
        let sizes: Vec<Sized> = list.iter().map(|(parameter, grad)| parameter.sized(grad.as_ref())).collect();
        let (mut list, mut started) = (list.into_iter(), Vec::new());
        for range in buckets(&sizes, self.parallel.bucket_bytes()) {
            let (mut places, mut values, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
            for (parameter, grad) in list.by_ref().take(range.len()) {
                values.push(self.parallel.value(&parameter, grad)?);
                ranks.push(owners.get(&parameter.id).copied().unwrap_or(0));
                places.push((parameter.id, parameter.device));
            }
            let call = move |group: &crate::group::Group| group.reduce_to_owners(values, &ranks, reduction);
            started.push((places, self.communicator().start(NAME, call)?));
        }
        let mut grads = GradientsParams::new();
        for (places, (receiver, lost)) in started {
            let values = receiver.recv().unwrap_or(Err(lost))?;
            for ((id, device), value) in places.into_iter().zip(values) {
                if let Some(value) = value {
                    grads.insert(id, Dynamic::create(Creation::Data(value), &device));
                }
            }
        }
        Ok(ReducedGradients { grads, unused })
    }
}
