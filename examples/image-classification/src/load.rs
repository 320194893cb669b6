use crate::EfficientNetLite0;
use burn::record::RecordError;
use burn::tensor::Backend;
use burn::weights::Strictness;
use burn_import::{LoadArgs, pytorch};
use std::path::Path;

// ANCHOR: load
/// Loads the network with the weights at `path`.
///
/// # Errors
/// The file is not there, or is of another network.
pub fn load<B: Backend>(path: &Path, device: &B::Device) -> Result<EfficientNetLite0<B>, RecordError> {
    let args = LoadArgs::new(path.into())
        .with_key_remap(r"^_conv_stem\.", "stem.conv.")
        .with_key_remap(r"^_bn0\.", "stem.norm.")
        .with_key_remap(r"^_conv_head\.", "head.conv.")
        .with_key_remap(r"^_bn1\.", "head.norm.")
        .with_key_remap(r"^_fc\.", "classifier.")
        .with_key_remap(r"^_blocks\.", "blocks.")
        .with_key_remap(r"\._expand_conv\.", ".expand.conv.")
        .with_key_remap(r"\._bn0\.", ".expand.norm.")
        .with_key_remap(r"\._depthwise_conv\.", ".depthwise.conv.")
        .with_key_remap(r"\._bn1\.", ".depthwise.norm.")
        .with_key_remap(r"\._project_conv\.", ".project.conv.")
        .with_key_remap(r"\._bn2\.", ".project.norm.");
    let (model, _) = pytorch::open(args)?.load_into(EfficientNetLite0::new(device), Strictness::Strict)?;
    Ok(model)
}
// ANCHOR_END: load
