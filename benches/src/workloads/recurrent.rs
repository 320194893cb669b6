//! Recurrent layers, forward and backward: 32 sequences of 64 steps, 128 to 256.

use super::input::normal;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::AutodiffModule;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::{GruConfig, LstmConfig};
use burn_optim::GradientsParams;
use burn_tensor::{AutodiffBackend, Tensor};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("lstm")
            .with("NdArray", lstm_step::<Autodiff<NdArray>>)
            .at_most(0.95)
            .with("Fusion<NdArray>", lstm_step::<Autodiff<Fusion<NdArray>>>),
        Workload::new("gru")
            .with("NdArray", gru_step::<Autodiff<NdArray>>)
            .at_most(1.0)
            .with("Fusion<NdArray>", gru_step::<Autodiff<Fusion<NdArray>>>),
    ]
}

fn lstm_step<B: AutodiffBackend>() -> impl FnMut() {
    let model = LstmConfig::new(128, 256, true).init::<B>(&B::Device::default());
    step(model, |model, x| model.forward(x, None).0)
}

fn gru_step<B: AutodiffBackend>() -> impl FnMut() {
    let model = GruConfig::new(128, 256, true).init::<B>(&B::Device::default());
    step(model, |model, x| model.forward(x, None).0)
}

/// The gradients by all parameters.
fn step<B: AutodiffBackend, M: AutodiffModule<B>>(
    model: M,
    forward: fn(&M, Tensor<B, 3>) -> Tensor<B, 3>,
) -> impl FnMut() {
    let (device, x) = (B::Device::default(), normal([32, 64, 128]));
    move || {
        let gradients = forward(&model, x.clone()).sum().backward();
        let gradients = GradientsParams::from_grads(gradients, &model);
        B::sync(&device);
        drop(black_box(gradients));
    }
}
