use burn_core::tensor::{Backend, Tensor, TensorKind};

/// A batch that can be moved to a device, for [`Learner::fit_parallel`](super::Learner::fit_parallel).
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
