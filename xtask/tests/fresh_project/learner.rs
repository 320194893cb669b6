//! The training loop on a backend of the feature's own choice: datasets, gradients and the learner come with
//! it.

use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::nn::{Linear, LinearConfig};
use burn::optim::SgdConfig;
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::train::metric::LossMetric;
use burn::train::{LearnerBuilder, RegressionOutput, TrainOutput, TrainStep, ValidStep};

/// `y = w x + b`.
#[derive(Module, Debug)]
struct Line<B: Backend> {
    linear: Linear<B>,
}

impl<B: Backend> Line<B> {
    fn output(&self, x: Tensor<B, 2>) -> RegressionOutput<B> {
        let y = self.linear.forward(x.clone());
        let targets = x * 3 + 1;
        let loss = (y.clone() - targets.clone()).square().mean();
        RegressionOutput::new(loss, y, targets)
    }
}

impl<B: AutodiffBackend> TrainStep<Tensor<B, 2>, RegressionOutput<B>> for Line<B> {
    fn step(&self, x: Tensor<B, 2>) -> TrainOutput<RegressionOutput<B>> {
        let output = self.output(x);
        TrainOutput::new(self, output.loss.backward(), output)
    }
}

impl<B: Backend> ValidStep<Tensor<B, 2>, RegressionOutput<B>> for Line<B> {
    fn step(&self, x: Tensor<B, 2>) -> RegressionOutput<B> {
        self.output(x)
    }
}

fn batch<B: Backend>(items: Vec<f32>) -> Tensor<B, 2> {
    let shape = [items.len(), 1];
    Tensor::from_data(TensorData::new(items, shape), &Default::default())
}

fn main() {
    type B = Autodiff<NdArray>;
    let items = || InMemDataset::new((0..64).map(|i| i as f32 / 32.0 - 1.0).collect::<Vec<_>>());
    let train = DataLoaderBuilder::new(batch::<B>).batch_size(8).shuffle(1).build(items());
    let valid = DataLoaderBuilder::new(batch::<NdArray>).batch_size(8).build(items());
    let model = Line { linear: LinearConfig::new(1, 1).init::<B>(&Default::default()) };
    let learner = LearnerBuilder::new(std::env::args().nth(1).expect("a folder"))
        .metric_valid_numeric(LossMetric::new())
        .num_epochs(20)
        .build(model, SgdConfig::new().init(), 0.2);
    let model = learner.fit(train, valid).valid();
    let at = |x: f32| model.linear.forward(batch::<NdArray>(vec![x])).into_scalar();
    println!("{:.3} {:.3}", at(0.0), at(1.0));
}
