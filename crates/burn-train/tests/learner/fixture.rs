use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_core::tensor::{AutodiffBackend, Backend, Int, Tensor};
use burn_dataset::InMemDataset;
use burn_dataset::dataloader::{DataLoader, DataLoaderBuilder};
use burn_ndarray::NdArray;
use burn_nn::loss::CrossEntropyLossConfig;
use burn_nn::{Dropout, DropoutConfig, Linear, LinearConfig};
use burn_train::renderer::{MetricState, MetricsRenderer, TrainingProgress};
use burn_train::{ClassificationOutput, LearnerBuilder, TrainOutput, TrainStep, ValidStep};
use std::path::Path;
use std::sync::Arc;

pub type B = Autodiff<NdArray>;
pub type Batch<B> = (Tensor<B, 2>, Tensor<B, 1, Int>);
pub type Builder = LearnerBuilder<B, ClassificationOutput<B>, ClassificationOutput<NdArray>>;

#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    pub linear1: Linear<B>,
    pub dropout: Dropout,
    pub linear2: Linear<B>,
}

impl<B: Backend> Model<B> {
    pub fn new(hidden: usize) -> Self {
        let device = Default::default();
        Model {
            linear1: LinearConfig::new(2, hidden).init(&device),
            dropout: DropoutConfig::new(0.2).init(),
            linear2: LinearConfig::new(hidden, 2).init(&device),
        }
    }

    pub fn forward(&self, (inputs, targets): Batch<B>) -> ClassificationOutput<B> {
        let hidden = self.dropout.forward(self.linear1.forward(inputs).tanh());
        let output = self.linear2.forward(hidden);
        let loss = CrossEntropyLossConfig::new().init(&output.device());
        ClassificationOutput::new(loss.forward(output.clone(), targets.clone()), output, targets)
    }

    /// All parameters, bit by bit.
    pub fn bits(&self) -> Vec<u64> {
        let weights = [self.linear1.weight.val(), self.linear2.weight.val()];
        let numbers = weights.into_iter().flat_map(|weight| weight.into_data().to_f64());
        numbers.map(f64::to_bits).collect()
    }
}

impl<B: AutodiffBackend> TrainStep<Batch<B>, ClassificationOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> TrainOutput<ClassificationOutput<B>> {
        let item = self.forward(batch);
        TrainOutput::new(self, item.loss.backward(), item)
    }
}

impl<B: Backend> ValidStep<Batch<B>, ClassificationOutput<B>> for Model<B> {
    fn step(&self, batch: Batch<B>) -> ClassificationOutput<B> {
        self.forward(batch)
    }
}

/// Points of the plane; the class is the sign of the product of the coordinates.
fn points() -> InMemDataset<(f32, f32)> {
    let on_circle = |i: u16| {
        let angle = f32::from(i) * 0.7;
        (angle.cos(), angle.sin())
    };
    InMemDataset::new((0..60).map(on_circle).collect())
}

pub fn batch<B: Backend>(items: Vec<(f32, f32)>) -> Batch<B> {
    let device = Default::default();
    let rows = items.len();
    let numbers: Vec<f32> = items.iter().flat_map(|(x, y)| [*x, *y]).collect();
    let classes: Vec<i64> = items.iter().map(|(x, y)| i64::from(x * y > 0.0)).collect();
    let inputs = Tensor::<B, 1>::from_data(numbers.as_slice(), &device).reshape([rows, 2]);
    (inputs, Tensor::from_data(classes.as_slice(), &device))
}

/// Six batches of ten points, shuffled.
pub fn train_loader() -> Arc<dyn DataLoader<Batch<B>>> {
    DataLoaderBuilder::new(batch::<B>).batch_size(10).shuffle(5).num_workers(1).build(points())
}

/// Two batches of thirty points.
pub fn valid_loader() -> Arc<dyn DataLoader<Batch<NdArray>>> {
    DataLoaderBuilder::new(batch::<NdArray>).batch_size(30).build(points())
}

/// A builder that shows nothing and leaves the log of the process alone.
pub fn builder(folder: &Path) -> Builder {
    LearnerBuilder::new(folder).renderer(Silent).with_application_logger(None)
}

/// Shows nothing.
pub struct Silent;

impl MetricsRenderer for Silent {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, _item: TrainingProgress) {}
    fn render_valid(&mut self, _item: TrainingProgress) {}
}

/// The files below a folder, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path.strip_prefix(folder).unwrap().display().to_string()),
            }
        }
    }
    found.sort();
    found
}
