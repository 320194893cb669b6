//! Trains a Wasserstein GAN on handwritten digits, and writes a picture of what it makes.
//!
//! ```text
//! cargo run --release --package wgan --example wgan
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::module::{AutodiffModule, Module};
use burn::record::CompactRecorder;
use burn::tensor::{Distribution, Tensor};
use clap::Parser;
use std::error::Error;
use std::path::PathBuf;
use wgan::frechet_distance::frechet_distance;
use wgan::grid::png;
use wgan::images::Images;
use wgan::training::{Adversaries, Lipschitz, TrainingConfig, train};

type B = Autodiff<NdArray>;

/// Train a generator of handwritten digits.
#[derive(Parser, Debug)]
pub struct Args {
    /// Train on MNIST, which is downloaded, instead of the 1,797 digits inside of the program.
    #[arg(long)]
    mnist: bool,
    /// Clip the weights of the critic, as in the first paper, instead of penalizing its gradient.
    #[arg(long)]
    clip: bool,
    /// Steps of the generator.
    #[arg(long, default_value_t = 3000)]
    steps: usize,
    /// Size of the hidden layers of both networks.
    #[arg(long, value_name = "N", default_value_t = 128)]
    hidden: usize,
    /// Images of a batch.
    #[arg(long, value_name = "N", default_value_t = 64)]
    batch: usize,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/wgan")]
    artifacts: PathBuf,
}

/// Distances of the images from real ones, and the critic's estimate.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Means of the critic's estimate of the Wasserstein distance over each tenth of the run.
    pub estimates: Vec<f64>,
    /// Fréchet distance of generated images to real ones.
    pub trained: f64,
    /// Distance of an untrained generator.
    pub untrained: f64,
    /// Distance of independent normal pixels with the means and variances of the real ones.
    pub independent_pixels: f64,
    /// Distance between the two halves of the real images.
    pub real: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let outcome = run(&args)?;
    println!("Fréchet distance to real images");
    println!("  generated images:                      {:6.3}", outcome.trained);
    println!("  of a generator that learnt nothing:    {:6.3}", outcome.untrained);
    println!("  of independent pixels, right moments:  {:6.3}", outcome.independent_pixels);
    println!("  of one half of the images to another:  {:6.3}", outcome.real);
    println!("samples: {}", args.artifacts.join("samples.png").display());
    Ok(())
}

/// Trains, writes the model and a picture of 64 samples, and measures.
pub fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let images = if args.mnist { Images::mnist()? } else { Images::digits() };
    let lipschitz =
        if args.clip { Lipschitz::WeightClipping(0.05) } else { Lipschitz::GradientPenalty(10.0) };
    let config = TrainingConfig::new(lipschitz)
        .with_steps(args.steps)
        .with_d_hidden(args.hidden)
        .with_batch_size(args.batch);
    let device = Default::default();
    let tenth = args.steps.div_ceil(10);
    let (mut estimates, mut sum) = (Vec::new(), 0.0);
    let adversaries = train::<B>(&config, &images, &device, |step, estimate| {
        sum += estimate;
        if step % tenth == 0 {
            println!("step {step:5}  Wasserstein estimate {:.4}", sum / tenth as f64);
            estimates.push(std::mem::take(&mut sum) / tenth as f64);
        }
    });
    std::fs::create_dir_all(&args.artifacts)?;
    let samples = png(adversaries.generate(64), images.side, 8, if args.mnist { 2 } else { 6 })?;
    burn_io::write_atomic(&args.artifacts.join("samples.png"), &mut |file| file.write_all(&samples))?;
    adversaries.generator.valid().save_file(args.artifacts.join("generator"), &CompactRecorder::new())?;

    const COUNT: usize = 2000;
    let real: Tensor<NdArray, 2> = images.to_tensor(&device);
    let untrained = Adversaries::<B>::new(config, &images, &device);
    let [rows, pixels] = real.dims();
    let noise = Tensor::random([COUNT, pixels], Distribution::Normal(0.0, 1.0), &device);
    let independent_pixels = noise * real.clone().var(0).sqrt() + real.clone().mean_dim(0);
    Ok(Outcome {
        estimates,
        trained: frechet_distance(adversaries.generate(COUNT), real.clone()),
        untrained: frechet_distance(untrained.generate(COUNT), real.clone()),
        independent_pixels: frechet_distance(independent_pixels, real.clone()),
        real: frechet_distance(
            real.clone().narrow(0, 0, rows / 2),
            real.narrow(0, rows / 2, rows - rows / 2),
        ),
    })
}
