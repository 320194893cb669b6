// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::lr_scheduler::{CosineAnnealingLrSchedulerConfig, LrScheduler};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::prelude::*;

type Plain = NdArray;
type B = Autodiff<Plain>;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    hidden: Linear<B>,
    output: Linear<B>,
}

impl<B: Backend> Model<B> {
    /// `[batch, 1]` to `[batch, 1]`.
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.output.forward(self.hidden.forward(x).tanh())
    }
}

/// Inputs `x` and targets `sin(x)`.
fn batch<B: Backend>(xs: Vec<f32>, device: &B::Device) -> (Tensor<B, 2>, Tensor<B, 2>) {
    let count = xs.len();
    let x = Tensor::<B, 2>::from_data(TensorData::new(xs, [count, 1]), device);
    (x.clone(), x.sin())
}

fn main() {
    let device = Default::default();
    B::seed(7);
    let points: InMemDataset<f32> = (0..160).map(|i| i as f32 / 40.0 - 2.0).collect();
    let loader =
        DataLoaderBuilder::new(move |xs| batch::<B>(xs, &device)).batch_size(16).shuffle(7).build(points);

    let epochs = 60;
    let mut model = Model {
        hidden: LinearConfig::new(1, 32).init(&device),
        output: LinearConfig::new(32, 1).init(&device),
    };
    let mut optimizer = AdamWConfig::new().init();
    let mut scheduler = CosineAnnealingLrSchedulerConfig::new(0.02, epochs * loader.num_batches()).init();
    for _ in 0..epochs {
        for (x, y) in loader.iter() {
            let loss = (model.forward(x) - y).square().mean();
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            model = optimizer.step(scheduler.step(), model, gradients);
        }
    }

    // Validation runs on the backend without gradients.
    let model = model.valid();
    let (x, y) = batch::<Plain>(vec![-1.0, 0.0, 1.0], &device);
    let error = (model.forward(x) - y).abs().max().into_scalar();
    println!("largest error below 0.05: {}", error < 0.05);
}
// ANCHOR_END: program

#[test]
fn x_701_training_by_hand() {
    crate::page_output::page_prints!("building-blocks/training-loop.md");
}
