//! The run, and how many images it reads right that it never saw.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::SplitDataset;
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::LearnerBuilder;
use burn::train::metric::{AccuracyMetric, LossMetric};

use crate::images::{ImageBatcher, ImagesDataset, LabelledImage};
use crate::model::{Cnn, CnnConfig};

/// Configuration of a training run.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    pub optimizer: AdamConfig,
    #[config(default = 8)]
    pub num_epochs: usize,
    #[config(default = 32)]
    pub batch_size: usize,
    #[config(default = 1)]
    pub num_workers: usize,
    #[config(default = 42)]
    pub seed: u64,
    #[config(default = 2.0e-3)]
    pub learning_rate: f64,
}

/// The right answers on the images of the test set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The number of images.
    pub images: usize,
    /// The percentage that the model reads right.
    pub accuracy: f64,
    /// The percentage of the most frequent class: what a trivial predictor reaches.
    pub most_frequent: f64,
}

/// Trains on 70 % of the images, validates on 10 %, and evaluates on the other 20 %.
///
/// # Errors
/// When an image cannot be read or has another size than the first, or the folder of artifacts cannot be
/// written.
pub fn run<B: AutodiffBackend>(
    images: ImagesDataset,
    config: &TrainingConfig,
    artifact_dir: &Path,
    device: B::Device,
) -> Result<Evaluation, Box<dyn Error>> {
    std::fs::create_dir_all(artifact_dir)?;
    config.save(artifact_dir.join("config.json"))?;
    B::seed(config.seed);

    let (size, classes) = (images.size(), images.classes().len());
    let split = SplitDataset::shuffled(images, config.seed)?;
    let [train, valid, test] = split.fractions([0.7, 0.1, 0.2])?.map(Arc::new);
    let loader_train = DataLoaderBuilder::new(ImageBatcher::<B>::new(size, device.clone()))
        // Brighter or darker, otherwise in every epoch.
        .augment(|image: LabelledImage, random| {
            let factor = random.uniform(0.8, 1.25) as f32;
            let pixels = image.pixels.iter().map(|pixel| (pixel * factor).min(1.0)).collect();
            LabelledImage { pixels, ..image }
        })
        .batch_size(config.batch_size)
        .shuffle(config.seed)
        .num_workers(config.num_workers)
        .build(train);
    let loader_valid = DataLoaderBuilder::new(ImageBatcher::<B::InnerBackend>::new(size, device.clone()))
        .batch_size(config.batch_size)
        .num_workers(config.num_workers)
        .build(valid);
    let learner = LearnerBuilder::new(artifact_dir)
        .metric_train_numeric(AccuracyMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .devices(vec![device.clone()])
        .num_epochs(config.num_epochs)
        .build(
            CnnConfig::new(size[0], classes).init::<B>(&device),
            config.optimizer.init(),
            config.learning_rate,
        );
    let model = learner.try_fit(loader_train, loader_valid)?;
    model.clone().save_file(artifact_dir.join("model"), &CompactRecorder::new())?;
    evaluate(&model.valid(), &ImageBatcher::new(size, device), &*test, classes)
}

fn evaluate<B: Backend>(
    model: &Cnn<B>,
    batcher: &ImageBatcher<B>,
    test: &dyn Dataset<LabelledImage>,
    classes: usize,
) -> Result<Evaluation, Box<dyn Error>> {
    let (mut right, mut counts) = (0, vec![0_usize; classes]);
    let indices: Vec<usize> = (0..test.len()).collect();
    for indices in indices.chunks(256) {
        let batch = batcher.batch(test.get_many(indices)?);
        let labels = batch.targets.into_data();
        let read = model.forward(batch.images).argmax(1).into_data();
        right += read.iter::<i64>().zip(labels.iter::<i64>()).filter(|(read, label)| read == label).count();
        labels.iter::<i64>().for_each(|label| counts[label as usize] += 1);
    }
    let percent = |count: usize| 100.0 * count as f64 / test.len().max(1) as f64;
    let most = counts.into_iter().max().unwrap_or(0);
    Ok(Evaluation { images: test.len(), accuracy: percent(right), most_frequent: percent(most) })
}
