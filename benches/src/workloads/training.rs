//! One step of training: forward, loss, backward, Adam.

use burn_core::module::AutodiffModule;
use burn_optim::{AdamConfig, GradientsParams, Optimizer};
use burn_tensor::{AutodiffBackend, Tensor};

/// A tiny rate: a model that has learnt its data makes denormal numbers, which are slow everywhere.
const RATE: f64 = 1e-6;

/// Makes the step of a model whose loss is `loss`.
pub(super) fn steps<B: AutodiffBackend, M: AutodiffModule<B>>(
    model: M,
    loss: impl Fn(&M) -> Tensor<B, 1>,
) -> impl FnMut() {
    let (device, mut optimizer, mut model) = (B::Device::default(), AdamConfig::new().init(), Some(model));
    move || {
        let before = model.take().expect("put back after each step");
        let gradients = GradientsParams::from_grads(loss(&before).backward(), &before);
        model = Some(optimizer.step(RATE, before, gradients));
        B::sync(&device);
    }
}
