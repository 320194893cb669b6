//! ViT-B/16 (Dosovitskiy et al. 2020): inference of one image of 224 x 224, and a training step of two.

use super::input::normal;
use super::resnet::classes;
use super::training::steps;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::{Module, Param};
use burn_ndarray::NdArray;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::loss::CrossEntropyLossConfig;
use burn_nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn_nn::{Linear, LinearConfig};
use burn_tensor::{AutodiffBackend, Backend, Tensor};
use std::hint::black_box;

const BATCH: usize = 2;
const WIDTH: usize = 768;
const PATCH: usize = 16;
const PATCHES: usize = 14 * 14;

pub(super) fn all() -> Vec<Workload> {
    let inference = || {
        let (model, x) = (ViT::<NdArray>::new(&Default::default()), normal([1, 3, 224, 224]));
        move || drop(black_box(model.forward(x.clone())))
    };
    vec![
        Workload::new("vit-b/16").with("NdArray", inference).at_most(1.0).compiled(),
        Workload::new("vit-b/16 step").with("NdArray", step::<Autodiff<NdArray>>).at_most(1.0),
    ]
}

fn step<B: AutodiffBackend>() -> impl FnMut() {
    let device = B::Device::default();
    let (images, targets) = (normal([BATCH, 3, 224, 224]), classes(BATCH));
    let loss = CrossEntropyLossConfig::new().init(&device);
    steps::<B, _>(ViT::new(&device), move |model| {
        loss.forward(model.forward(images.clone()), targets.clone())
    })
}

#[derive(Module, Debug)]
struct ViT<B: Backend> {
    patches: Conv2d<B>,
    class: Param<Tensor<B, 3>>,
    positions: Param<Tensor<B, 3>>,
    encoder: TransformerEncoder<B>,
    head: Linear<B>,
}

impl<B: Backend> ViT<B> {
    fn new(device: &B::Device) -> Self {
        let encoder = TransformerEncoderConfig::new(WIDTH, 4 * WIDTH, 12, 12).with_dropout(0.0);
        ViT {
            patches: Conv2dConfig::new([3, WIDTH], [PATCH; 2]).with_stride([PATCH; 2]).init(device),
            class: Param::from_tensor(normal([1, 1, WIDTH])),
            positions: Param::from_tensor(normal([1, PATCHES + 1, WIDTH])),
            encoder: encoder.with_norm_first(true).with_final_norm(true).init(device),
            head: LinearConfig::new(WIDTH, 1000).init(device),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let batch = images.dims()[0];
        let patches = self.patches.forward(images).reshape([batch, WIDTH, PATCHES]).swap_dims(1, 2);
        let class = self.class.val().expand([batch, 1, WIDTH]);
        let x = Tensor::cat(vec![class, patches], 1) + self.positions.val();
        let x = self.encoder.forward(TransformerEncoderInput::new(x));
        self.head.forward(x.narrow(1, 0, 1).reshape([batch, WIDTH]))
    }
}
