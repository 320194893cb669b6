// ANCHOR: program
// cargo add --path ../burn/crates/burn-import

use burn::backend::{Autodiff, NdArray};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::record::RecordError;
use burn::weights::Strictness;
use burn_import::LoadArgs;

type B = Autodiff<NdArray>;

/// The part whose weights are in the file.
#[derive(Module, Debug)]
struct Backbone<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
}

#[derive(Module, Debug)]
struct Classifier<B: Backend> {
    backbone: Backbone<B>,
    head: Linear<B>,
}

impl<B: Backend> Classifier<B> {
    /// `[batch, 2, 4, 4]` to `[batch, 1]`.
    fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.backbone.conv2.forward(self.backbone.conv1.forward(x).tanh());
        self.head.forward(x.flatten(1, 3))
    }
}

fn main() -> Result<(), RecordError> {
    let device = Default::default();
    B::seed(2);
    let conv = Conv2dConfig::new([2, 2], [2, 2]);
    let backbone = Backbone { conv1: conv.init(&device), conv2: conv.with_bias(false).init(&device) };
    let weights =
        burn_import::open(LoadArgs::new("checkpoint.pt".into()).with_top_level_key("my_state_dict"))?;
    let (backbone, report) = weights.load_into(backbone, Strictness::Strict)?;
    println!("{report}");

    // The backbone stays as it was loaded; gradients reach the head alone.
    let mut model = Classifier { backbone: backbone.no_grad(), head: LinearConfig::new(8, 1).init(&device) };
    let x = Tensor::<B, 4>::random([8, 2, 4, 4], burn::tensor::Distribution::Default, &device);
    let y = x.clone().mean_dims(&[1, 2, 3]).reshape([8, 1]);
    let mut optimizer = AdamConfig::new().init();
    let loss = |model: &Classifier<B>| (model.forward(x.clone()) - y.clone()).square().mean();
    let before: f32 = loss(&model).into_scalar();
    for _ in 0..200 {
        let gradients = GradientsParams::from_grads(loss(&model).backward(), &model);
        model = optimizer.step(0.02, model, gradients);
    }
    println!("the loss fell below a tenth: {}", loss(&model).into_scalar() < before / 10.0);
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_fine_tuning() {
    crate::page_output::page_prints!("import/models.md", "crates/burn-import/tests/fixtures/checkpoint.pt");
}
