//! A network from safetensors, whose last layer is trained for another task.

use burn::backend::{Autodiff, NdArray};
use burn::module::AutodiffModule;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::record::RecordError;
use burn::tensor::{Backend, Int, Tensor};
use burn::weights::{LoadReport, Strictness};
use burn_import::{LoadArgs, safetensors};
use pytorch_import::{Model, ModelConfig, data_file, digits};
use std::path::Path;

/// The backend of the example, with gradients.
pub type B = Autodiff<NdArray>;

/// Number of images that the last layer is trained on; the rest of 200 are for validation.
pub const TRAINED: usize = 150;

/// Settings of the network for two classes.
pub fn config() -> ModelConfig {
    ModelConfig::new([8, 16], 3, 2, 0.0, 0.0625)
}

/// Loads what fits of the network for ten classes into one for two, and reports what does not.
///
/// # Errors
/// The file is not there or is damaged.
pub fn load(device: &<B as Backend>::Device) -> Result<(Model<B>, LoadReport), RecordError> {
    let args = LoadArgs::new(data_file("digits.safetensors"))
        .with_key_remap(r"^features\.0\.", "conv1.")
        .with_key_remap(r"^features\.1\.", "norm1.")
        .with_key_remap(r"^features\.4\.", "conv2.")
        .with_key_remap(r"^features\.5\.", "norm2.");
    safetensors::open(args)?.load_into(config().init(device), Strictness::Lenient)
}

/// Trains the last layer to classify digits as even or odd, and returns the network and the number of
/// held-out digits that it classifies correctly. The convolutions stay unchanged.
///
/// # Errors
/// The digits are not there.
pub fn train(mut model: Model<B>, device: &<B as Backend>::Device) -> Result<(Model<B>, i64), RecordError> {
    let digits = digits::<NdArray>(0.0625, device)?;
    let parity = digits.labels.remainder_scalar(2);
    let features = model.valid().features(digits.images.clone());
    let (trained, rest) = (0..TRAINED, TRAINED..200);
    let inputs = Tensor::<B, 2>::from_inner(features.slice([trained.clone()]));
    let targets = Tensor::<B, 1, Int>::from_inner(parity.clone().slice([trained]));

    let loss = CrossEntropyLossConfig::new().init(device);
    let mut optimizer = AdamConfig::new().init();
    for _ in 0..200 {
        let logits = model.classifier.forward(inputs.clone());
        let gradients = loss.forward(logits, targets.clone()).backward();
        let gradients = GradientsParams::from_grads(gradients, &model.classifier);
        model.classifier = optimizer.step(0.02, model.classifier, gradients);
    }
    let images = digits.images.slice([rest.clone()]);
    let classes = model.valid().forward(images).argmax(1).reshape([-1]);
    Ok((model, classes.equal(parity.slice([rest])).int().sum().into_scalar()))
}

/// Saves the network with PyTorch's names of parameters.
///
/// # Errors
/// The file cannot be written.
pub fn save(model: &Model<B>, path: &Path) -> Result<(), RecordError> {
    safetensors::save(model, path)
}
