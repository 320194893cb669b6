use crate::{Model, ModelConfig, ModelRecord, data_file};
use burn::module::Module;
use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder, RecordError, Recorder};
use burn::tensor::Backend;
use burn_import::pytorch::{LoadArgs, PyTorchFileRecorder, config_from_file};
use std::path::Path;

/// Reads the settings in the checkpoint.
///
/// # Errors
/// The checkpoint is not there, or has other settings.
pub fn config() -> Result<ModelConfig, RecordError> {
    config_from_file(data_file("digits.pt"), Some("config"))
}

/// Loads the network from the checkpoint.
///
/// # Errors
/// The checkpoint is not there, or is of another network.
pub fn load<B: Backend>(config: &ModelConfig, device: &B::Device) -> Result<Model<B>, RecordError> {
    // The layers of PyTorch's `Sequential` have numbers, the fields here have names.
    let args = LoadArgs::new(data_file("digits.pt"))
        .with_top_level_key("model_state_dict")
        .with_key_remap(r"^features\.0\.", "conv1.")
        .with_key_remap(r"^features\.1\.", "norm1.")
        .with_key_remap(r"^features\.4\.", "conv2.")
        .with_key_remap(r"^features\.5\.", "norm2.");
    let record: ModelRecord<B> =
        PyTorchFileRecorder::<FullPrecisionSettings>::default().load(args, device)?;
    config.init::<B>(device).try_load_record(record)
}

/// Saves the network as named MessagePack, to be loaded without this program's way around.
///
/// # Errors
/// The file cannot be written.
pub fn convert<B: Backend>(model: &Model<B>, path: &Path) -> Result<(), RecordError> {
    model.save_file(path, &NamedMpkFileRecorder::<FullPrecisionSettings>::new())
}
