use super::fitting::Fitting;
use super::learner::Learner;
use super::step::{TrainStep, ValidStep};
use super::workload::{BatchDone, Position, Workload};
use crate::checkpoint::Part;
use crate::renderer::MetricState;
use crate::{Split, TrainError, TrainOutput};
use burn_core::module::AutodiffModule;
use burn_core::record::Node;
use burn_core::tensor::{AutodiffBackend, Backend, Tensor, TensorKind};
use burn_dataset::dataloader::DataLoader;
use burn_optim::lr_scheduler::LrScheduler;
use burn_optim::{GradientsAccumulator, GradientsParams, Optimizer};
use std::sync::Arc;

/// A batch that can be moved to a device, for training on several.
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
    /// Trains the model on all devices that the builder was given, data parallel, and returns it on the first of them.
    ///
    /// A step takes one batch for each device, and averages their gradients, weighted by the number of items: where the loss is
    /// a mean over its batch, the step is that of one device with a batch of all these items. Metrics see each batch alone;
    /// validation runs on the first device. Calls are enqueued device after device from one thread, so devices work at the
    /// same time where the backend does not wait for results (GPUs, `Remote`), and the random numbers of a step do not depend
    /// on timing. A device may be given several times.
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
        let devices = self.devices.clone();
        if devices.is_empty() {
            let message = "`fit_parallel` needs devices; give them with `LearnerBuilder::devices`";
            return Err(TrainError::Unsupported(message.to_string()));
        }
        let (fitting, run) = self.begin(&*train, &*valid)?;
        let mut work = Parallel { fitting, devices, items: 0 };
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
    /// The items of the epoch in the batches before.
    items: usize,
}

impl<B, I, J, T, V, M, O, S> Workload for Parallel<'_, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    I: ToDevice<B>,
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
        self.fitting.start(split, epoch, skipped)?;
        if split == Split::Train {
            self.items = self.fitting.train.items_processed();
        }
        Ok(())
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

    fn tree(&self, part: Part) -> Option<Node> {
        self.fitting.tree(part)
    }
}

impl<B, I, J, T, V, M, O, S> Parallel<'_, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    I: ToDevice<B>,
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
            let items = progress.items_processed - self.items;
            self.items = progress.items_processed;
            batches.push((device.clone(), batch, items, progress));
        }
        if batches.is_empty() {
            return Ok(None);
        }
        let total: usize = batches.iter().map(|(_, _, items, _)| items).sum();
        let (mut grads, mut outputs) = (GradientsAccumulator::new(), Vec::new());
        B::seed(at.seed);
        for (index, (device, batch, items, progress)) in batches.into_iter().enumerate() {
            self.fitting.begin_gradients();
            // The first device has the model itself, so that running statistics of layers are kept.
            let output: TrainOutput<T> = if index == 0 {
                TrainStep::step(self.fitting.model(), batch.to_device(&device))
            } else {
                TrainStep::step(&self.fitting.model().clone().fork(&device), batch.to_device(&device))
            };
            self.fitting.check_gradients()?;
            let mut part: GradientsParams = output.grads;
            part.scale(items as f64 / total as f64);
            grads.accumulate(&(), part.to_device::<B::InnerBackend>(&self.devices[0]));
            outputs.push((output.item, progress));
        }
        self.fitting.finish_step(at, grads.grads(), outputs, states).map(Some)
    }
}
