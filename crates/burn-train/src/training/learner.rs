use super::average::OnBackend;
use super::checkpoint_parts::CheckpointParts;
use super::fitting::{Fitting, Replicas, averaged};
use super::metric_slot::MetricSlot;
use super::options::{ModelFacts, OpenedRun, Options};
use super::phase::Phase;
use super::rank_group::{RankGroup, RunRanks};
use super::run_seed::run_seed;
use super::step::{TrainStep, ValidStep};
use super::to_device::ToDevice;
use super::workload::Workload;
use crate::checkpoint::{CheckpointError, Part, SavedCheckpoint, TreeFile};
use crate::renderer::Interrupter;
use crate::{Split, TrainError};
use burn_core::module::AutodiffModule;
use burn_core::record::{KeyPath, Node, Record, RecordError};
use burn_core::tensor::{AutodiffBackend, Distribution, Tensor};
use burn_dataset::dataloader::DataLoader;
use burn_optim::lr_scheduler::LrScheduler;
use burn_optim::{EmaConfig, Optimizer};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Trains a model: made by a [`LearnerBuilder`](super::LearnerBuilder).
///
/// `T` and `V` are what the training and the validation step give.
pub struct Learner<B: AutodiffBackend, T, V, M, O, S> {
    pub(super) parts: CheckpointParts<M, O, S>,
    pub(super) train: Vec<Box<dyn MetricSlot<T>>>,
    pub(super) valid: Vec<Box<dyn MetricSlot<V>>>,
    pub(super) devices: Vec<B::Device>,
    pub(super) options: Options,
    /// Ranks that train together, of which this program is one.
    pub(super) ranks: RunRanks<M>,
}

impl<B, T, V, M, O, S> Learner<B, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    /// Trains the model on one loader, looks at it with another after every epoch, and returns it.
    ///
    /// Each epoch takes the batches that the loaders have for it by its number, so that a run that
    /// is resumed sees what the first run would have seen.
    ///
    /// With several devices ([`LearnerBuilder::devices`](super::LearnerBuilder::devices)) the run is data
    /// parallel, and the model is returned on the first of them. A step takes one batch for each device, and
    /// averages their gradients, weighted by the number of items: where the loss is a mean over its batch,
    /// the step is that of one device with a batch of all these items. Metrics see each batch alone;
    /// validation runs on the first device. Operations of the training step run on the device of their batch
    /// and move what they take to it, from wherever the loader has made it. Calls are enqueued device after
    /// device from one thread, so devices work at the same time where the backend does not wait for results
    /// (GPUs, `Remote`), and the random numbers of a step do not depend on timing. A device may be given
    /// several times. PyTorch: `torch.nn.DataParallel`.
    ///
    /// # Panics
    /// If the run fails; [`try_fit`](Self::try_fit) returns the error.
    #[track_caller]
    pub fn fit<I, J>(self, train: Arc<dyn DataLoader<I>>, valid: Arc<dyn DataLoader<J>>) -> M
    where
        M: TrainStep<I, T>,
        M::InnerModule: ValidStep<J, V>,
    {
        match self.try_fit(train, valid) {
            Ok(model) => model,
            Err(error) => panic!("{error}"),
        }
    }

    /// Trains the model as [`fit`](Self::fit) does.
    ///
    /// A run that is asked to stop is a success: it returns the model as it is then.
    ///
    /// # Errors
    /// If a batch cannot be made or there is none, a checkpoint or a metric log cannot be written or read, a
    /// numeric metric or what a checkpoint would hold is NaN, or a callback fails.
    pub fn try_fit<I, J>(
        self,
        train: Arc<dyn DataLoader<I>>,
        valid: Arc<dyn DataLoader<J>>,
    ) -> Result<M, TrainError>
    where
        M: TrainStep<I, T>,
        M::InnerModule: ValidStep<J, V>,
    {
        let devices = if self.devices.len() > 1 { self.devices.clone() } else { Vec::new() };
        self.run(&*train, &*valid, Replicas { devices, to_device: |batch, _| batch })
    }

    /// Trains the model on all devices that the builder was given, as [`fit`](Self::fit) does.
    ///
    /// Each batch is moved to its device at once, before the step; with `fit` an operation of the step moves
    /// what it takes.
    ///
    /// # Panics
    /// If the run fails; [`try_fit_parallel`](Self::try_fit_parallel) returns the error.
    #[track_caller]
    pub fn fit_parallel<I, J>(self, train: Arc<dyn DataLoader<I>>, valid: Arc<dyn DataLoader<J>>) -> M
    where
        I: ToDevice<B>,
        M: TrainStep<I, T>,
        M::InnerModule: ValidStep<J, V>,
    {
        match self.try_fit_parallel(train, valid) {
            Ok(model) => model,
            Err(error) => panic!("{error}"),
        }
    }

    /// Trains the model as [`fit_parallel`](Self::fit_parallel) does.
    ///
    /// # Errors
    /// As [`try_fit`](Self::try_fit); also when no device is given.
    pub fn try_fit_parallel<I, J>(
        self,
        train: Arc<dyn DataLoader<I>>,
        valid: Arc<dyn DataLoader<J>>,
    ) -> Result<M, TrainError>
    where
        I: ToDevice<B>,
        M: TrainStep<I, T>,
        M::InnerModule: ValidStep<J, V>,
    {
        if self.devices.is_empty() {
            let message = "`fit_parallel` needs devices; give them with `LearnerBuilder::devices`";
            return Err(TrainError::Unsupported(message.to_string()));
        }
        let devices = self.devices.clone();
        self.run(&*train, &*valid, Replicas { devices, to_device: I::to_device })
    }

    /// Trains on the devices of `replicas`.
    pub(super) fn run<I, J>(
        self,
        train: &dyn DataLoader<I>,
        valid: &dyn DataLoader<J>,
        replicas: Replicas<I, B::Device>,
    ) -> Result<M, TrainError>
    where
        M: TrainStep<I, T>,
        M::InnerModule: ValidStep<J, V>,
    {
        let shards = match &self.ranks {
            Some(ranks) => {
                check_items(train.num_items(), ranks.group())?;
                Some((shard(train, ranks.group())?, shard(valid, ranks.group())?))
            }
            None => None,
        };
        let (train, valid) = match &shards {
            Some((own_train, own_valid)) => (&**own_train, &**own_valid),
            None => (train, valid),
        };
        let (mut work, run) = self.begin(train, valid, replicas)?;
        run.start(&mut work)?;
        Ok(work.result())
    }

    /// Opens the artifact folder, loads the checkpoint to begin with, and puts the workload together.
    #[allow(clippy::type_complexity, reason = "every parameter is one of the learner's")]
    fn begin<'a, I, J>(
        self,
        train: &'a dyn DataLoader<I>,
        valid: &'a dyn DataLoader<J>,
        replicas: Replicas<I, B::Device>,
    ) -> Result<(Fitting<'a, B, I, J, T, V, M, O, S>, Run), TrainError> {
        let mut parts = self.parts;
        let device = self.devices.into_iter().next();
        if let Some(device) = &device {
            parts.model = parts.model.fork(device);
        }
        let (mut options, ranks) = (self.options, self.ranks);
        if ranks.is_some() && replicas.devices.len() > 1 {
            let message = "a rank trains on one device; expected one of `LearnerBuilder::devices`, got several. Start a rank for \
                           each device";
            return Err(TrainError::Unsupported(message.to_string()));
        }
        let group = ranks.as_ref().map(|ranks| ranks.group());
        let opened = options.open(group)?;
        let device = device.or_else(|| parts.model.devices().into_iter().next()).unwrap_or_default();
        if let (Some(saved), Some(recorder)) = (&opened.saved, &options.recorder) {
            if let Some(best) = &opened.best {
                parts = parts.load::<B>(best, &**recorder, &device).map_err(CheckpointError::from)?;
                parts.best = Some(averaged(&parts.model, parts.average.as_deref()));
            }
            parts = parts.load::<B>(saved, &**recorder, &device).map_err(CheckpointError::from)?;
        }
        let mut seed = draw_seed::<B>(&device);
        if let Some(ranks) = &ranks {
            parts.model = ranks.synchronize(parts.model)?;
            seed = ranks.group().number_of_rank_0(seed)?;
        }
        let about = ModelFacts {
            model: model_name(std::any::type_name::<M>()),
            parameters: parts.model.num_params(),
            device: match replicas.devices.as_slice() {
                [] | [_] => format!("{} on {device:?}", B::name(&device)),
                devices => format!("{} on {devices:?}", B::name(&device)),
            },
        };
        let steps = options.gradient_steps(&opened, &|tree| read::<B, _>(tree, &device))?;
        let steps = (opened.lr(), steps);
        let train = Phase::new(Split::Train, train, self.train);
        let valid = Phase::new(Split::Valid, valid, self.valid);
        options.require_metrics(parts.scheduler.needs_reports(), [&train.describe(), &valid.describe()])?;
        let run = Run { options, opened, seed, about };
        Ok((Fitting::new(parts, steps, (train, valid), (replicas, ranks)), run))
    }

    /// Keeps an exponential moving average of the parameters, which is updated after every step.
    ///
    /// Validation and the model that [`fit`](Self::fit) returns have the averaged parameters; training goes
    /// on with its own. Checkpoints hold both.
    pub fn with_ema(mut self, config: EmaConfig) -> Self
    where
        B: 'static,
        M: 'static,
    {
        self.parts.average = Some(Box::new(OnBackend::<B> { average: config.init(), backend: PhantomData }));
        self
    }
}

impl<B: AutodiffBackend, T, V, M, O, S> Learner<B, T, V, M, O, S> {
    /// Returns what stops the run from elsewhere.
    pub fn interrupter(&self) -> Interrupter {
        self.options.interrupter.clone()
    }
}

impl<M, O, S: LrScheduler> CheckpointParts<M, O, S> {
    /// Puts in what a checkpoint holds.
    fn load<B>(
        self,
        saved: &SavedCheckpoint,
        recorder: &dyn TreeFile,
        device: &B::Device,
    ) -> Result<Self, RecordError>
    where
        B: AutodiffBackend,
        M: AutodiffModule<B>,
        O: Optimizer<M, B>,
    {
        let tree = |part| recorder.load(saved.path(part));
        let place = |part| move |error: RecordError| error.in_file(saved.file(part).display().to_string());
        let record = read::<B, M::Record>(tree(Part::Model)?, device).map_err(place(Part::Model))?;
        let model = self.model.try_load_record(record).map_err(place(Part::Model))?;
        let record = read::<B, O::Record>(tree(Part::Optim)?, device).map_err(place(Part::Optim))?;
        let optim = self.optim.try_load_record(record, &model).map_err(place(Part::Optim))?;
        let record =
            read::<B, S::Record<B>>(tree(Part::Scheduler)?, device).map_err(place(Part::Scheduler))?;
        let mut average = self.average;
        if let Some(average) = &mut average {
            average.load(tree(Part::Average)?, &model).map_err(place(Part::Average))?;
        }
        let scheduler = self.scheduler.load_record::<B>(record);
        Ok(Self { model, optim, scheduler, average, best: self.best })
    }
}

fn read<B: AutodiffBackend, R: Record<B>>(tree: Node, device: &B::Device) -> Result<R, RecordError> {
    R::from_node(tree, &KeyPath::ROOT, device)
}

/// Draws the seed of a run from the random numbers of the backend, which `B::seed` fixes.
fn draw_seed<B: AutodiffBackend>(device: &B::Device) -> u64 {
    let drawn = Tensor::<B::InnerBackend, 1>::random([4], Distribution::Default, device);
    run_seed(&drawn.into_data().to_f64())
}

/// Checks that every rank has an item to train on. A loader that does not count its items has 0.
fn check_items(items: usize, group: &dyn RankGroup) -> Result<(), TrainError> {
    let (rank, ranks) = (group.rank(), group.world_size());
    if items == 0 || items >= ranks {
        return Ok(());
    }
    Err(TrainError::Unsupported(format!(
        "the training loader has too few items for rank {rank}; expected one for each of {ranks} ranks, got {items}. Start {items} \
         ranks at most"
    )))
}

/// Returns the loader of the items of this rank.
fn shard<'a, I>(
    loader: &'a dyn DataLoader<I>,
    group: &dyn RankGroup,
) -> Result<Box<dyn DataLoader<I> + 'a>, TrainError> {
    loader.shard(group.rank(), group.world_size()).ok_or_else(|| {
        let message = "a run on several ranks divides the items of each batch among them, which this loader cannot; expected one of \
                       `DataLoaderBuilder`, or one with `DataLoader::shard`";
        TrainError::Unsupported(message.to_string())
    })
}

/// Returns the name of a type without its path and parameters.
fn model_name(name: &str) -> String {
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name).to_string()
}

/// A run that is about to begin, as far as it knows no types.
pub(super) struct Run {
    options: Options,
    opened: OpenedRun,
    seed: u64,
    about: ModelFacts,
}

impl Run {
    pub(super) fn start(self, work: &mut dyn Workload) -> Result<(), TrainError> {
        self.options.run(self.opened, work, self.seed, self.about)
    }
}

impl<B: AutodiffBackend, T, V, M: fmt::Debug, O, S> fmt::Debug for Learner<B, T, V, M, O, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learner").field("model", &self.parts.model).finish_non_exhaustive()
    }
}
