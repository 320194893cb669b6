//! A transformer encoder (Vaswani et al. 2017), as `torch.nn.TransformerEncoder` is: width 256, 8 heads, 1024 hidden,
//! 4 layers, norms after the sums, no dropout.

use super::input::normal;
use super::training::steps;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::loss::{MseLoss, Reduction};
use burn_nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig, Relu};
use burn_tensor::module::{AttentionOptions, attention};
use burn_tensor::{AutodiffBackend, Backend, Tensor};
use std::hint::black_box;

const WIDTH: usize = 256;
const HEADS: usize = 8;
const HIDDEN: usize = 1024;
const LAYERS: usize = 4;
const LENGTH: usize = 128;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("transformer step")
            .with("NdArray", step::<Autodiff<NdArray>>)
            .at_most(1.0)
            .with("Fusion<NdArray>", step::<Autodiff<Fusion<NdArray>>>)
            .compiled(),
        Workload::new("transformer inference").with("NdArray", inference).at_most(1.0).compiled(),
    ]
}

#[derive(Module, Debug)]
struct Layer<B: Backend> {
    /// Queries, keys and values beside each other.
    project: Linear<B>,
    attended: Linear<B>,
    norm_attended: LayerNorm<B>,
    hidden: Linear<B>,
    activation: Relu,
    out: Linear<B>,
    norm_out: LayerNorm<B>,
}

impl<B: Backend> Layer<B> {
    fn new(device: &B::Device) -> Self {
        Layer {
            project: LinearConfig::new(WIDTH, 3 * WIDTH).init(device),
            attended: LinearConfig::new(WIDTH, WIDTH).init(device),
            norm_attended: LayerNormConfig::new(WIDTH).init(device),
            hidden: LinearConfig::new(WIDTH, HIDDEN).init(device),
            activation: Relu::new(),
            out: LinearConfig::new(HIDDEN, WIDTH).init(device),
            norm_out: LayerNormConfig::new(WIDTH).init(device),
        }
    }

    fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let x = self.norm_attended.forward(x.clone() + self.attend(x));
        let hidden = self.activation.forward(self.hidden.forward(x.clone()));
        self.norm_out.forward(x + self.out.forward(hidden))
    }

    fn attend(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [batch, length, _] = x.dims();
        let parts = self.project.forward(x).chunk(3, 2).into_iter();
        let mut heads = parts.map(|part| part.reshape([batch, length, HEADS, WIDTH / HEADS]).swap_dims(1, 2));
        let [query, key, value] = [0, 1, 2].map(|_| heads.next().expect("three parts"));
        let attended = attention(query, key, value, None, AttentionOptions::default());
        self.attended.forward(attended.swap_dims(1, 2).reshape([batch, length, WIDTH]))
    }
}

#[derive(Module, Debug)]
struct Encoder<B: Backend> {
    layers: Vec<Layer<B>>,
}

impl<B: Backend> Encoder<B> {
    fn new(device: &B::Device) -> Self {
        Encoder { layers: (0..LAYERS).map(|_| Layer::new(device)).collect() }
    }

    fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        self.layers.iter().fold(x, |x, layer| layer.forward(x))
    }
}

/// 8 sequences of 128, toward random targets.
fn step<B: AutodiffBackend>() -> impl FnMut() {
    let (x, targets) = (normal([8, LENGTH, WIDTH]), normal([8, LENGTH, WIDTH]));
    steps::<B, _>(Encoder::new(&B::Device::default()), move |model| {
        MseLoss::new().forward(model.forward(x.clone()), targets.clone(), Reduction::Mean)
    })
}

/// One sequence of 128.
fn inference() -> impl FnMut() {
    let (model, x) = (Encoder::<NdArray>::new(&Default::default()), normal([1, LENGTH, WIDTH]));
    move || drop(black_box(model.forward(x.clone())))
}
