// ANCHOR: program
// cargo add --path ../burn/crates/burn-import

use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer, freeze, unfreeze};
use burn::prelude::*;
use burn::record::{DefaultFileRecorder, FullPrecisionSettings, RecordError};
use burn::weights::Strictness;
use burn_import::{LoadArgs, npz};
use std::error::Error;

type Plain = NdArray;
type B = Autodiff<Plain>;

/// The layers of the file that are kept: images `[batch, 1, 8, 8]` become features `[batch, 64]`.
#[derive(Module, Debug)]
struct Backbone<B: Backend> {
    conv1: Conv2d<B>,
    norm1: BatchNorm<B>,
    conv2: Conv2d<B>,
    norm2: BatchNorm<B>,
    pool: MaxPool2d,
}

impl<B: Backend> Backbone<B> {
    fn new(device: &B::Device) -> Self {
        let conv =
            |channels| Conv2dConfig::new(channels, [3, 3]).with_padding(PaddingConfig2d::Same).init(device);
        Backbone {
            conv1: conv([1, 8]),
            norm1: BatchNormConfig::new(8).init(device),
            conv2: conv([8, 16]),
            norm2: BatchNormConfig::new(16).init(device),
            pool: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
        }
    }

    /// Loads the weights that PyTorch saved. The last layer of the file, `classifier`, is left out.
    fn load(path: &str, device: &B::Device) -> Result<Self, RecordError> {
        let args = LoadArgs::new(path.into())
            .with_top_level_key("model_state_dict")
            .with_key_remap(r"^features\.0\.", "conv1.")
            .with_key_remap(r"^features\.1\.", "norm1.")
            .with_key_remap(r"^features\.4\.", "conv2.")
            .with_key_remap(r"^features\.5\.", "norm2.");
        let weights = burn_import::open(args)?;
        let (backbone, report) = weights.load_into(Backbone::new(device), Strictness::Lenient)?;
        println!("{report}");
        Ok(backbone)
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.pool.forward(Relu.forward(self.norm1.forward(self.conv1.forward(images))));
        let x = self.pool.forward(Relu.forward(self.norm2.forward(self.conv2.forward(x))));
        x.flatten(1, 3)
    }
}

/// The backbone and a new last layer, for other classes than those of the file.
#[derive(Module, Debug)]
struct Classifier<B: Backend> {
    backbone: Backbone<B>,
    head: Linear<B>,
}

impl<B: Backend> Classifier<B> {
    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        self.head.forward(self.backbone.forward(images))
    }
}

/// An image of 8 x 8 pixels from 0 to 16, and its class.
type Item = (Vec<f32>, i64);

fn batch<B: Backend>(items: Vec<Item>, device: &B::Device) -> (Tensor<B, 4>, Tensor<B, 1, Int>) {
    let count = items.len();
    let (pixels, classes): (Vec<_>, Vec<_>) = items.into_iter().unzip();
    let images = TensorData::new(pixels.concat(), [count, 1, 8, 8]);
    // The inputs are scaled as they were when the file was trained.
    let images = Tensor::<B, 4>::from_data(images, device) / 16.0;
    (images, Tensor::from_data(TensorData::new(classes, [count]), device))
}

/// Trains what is not frozen.
fn train(mut model: Classifier<B>, items: &[Item], rate: f64, epochs: usize) -> Classifier<B> {
    let device = Default::default();
    let loader = DataLoaderBuilder::new(move |items| batch::<B>(items, &device))
        .batch_size(10)
        .shuffle(1)
        .build(InMemDataset::new(items.to_vec()));
    let criterion = CrossEntropyLossConfig::new().init(&device);
    let mut optimizer = AdamWConfig::new().init();
    for _ in 0..epochs {
        for (images, classes) in loader.iter() {
            let loss = criterion.forward(model.forward(images), classes);
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            model = optimizer.step(rate, model, gradients);
        }
    }
    model
}

/// Counts the items that are classified correctly.
fn correct(model: &Classifier<Plain>, items: &[Item]) -> i64 {
    let (images, classes) = batch::<Plain>(items.to_vec(), &Default::default());
    let found = model.forward(images).argmax(1).squeeze_dim::<1>(1);
    found.equal(classes).int().sum().into_scalar()
}

/// Reads images and labels; the class is 1 for digits with a closed loop: 0, 6, 8 and 9.
fn items() -> Result<Vec<Item>, Box<dyn Error>> {
    // An `.npy` file has one array, named after the file.
    let images = npz::open("images.npy")?.read("images").ok_or("no array")??;
    let labels = npz::open("labels.npy")?.read("labels").ok_or("no array")??;
    let pixels: Vec<f32> = images.iter().collect();
    let classes = labels.iter::<i64>().map(|digit| i64::from([0, 6, 8, 9].contains(&digit)));
    Ok(pixels.chunks(64).map(<[f32]>::to_vec).zip(classes).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Default::default();
    B::seed(1);
    let items = items()?;
    let (for_training, for_test) = items.split_at(60);

    // First the new layer alone: its gradients are large, and would spoil the weights before it.
    let backbone = Backbone::load("digits.pt", &device)?;
    let model = Classifier { backbone, head: LinearConfig::new(64, 2).init(&device) };
    let model = train(freeze(model, "backbone.**"), for_training, 1e-2, 30);
    println!("head trained: {} of {}", correct(&model.valid(), for_test), for_test.len());

    // Then all layers, at a rate that is lower.
    let model = train(unfreeze(model, "**"), for_training, 1e-3, 20);
    println!("all layers trained: {} of {}", correct(&model.valid(), for_test), for_test.len());

    // The same network from random weights, as long.
    let head = LinearConfig::new(64, 2).init(&device);
    let other = train(Classifier { backbone: Backbone::new(&device), head }, for_training, 1e-3, 50);
    println!("from random weights: {} of {}", correct(&other.valid(), for_test), for_test.len());

    // A program that uses the model needs neither gradients nor `burn-import`.
    let recorder = DefaultFileRecorder::<FullPrecisionSettings>::new();
    model.valid().save_file("loops", &recorder)?;
    let empty = Classifier::<Plain> {
        backbone: Backbone::new(&device),
        head: LinearConfig::new(64, 2).init(&device),
    };
    let loaded = empty.load_file("loops", &recorder, &device)?;
    println!("loaded: {} of {}", correct(&loaded, for_test), for_test.len());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_transfer_learning() {
    crate::page_output::page_prints!(
        "import/transfer-learning.md",
        "examples/pytorch-import/data/digits.pt",
        "examples/pytorch-import/data/images.npy",
        "examples/pytorch-import/data/labels.npy"
    );
}
