//! U-Net (Ronneberger et al. 2015) with batch norms, padded convolutions and 32 channels at the top: a
//! training step of two images of 128 x 128.

use super::input::normal;
use super::resnet::Normed;
use super::training::steps;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_ndarray::NdArray;
use burn_nn::Relu;
use burn_nn::conv::{Conv2d, Conv2dConfig, ConvTranspose2d, ConvTranspose2dConfig};
use burn_nn::loss::{MseLoss, Reduction};
use burn_nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn_tensor::{AutodiffBackend, Backend, Tensor};

const BATCH: usize = 2;
const SIZE: usize = 128;
/// Channels of each level.
const CHANNELS: [usize; 5] = [32, 64, 128, 256, 512];

pub(super) fn all() -> Vec<Workload> {
    vec![Workload::new("u-net step").with("NdArray", step::<Autodiff<NdArray>>).at_most(1.0)]
}

fn step<B: AutodiffBackend>() -> impl FnMut() {
    let (images, targets) = (normal([BATCH, 3, SIZE, SIZE]), normal([BATCH, 1, SIZE, SIZE]));
    steps::<B, _>(UNet::new(&B::Device::default()), move |model| {
        MseLoss::new().forward(model.forward(images.clone()), targets.clone(), Reduction::Mean)
    })
}

/// Two convolutions, each with a norm and an activation.
#[derive(Module, Debug)]
struct Twice<B: Backend> {
    first: Normed<B>,
    second: Normed<B>,
    activation: Relu,
}

impl<B: Backend> Twice<B> {
    fn new(inputs: usize, outputs: usize, device: &B::Device) -> Self {
        Twice {
            first: Normed::new([inputs, outputs], 3, 1, device),
            second: Normed::new([outputs, outputs], 3, 1, device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 4> {
        let x = self.activation.forward(self.first.forward(x));
        self.activation.forward(self.second.forward(x))
    }
}

#[derive(Module, Debug)]
struct UNet<B: Backend> {
    down: Vec<Twice<B>>,
    pool: MaxPool2d,
    up: Vec<ConvTranspose2d<B>>,
    merge: Vec<Twice<B>>,
    out: Conv2d<B>,
}

impl<B: Backend> UNet<B> {
    fn new(device: &B::Device) -> Self {
        let inputs = [3].into_iter().chain(CHANNELS);
        let pairs = || CHANNELS.windows(2).rev().map(|pair| (pair[1], pair[0]));
        UNet {
            down: inputs.zip(CHANNELS).map(|(inputs, outputs)| Twice::new(inputs, outputs, device)).collect(),
            pool: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
            up: pairs()
                .map(|(below, above)| {
                    ConvTranspose2dConfig::new([below, above], [2, 2]).with_stride([2, 2]).init(device)
                })
                .collect(),
            merge: pairs().map(|(below, above)| Twice::new(below, above, device)).collect(),
            out: Conv2dConfig::new([CHANNELS[0], 1], [1, 1]).init(device),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 4> {
        let mut skipped = Vec::new();
        let mut x = images;
        for level in &self.down {
            if !skipped.is_empty() {
                x = self.pool.forward(x);
            }
            x = level.forward(x);
            skipped.push(x.clone());
        }
        skipped.pop();
        for (up, merge) in self.up.iter().zip(&self.merge) {
            let beside = skipped.pop().expect("a level above");
            x = merge.forward(Tensor::cat(vec![beside, up.forward(x)], 1));
        }
        self.out.forward(x)
    }
}
