//! Trains the guide's model with a loop of one's own.
//!
//! ```text
//! cargo run --release --package custom-training-loop --example custom-training-loop
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistDataset, MnistItem};
use burn::module::AutodiffModule;
use clap::Parser;
use custom_training_loop::{LoopConfig, evaluate, loader, train};
use std::error::Error;
use std::sync::Arc;

/// Train a network to read handwritten digits, with a loop that is written out.
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
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&Args::parse()).map(|_| ())
}

/// Trains, and returns the accuracy on test images, in percent.
pub fn run(args: &Args) -> Result<f64, Box<dyn Error>> {
    type Images = Arc<dyn Dataset<MnistItem>>;
    let (images, test): (Images, Images) = if args.mnist {
        (Arc::new(MnistDataset::try_train()?), Arc::new(MnistDataset::try_test()?))
    } else {
        let (images, test) = DigitsDataset::train_test_mnist(42);
        (Arc::new(images), Arc::new(test))
    };
    let count = args.images.unwrap_or(images.len()).min(images.len());
    let cut = count - count / 8;
    let valid = Arc::new(PartialDataset::new(images.clone(), cut, count));
    let images = Arc::new(PartialDataset::new(images, 0, cut));

    let (config, device) = (LoopConfig::new().with_num_epochs(args.epochs), Default::default());
    let model = train::<Autodiff<NdArray>>(&config, images, valid, &device, |epoch, train, valid| {
        println!(
            "epoch {epoch}  train loss {:.4}  accuracy {:.2} %  valid loss {:.4}  accuracy {:.2} %",
            train.loss, train.accuracy, valid.loss, valid.accuracy
        );
    });
    let test = evaluate(&model.valid(), &*loader::<NdArray>(&config, test, &device, None));
    println!("test accuracy: {:.2} %", test.accuracy);
    Ok(test.accuracy)
}
