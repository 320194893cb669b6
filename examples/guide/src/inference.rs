//! The trained model at work, on a backend without gradients.

use crate::data::MnistBatcher;
use crate::model::Model;
use crate::training::TrainingConfig;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::vision::MnistItem;
use burn::prelude::*;
use burn::record::{CompactRecorder, Recorder};
use std::error::Error;
use std::path::Path;

// ANCHOR: load
/// The model that a training run left in `artifact_dir`, on any backend.
///
/// # Errors
/// When a file is missing or damaged, or belongs to another model.
pub fn load<B: Backend>(artifact_dir: &Path, device: &B::Device) -> Result<Model<B>, Box<dyn Error>> {
    let config = TrainingConfig::load(artifact_dir.join("config.json"))?;
    let record = CompactRecorder::new().load(artifact_dir.join("model"), device)?;
    Ok(config.model.init::<B>(device).load_record(record))
}
// ANCHOR_END: load

// ANCHOR: predict
/// Returns the digit that the model predicts for each image.
pub fn predict<B: Backend>(model: &Model<B>, items: Vec<MnistItem>, device: &B::Device) -> Vec<u8> {
    let batch = MnistBatcher::<B>::new(device.clone()).batch(items);
    let digits = model.forward(batch.images).argmax(1).flatten::<1>(0, 1);
    digits.into_data().iter::<u8>().collect()
}
// ANCHOR_END: predict

// ANCHOR: count
/// Counts the images of `dataset` that the model classifies correctly.
pub fn count_correct<B: Backend>(
    model: &Model<B>,
    dataset: &dyn Dataset<MnistItem>,
    device: &B::Device,
) -> usize {
    const BATCH: usize = 256;
    let mut correct = 0;
    for start in (0..dataset.len()).step_by(BATCH) {
        let items: Vec<MnistItem> =
            (start..(start + BATCH).min(dataset.len())).filter_map(|index| dataset.get(index)).collect();
        let labels: Vec<u8> = items.iter().map(|item| item.label).collect();
        let digits = predict(model, items, device);
        correct += digits.iter().zip(&labels).filter(|(digit, label)| digit == label).count();
    }
    correct
}
// ANCHOR_END: count
