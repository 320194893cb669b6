// ANCHOR: program
// cargo add --path ../burn/crates/burn --features train

use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::metric::LossMetric;
use burn::train::{LearnerBuilder, RegressionOutput, TrainError, TrainOutput, TrainStep, ValidStep};

#[derive(Module, Debug)]
struct Model<B: Backend> {
    linear: Linear<B>,
}

/// Inputs and targets, `[batch, 1]` each.
type Batch<B> = (Tensor<B, 2>, Tensor<B, 2>);

impl<B: Backend> Model<B> {
    fn outputs(&self, (x, y): Batch<B>) -> RegressionOutput<B> {
        let prediction = self.linear.forward(x);
        let loss = MseLoss::new().forward(prediction.clone(), y.clone(), Reduction::Mean);
        RegressionOutput::new(loss, prediction, y)
    }
}

impl<B: AutodiffBackend> TrainStep<Batch<B>, RegressionOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> TrainOutput<RegressionOutput<B>> {
        let output = self.outputs(batch);
        TrainOutput::new(self, output.loss.backward(), output)
    }
}

impl<B: Backend> ValidStep<Batch<B>, RegressionOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> RegressionOutput<B> {
        self.outputs(batch)
    }
}

/// Turns points of the line y = 2 x - 1 into a batch.
fn batch<B: Backend>(xs: Vec<f32>, device: &B::Device) -> Batch<B> {
    let count = xs.len();
    let x = Tensor::from_data(TensorData::new(xs, [count, 1]), device);
    (x.clone(), x * 2.0 - 1.0)
}

fn main() -> Result<(), TrainError> {
    type B = Autodiff<NdArray>;
    let device = Default::default();
    B::seed(42);
    let points = || -> InMemDataset<f32> { (0..64).map(|i| i as f32 / 32.0 - 1.0).collect() };
    let train =
        DataLoaderBuilder::new(move |xs| batch::<B>(xs, &device)).batch_size(8).shuffle(42).build(points());
    let valid =
        DataLoaderBuilder::new(move |xs| batch::<NdArray>(xs, &device)).batch_size(64).build(points());

    let model = Model { linear: LinearConfig::new(1, 1).init(&device) };
    let model = LearnerBuilder::new("artifacts/line")
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .num_epochs(20)
        .build(model, AdamConfig::new().init(), 0.05)
        .try_fit(train, valid)?;
    println!("slope {:.2}", model.linear.weight.val().into_scalar());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_learner() {
    crate::page_output::page_prints!("building-blocks/learner.md");
}
