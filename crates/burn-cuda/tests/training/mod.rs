//! Whole steps of training: forward, loss, backward, Adam.

use burn_core::module::{AutodiffModule, Module};
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::loss::{CrossEntropyLossConfig, MseLoss, Reduction};
use burn_nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig};
use burn_nn::{Dropout, DropoutConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig, Relu};
use burn_optim::{AdamConfig, GradientsParams, Optimizer};
use burn_tensor::module::{AttentionOptions, attention};
use burn_tensor::{AutodiffBackend, Backend, Distribution, Int, Tensor};
use std::cell::RefCell;

const BATCH: usize = 32;
const LENGTH: usize = 512;
const WIDTH: usize = 1024;
const HEADS: usize = 16;
const HIDDEN: usize = 4096;
const LAYERS: usize = 12;

/// A layer as `torch.nn.TransformerEncoderLayer` is, without dropout.
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

/// The network of the book's guide.
#[derive(Module, Debug)]
struct Guide<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    pool: AdaptiveAvgPool2d,
    dropout: Dropout,
    linear1: Linear<B>,
    linear2: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Guide<B> {
    fn new(device: &B::Device) -> Self {
        Guide {
            conv1: Conv2dConfig::new([1, 8], [3, 3]).init(device),
            conv2: Conv2dConfig::new([8, 16], [3, 3]).init(device),
            pool: AdaptiveAvgPool2dConfig::new([8, 8]).init(),
            dropout: DropoutConfig::new(0.5).init(),
            linear1: LinearConfig::new(1024, 512).init(device),
            linear2: LinearConfig::new(512, 10).init(device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.conv1.forward(images);
        let x = self.conv2.forward(self.dropout.forward(x));
        let x = self.activation.forward(self.dropout.forward(x));
        let x = self.pool.forward(x).flatten(1, 3);
        let x = self.dropout.forward(self.linear1.forward(x));
        self.linear2.forward(self.activation.forward(x))
    }
}

/// What trains a model by one step.
fn steps<B, M>(model: M, loss: impl Fn(&M) -> Tensor<B, 1>) -> impl Fn()
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
{
    let (optimizer, model) = (RefCell::new(AdamConfig::new().init()), RefCell::new(Some(model)));
    move || {
        let before = model.take().expect("put back after each step");
        let gradients = GradientsParams::from_grads(loss(&before).backward(), &before);
        model.replace(Some(optimizer.borrow_mut().step(1e-6, before, gradients)));
    }
}

/// Steps of a transformer's encoder.
pub fn encoder<B: AutodiffBackend>() -> impl Fn() {
    let device = B::Device::default();
    let normal = || Tensor::<B, 3>::random([BATCH, LENGTH, WIDTH], Distribution::Normal(0.0, 1.0), &device);
    let (x, targets) = (normal(), normal());
    let model = Encoder { layers: (0..LAYERS).map(|_| Layer::new(&device)).collect() };
    steps(model, move |model: &Encoder<B>| {
        let y = model.layers.iter().fold(x.clone(), |x, layer| layer.forward(x));
        MseLoss::new().forward(y, targets.clone(), Reduction::Mean)
    })
}

/// Steps of the guide's network, with new images for each.
pub fn guide<B: AutodiffBackend>() -> impl Fn() {
    let device = B::Device::default();
    let loss = CrossEntropyLossConfig::new().init(&device);
    steps(Guide::new(&device), move |model: &Guide<B>| {
        let images = Tensor::random([64, 1, 28, 28], Distribution::Normal(0.0, 1.0), &device);
        let targets = Tensor::<B, 1, Int>::random([64], Distribution::Uniform(0.0, 10.0), &device);
        loss.forward(model.forward(images), targets)
    })
}
