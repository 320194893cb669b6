//! Softmax and layer norm, as calls and as a user writes them.

use super::input::normal;
use crate::workload::Workload;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::{LayerNorm, LayerNormConfig};
use burn_tensor::{Backend, Tensor, activation};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("softmax")
            .with("NdArray", || on::<NdArray>([4096, 1024], |x| activation::softmax(x, 1)))
            .at_most(1.0)
            .with("Fusion, primitives", || on::<Fusion<NdArray>>([4096, 1024], softmax))
            .at_most(0.9)
            .compiled(),
        Workload::new("layer norm")
            .with("NdArray", || {
                let norm: LayerNorm<NdArray> = LayerNormConfig::new(768).init(&Default::default());
                on([4096, 768], move |x| norm.forward(x))
            })
            .at_most(1.0)
            .with("Fusion, primitives", || {
                let (gamma, beta) = (Tensor::ones([1, 768], &Default::default()), normal([1, 768]));
                on::<Fusion<NdArray>>([4096, 768], move |x| layer_norm(x, gamma.clone(), beta.clone()))
            })
            .at_most(0.9)
            .compiled(),
    ]
}

fn on<B: Backend>(shape: [usize; 2], function: impl Fn(Tensor<B, 2>) -> Tensor<B, 2>) -> impl FnMut() {
    let (x, device) = (normal::<B, 2>(shape), B::Device::default());
    move || {
        let y = function(x.clone());
        B::sync(&device);
        drop(black_box(y));
    }
}

fn softmax<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    let exponentials = (x.clone() - x.max_dim(1)).exp();
    exponentials.clone() / exponentials.sum_dim(1)
}

fn layer_norm<B: Backend>(x: Tensor<B, 2>, gamma: Tensor<B, 2>, beta: Tensor<B, 2>) -> Tensor<B, 2> {
    let centered = x.clone() - x.mean_dim(1);
    let variance = centered.clone().square().mean_dim(1);
    centered / (variance + 1e-5).sqrt() * gamma + beta
}
