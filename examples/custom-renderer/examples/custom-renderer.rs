//! Trains the guide's model, and shows the progress with a renderer of one's own.
//!
//! ```text
//! cargo run --release --package custom-renderer --example custom-renderer
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistDataset, MnistItem};
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::train::LearnerBuilder;
use burn::train::metric::{AccuracyMetric, LossMetric};
use clap::Parser;
use custom_renderer::BarRenderer;
use guide::data::MnistBatcher;
use guide::inference;
use guide::model::ModelConfig;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Train a network to read handwritten digits, and show it with a renderer of one's own.
#[derive(Parser, Debug)]
pub struct Args {
    /// Train on MNIST, which is downloaded, instead of the 1,797 digits inside of the program.
    #[arg(long)]
    mnist: bool,
    /// Number of training images to use, for a quick look.
    #[arg(long, value_name = "N")]
    images: Option<usize>,
    /// Times to go through the training images.
    #[arg(long, default_value_t = 6)]
    epochs: usize,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/custom-renderer")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&Args::parse(), std::io::stdout()).map(|_| ())
}

/// Trains, shows the progress on `out`, and returns the accuracy on test images, in percent.
pub fn run(args: &Args, out: impl Write + Send + 'static) -> Result<f64, Box<dyn Error>> {
    type B = Autodiff<NdArray>;
    type Images = Arc<dyn Dataset<MnistItem>>;
    let (images, test): (Images, Images) = if args.mnist {
        (Arc::new(MnistDataset::try_train()?), Arc::new(MnistDataset::try_test()?))
    } else {
        let (images, test) = DigitsDataset::train_test_mnist(42);
        (Arc::new(images), Arc::new(test))
    };
    let count = args.images.unwrap_or(images.len()).min(images.len());
    let cut = count - count / 8;
    let device = Default::default();
    B::seed(42);
    let train = DataLoaderBuilder::new(MnistBatcher::<B>::new(device)).batch_size(64).shuffle(42);
    let valid = DataLoaderBuilder::new(MnistBatcher::<NdArray>::new(device)).batch_size(64);

    let learner = LearnerBuilder::new(&args.artifacts)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .renderer(BarRenderer::new(out))
        .num_epochs(args.epochs)
        .summary()
        .build(ModelConfig::new(10, 64).init::<B>(&device), AdamConfig::new().init(), 2e-3);
    let model = learner.try_fit(
        train.build(PartialDataset::new(images.clone(), 0, cut)),
        valid.build(PartialDataset::new(images, cut, count)),
    )?;
    let correct = inference::count_correct(&model.valid(), &*test, &device);
    let accuracy = 100.0 * correct as f64 / test.len() as f64;
    println!("test accuracy: {accuracy:.2} %");
    Ok(accuracy)
}
