use burn::backend::{Autodiff, NdArray};
use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::lora::{self, LoraConfig};
use burn::nn::transformer::{
    FeedForwardActivation, TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput,
};
use burn::nn::{RotaryEncoding, RotaryEncodingConfig};
use burn::prelude::*;
use burn::record::{BinFileRecorder, FullPrecisionSettings, Recorder};

#[test]
fn masks_add_up() {
    let device = Default::default();
    // ANCHOR: masks
    let config = MultiHeadAttentionConfig::new(64, 8).with_n_key_value_heads(Some(2));
    let layer: MultiHeadAttention<NdArray> = config.init(&device);
    let x = Tensor::<NdArray, 3>::ones([2, 3, 64], &device);
    let padding =
        Tensor::<NdArray, 2, Bool>::from_data([[false, false, true], [false, false, false]], &device);
    let output = layer.forward(MhaInput::self_attn(x).mask_pad(padding).causal());
    assert_eq!(output.context.dims(), [2, 3, 64]);
    // ANCHOR_END: masks
}

#[test]
fn a_model_decodes_with_a_cache() {
    let device = Default::default();
    // ANCHOR: encoder
    let config = TransformerEncoderConfig::new(64, 256, 8, 4)
        .with_norm_first(true)
        .with_final_norm(true)
        .with_activation(FeedForwardActivation::Silu)
        .with_gated_feed_forward(true);
    let model: TransformerEncoder<NdArray> = config.init(&device);
    let rotary: RotaryEncoding<NdArray> = RotaryEncodingConfig::new(128, 8).init(&device);
    let x = Tensor::<NdArray, 3>::ones([1, 5, 64], &device);
    let y = model.forward(TransformerEncoderInput::new(x).causal().rotary(&rotary));
    // ANCHOR_END: encoder
    let x = Tensor::<NdArray, 3>::ones([1, 5, 64], &device);
    let (prompt, next) = (x.clone().narrow(1, 0, 4), x.narrow(1, 4, 1));
    // ANCHOR: decode
    let mut cache = model.new_autoregressive_cache(128);
    let input = |x| TransformerEncoderInput::new(x).rotary(&rotary);
    let prompt = model.forward_autoregressive_inference(input(prompt), &mut cache); // [1, 4, 64]
    let token = model.forward_autoregressive_inference(input(next), &mut cache); // [1, 1, 64]
    // ANCHOR_END: decode
    assert_eq!(prompt.dims(), [1, 4, 64]);
    assert!(token.all_close(y.narrow(1, 4, 1), Some(1e-4), Some(1e-5)));
}

#[test]
fn adapters_are_trained_saved_and_merged() -> Result<(), Box<dyn std::error::Error>> {
    let device = Default::default();
    let file = std::env::temp_dir().join(format!("burn-book-adapters-{}", std::process::id()));
    let base: TransformerEncoder<Autodiff<NdArray>> =
        TransformerEncoderConfig::new(16, 32, 2, 2).init(&device);
    // ANCHOR: adapters
    let targets = vec!["mha.query".to_string(), "mha.value".to_string()];
    let model = LoraConfig::new(8).with_alpha(16.0).with_targets(targets).apply(base.clone());
    // Train as any model; then keep the adapters alone.
    let recorder = BinFileRecorder::<FullPrecisionSettings>::new();
    recorder.record(lora::record(&model), file.clone())?;

    let adapted = lora::try_load(base, recorder.load(file.clone(), &device)?)?;
    let for_inference = lora::merge(adapted);
    // ANCHOR_END: adapters
    std::fs::remove_file(file.with_extension("bin"))?;
    assert_eq!(for_inference.num_params(), model.num_params());
    Ok(())
}
