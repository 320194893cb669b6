use super::learner::Learner;
use super::rank_group::{RankGroup, Ranks, StepReduction};
use crate::TrainError;
use burn_collective::{BackwardReduction, CollectiveError, Communicator, DataParallel};
use burn_core::module::AutodiffModule;
use burn_core::tensor::AutodiffBackend;
use burn_core::tensor::backend::GradientHook;
use burn_optim::GradientsParams;
use std::marker::PhantomData;

impl<B, T, V, M, O, S> Learner<B, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
{
    /// Trains data parallel: every rank of `parallel` runs this program, and has a part of each batch.
    /// PyTorch: `torch.nn.parallel.DistributedDataParallel`.
    ///
    /// All ranks begin with the model of rank 0, and make the same steps. The loaders of [`fit`](Self::fit)
    /// are those of all items, on every rank: `batch_size` is that of all ranks together, and each takes its
    /// part ([`DataLoader::shard`](burn_dataset::dataloader::DataLoader::shard)). Gradients are averaged over
    /// the items of all ranks, where the loss is a mean over its batch; with a step that makes its output by
    /// [`TrainOutput::from_loss`](crate::TrainOutput::from_loss) that happens while the backward pass runs,
    /// else after it. With [`grads_accumulation`](crate::LearnerBuilder::grads_accumulation) gradients stay
    /// on the rank until the last batch of a step, and are averaged once in it, unless batches with NaN are
    /// skipped. Random numbers of a step differ from rank to rank.
    ///
    /// Metrics are those of the batches of all ranks. Numbers are means over ranks, weighted by what each
    /// batch counts; metrics whose value is no mean over items, such as precision or the area under a curve,
    /// add up their counts instead
    /// ([`Metric::as_counted`](crate::metric::Metric::as_counted)). Early stopping and schedulers see these
    /// numbers. Other metrics that are text are those of rank 0. The dashboard, logs,
    /// callbacks and checkpoints are those of rank 0; no rank goes on before a checkpoint is written. A run
    /// that is resumed may have another number of ranks; every rank reads the checkpoint, so ranks on several
    /// hosts share the artifact folder. A rank that is asked to stop stops all.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::collective::{DataParallel, Local};
    /// use burn::data::dataloader::DataLoaderBuilder;
    /// use burn::data::dataset::InMemDataset;
    /// use burn::module::{AutodiffModule, Module};
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::optim::SgdConfig;
    /// use burn::tensor::{AutodiffBackend, Backend, Tensor};
    /// use burn::train::metric::LossMetric;
    /// use burn::train::{LearnerBuilder, RegressionOutput, TrainOutput, TrainStep, ValidStep};
    ///
    /// #[derive(Module, Debug)]
    /// struct Model<B: Backend> {
    ///     linear: Linear<B>,
    /// }
    ///
    /// impl<B: Backend> Model<B> {
    ///     fn forward(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
    ///         let targets = inputs.clone() * 3.0 + 1.0;
    ///         let output = self.linear.forward(inputs);
    ///         RegressionOutput::new((output.clone() - targets.clone()).square().mean(), output, targets)
    ///     }
    /// }
    ///
    /// impl<B: AutodiffBackend> TrainStep<Tensor<B, 2>, RegressionOutput<B>> for Model<B> {
    ///     fn step(&self, inputs: Tensor<B, 2>) -> TrainOutput<RegressionOutput<B>> {
    ///         let item = self.forward(inputs);
    ///         TrainOutput::from_loss(self, item.loss.clone(), item)
    ///     }
    /// }
    ///
    /// impl<B: Backend> ValidStep<Tensor<B, 2>, RegressionOutput<B>> for Model<B> {
    ///     fn step(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
    ///         self.forward(inputs)
    ///     }
    /// }
    ///
    /// type B = Autodiff<NdArray>;
    ///
    /// fn batch<B: Backend>(items: Vec<f32>) -> Tensor<B, 2> {
    ///     let rows = items.len();
    ///     Tensor::<B, 1>::from_data(items.as_slice(), &Default::default()).reshape([rows, 1])
    /// }
    ///
    /// # let artifacts = tempfile::tempdir().unwrap();
    /// # let artifact_dir = artifacts.path();
    /// // `Mpi` in place of `Local`, for processes.
    /// let losses = Local::run(2, |communicator| {
    ///     let dataset = || InMemDataset::new((0..64).map(|i| i as f32 / 64.0).collect());
    ///     let model = Model { linear: LinearConfig::new(1, 1).init::<B>(&Default::default()) };
    ///     let learner = LearnerBuilder::new(artifact_dir)
    ///         .metric_valid_numeric(LossMetric::new())
    ///         .num_epochs(20)
    ///         .build(model, SgdConfig::new().init(), 0.3)
    ///         .with_data_parallel(DataParallel::new(communicator));
    ///     let model = learner.fit(
    ///         DataLoaderBuilder::new(batch::<B>).batch_size(8).shuffle(42).build(dataset()),
    ///         DataLoaderBuilder::new(batch::<NdArray>).batch_size(8).build(dataset()),
    ///     );
    ///     model.valid().forward(batch(vec![0.25, 0.5])).loss.into_scalar()
    /// })?;
    /// assert!(losses[0] < 1e-3 && losses[0] == losses[1], "{losses:?}");
    /// # Ok::<(), burn::collective::CollectiveError>(())
    /// ```
    pub fn with_data_parallel(mut self, parallel: DataParallel) -> Self
    where
        B: 'static,
    {
        self.ranks = Some(Box::new(OnRanks::<B> {
            group: Group(parallel.communicator().clone()),
            parallel,
            backend: PhantomData,
        }));
        self
    }
}

fn failed(error: CollectiveError) -> TrainError {
    TrainError::Ranks(Box::new(error))
}

struct Group(Communicator);

impl RankGroup for Group {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn world_size(&self) -> usize {
        self.0.world_size()
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TrainError> {
        self.0.all_gather_bytes(bytes).map_err(failed)
    }
}

/// Ranks that train on the backend `B`.
struct OnRanks<B> {
    group: Group,
    parallel: DataParallel,
    backend: PhantomData<fn(B)>,
}

impl<B: AutodiffBackend, M: AutodiffModule<B>> Ranks<M> for OnRanks<B> {
    fn group(&self) -> &dyn RankGroup {
        &self.group
    }

    fn synchronize(&self, model: M) -> Result<M, TrainError> {
        self.parallel.synchronize::<B, M>(model).map_err(failed)
    }

    fn begin_step(&self, model: &M, items: usize) -> Result<Option<Box<dyn StepReduction>>, TrainError> {
        let begun = self.parallel.begin_backward::<B, M>(model, items).map_err(failed)?;
        Ok(begun.map(|reduction| Box::new(DataParallelReduction(reduction)) as Box<dyn StepReduction>))
    }

    fn begin_last(
        &self,
        model: &M,
        earlier: GradientsParams,
        weight: Option<f64>,
    ) -> Result<Box<dyn StepReduction>, TrainError> {
        let begun = self.parallel.begin_backward_weighted::<B, M>(earlier, model, weight);
        Ok(Box::new(DataParallelReduction(begun.map_err(failed)?)))
    }
}

struct DataParallelReduction(BackwardReduction);

impl StepReduction for DataParallelReduction {
    fn hook(&self) -> GradientHook {
        self.0.hook()
    }

    fn finish(self: Box<Self>, grads: GradientsParams) -> Result<GradientsParams, TrainError> {
        Ok(self.0.finish(grads).map_err(failed)?.grads)
    }
}
