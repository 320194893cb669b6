use super::fitting::Replicas;
use super::learner::Learner;
use super::step::{TrainStep, ValidStep};
use crate::TrainError;
use burn_core::module::AutodiffModule;
use burn_core::tensor::{AutodiffBackend, Backend, Tensor, TensorKind};
use burn_dataset::dataloader::DataLoader;
use burn_optim::Optimizer;
use burn_optim::lr_scheduler::LrScheduler;
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
}
