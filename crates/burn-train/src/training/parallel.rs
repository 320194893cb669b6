use super::fitting::{Fitting, StepOutput};
use super::learner::Learner;
use super::step::{TrainStep, ValidStep};
use super::workload::{BatchDone, Position, Workload};
use crate::checkpoint::Part;
use crate::renderer::MetricState;
use crate::{Split, TrainError, TrainOutput};
use burn_core::module::AutodiffModule;
use burn_core::record::Node;
use burn_core::tensor::backend::ReplicaScope;
use burn_core::tensor::{AutodiffBackend, Backend, Tensor, TensorKind};
use burn_dataset::dataloader::DataLoader;
use burn_optim::lr_scheduler::LrScheduler;
use burn_optim::{GradientsAccumulator, GradientsParams, Optimizer};
use std::sync::Arc;

/// A batch that can be moved to a device, for [`Learner::fit_parallel`].
///
/// ```
/// use burn::tensor::{Int, Tensor, backend::Backend};
/// use burn::train::ToDevice;
///
/// struct Batch<B: Backend> {
///     images: Tensor<B, 3>,
///     targets: Tensor<B, 1, Int>,
/// }
///
/// impl<B: Backend> ToDevice<B> for Batch<B> {
///     fn to_device(self, device: &B::Device) -> Self {
///         Batch { images: self.images.to_device(device), targets: self.targets.to_device(device) }
///     }
/// }
/// ```
pub trait ToDevice<B: Backend>: Sized {
    /// Moves all tensors of the batch to `device`.
    fn to_device(self, device: &B::Device) -> Self;
}

impl<B: Backend, const D: usize, K: TensorKind> ToDevice<B> for Tensor<B, D, K> {
    fn to_device(self, device: &B::Device) -> Self {
        Tensor::to_device(self, device)
    }
}

impl<B: Backend, T: ToDevice<B>> ToDevice<B> for Vec<T> {
    fn to_device(self, device: &B::Device) -> Self {
        self.into_iter().map(|item| item.to_device(device)).collect()
    }
}

impl<B: Backend, T: ToDevice<B>> ToDevice<B> for Option<T> {
    fn to_device(self, device: &B::Device) -> Self {
        self.map(|item| item.to_device(device))
    }
}

impl<B: Backend, T: ToDevice<B>, U: ToDevice<B>> ToDevice<B> for (T, U) {
    fn to_device(self, device: &B::Device) -> Self {
        (self.0.to_device(device), self.1.to_device(device))
    }
}

impl<B: Backend, T: ToDevice<B>, U: ToDevice<B>, W: ToDevice<B>> ToDevice<B> for (T, U, W) {
    fn to_device(self, device: &B::Device) -> Self {
        (self.0.to_device(device), self.1.to_device(device), self.2.to_device(device))
    }
}

impl<B, T, V, M, O, S> Learner<B, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    /// Trains the model on all devices that the builder was given, as [`fit`](Self::fit) does.
    ///
    /// Each batch is moved to its device at once, before the step; with `fit` an operation of the step moves what it takes.
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
        self.fit_on_all(&*train, &*valid, I::to_device)
    }

    /// Trains on all devices. `to_device` moves a batch, as far as it can be.
    pub(super) fn fit_on_all<I, J>(
        self,
        train: &dyn DataLoader<I>,
        valid: &dyn DataLoader<J>,
        to_device: fn(I, &B::Device) -> I,
    ) -> Result<M, TrainError>
    where
        M: TrainStep<I, T>,
        M::InnerModule: ValidStep<J, V>,
    {
        let devices = self.devices.clone();
        let (fitting, run) = self.begin(train, valid)?;
        let mut work = Parallel { fitting, devices, to_device };
        run.start(&mut work)?;
        Ok(work.fitting.result())
    }
}

/// A model that is being trained on several devices.
struct Parallel<'a, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
{
    fitting: Fitting<'a, B, I, J, T, V, M, O, S>,
    devices: Vec<B::Device>,
    to_device: fn(I, &B::Device) -> I,
}

impl<B, I, J, T, V, M, O, S> Workload for Parallel<'_, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B> + TrainStep<I, T>,
    M::InnerModule: ValidStep<J, V>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    fn start(&mut self, split: Split, epoch: usize, skipped: usize) -> Result<(), TrainError> {
        let skipped = match split {
            // A batch of the run is one for each device.
            Split::Train => skipped * self.devices.len(),
            Split::Valid | Split::Test => skipped,
        };
        self.fitting.start(split, epoch, skipped)
    }

    fn batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        match at.split {
            Split::Train => self.train_step(at, states),
            Split::Valid | Split::Test => self.fitting.batch(at, states),
        }
    }

    fn end(&mut self, split: Split) {
        self.fitting.end(split);
    }

    fn keep_best(&mut self) {
        self.fitting.keep_best();
    }

    fn return_best(&mut self) -> bool {
        self.fitting.return_best()
    }

    fn tree(&self, part: Part) -> Option<Node> {
        self.fitting.tree(part)
    }
}

impl<B, I, J, T, V, M, O, S> Parallel<'_, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B> + TrainStep<I, T>,
    M::InnerModule: ValidStep<J, V>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    fn train_step(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        let mut batches = Vec::with_capacity(self.devices.len());
        for device in &self.devices {
            let Some((batch, progress)) = self.fitting.train.next(at.epoch)? else { break };
            batches.push((device.clone(), batch, progress));
        }
        if batches.is_empty() {
            return Ok(None);
        }
        let total: usize = batches.iter().map(|(_, _, progress)| progress.items).sum();
        let count = batches.len();
        let (mut grads, mut outputs) = (GradientsAccumulator::new(), Vec::new());
        B::seed(at.seed);
        for (index, (device, batch, progress)) in batches.into_iter().enumerate() {
            let scope = ReplicaScope::enter::<B::InnerBackend>(device.clone());
            self.fitting.begin_gradients();
            let batch = (self.to_device)(batch, &device);
            // The first device has the model itself, so that running statistics of layers are kept.
            let output: TrainOutput<T> = if index == 0 {
                TrainStep::step(self.fitting.model(), batch)
            } else {
                TrainStep::step(&self.fitting.model().clone().fork(&device), batch)
            };
            drop(scope);
            self.fitting.check_gradients()?;
            let mut part: GradientsParams = output.grads;
            // A loader that does not count its items has batches of one size.
            let share = if total > 0 { progress.items as f64 / total as f64 } else { 1.0 / count as f64 };
            part.scale(share);
            grads.accumulate(&(), part.to_device::<B::InnerBackend>(&self.devices[0]));
            outputs.push(StepOutput { item: output.item, progress, replica: Some(device) });
        }
        self.fitting.finish_step(at, grads.grads(), outputs, states).map(Some)
    }
}
