use super::{Case, Outcome};
use burn::nn::attention::{
    CrossAttentionConfig, MhaInput, MhaOutput, MultiHeadAttention, MultiHeadAttentionConfig,
};
use burn::nn::lora::{self, LoraConfig};
use burn::nn::{LinearConfig, PositionalEncodingConfig, RotaryEncodingConfig};
use burn::tensor::{AutodiffBackend, Tensor};

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    let layer = case.layer();
    let attention = || case.config::<MultiHeadAttentionConfig>().init(&device);
    let positions = || case.config::<PositionalEncodingConfig>().init(&device);
    let rotary = || case.config::<RotaryEncodingConfig>();
    match layer {
        "MultiHeadAttention" => case.check(attention(), |layer| layer.forward(input(case)).context),
        "MultiHeadAttentionCausal" => {
            case.check(attention(), |layer| layer.forward(input(case).causal()).context)
        }
        "MultiHeadAttentionWeights" => {
            case.check(attention(), |layer| both(layer.forward(input(case).need_weights())))
        }
        "MultiHeadAttentionCausalWeights" => {
            case.check(attention(), |layer| both(layer.forward(input(case).causal().need_weights())))
        }
        "SelfAttention" => case.check(attention(), |layer| layer.forward(own(case)).context),
        "SelfAttentionCausal" => case.check(attention(), |layer| layer.forward(own(case).causal()).context),
        "SelfAttentionWeights" => {
            case.check(attention(), |layer| both(layer.forward(own(case).need_weights())))
        }
        "SelfAttentionCausalRotary" => case.check(attention(), |layer| rotated(case, layer, true)),
        "SelfAttentionCausalRotaryHalves" => case.check(attention(), |layer| rotated(case, layer, false)),
        "CrossAttention" => case.check(case.config::<CrossAttentionConfig>().init(&device), |layer| {
            let pad = case.has_input("pad").then(|| case.bool("pad"));
            layer.forward(case.float("query"), case.float("context"), pad)
        }),
        "PositionalEncoding" => case.check(positions(), |layer| layer.forward(case.float("x"))),
        "PositionalEncodingFrom2" => case.check(positions(), |layer| layer.apply(case.float("x"), 2)),
        "RotaryEncoding" => case.check(rotary().init(&device), |layer| layer.forward(case.float::<4>("x"))),
        "RotaryEncodingFrom3" => {
            case.check(rotary().init(&device), |layer| layer.apply(case.float::<4>("x"), 3))
        }
        "RotaryEncodingScaled" => {
            let slower = |frequency: f64| if frequency < 0.1 { frequency / 4.0 } else { frequency };
            let layer = rotary().init_with_frequency_scaling(&slower, &device);
            case.check(layer, |layer| layer.forward(case.float::<4>("x")))
        }
        "LoraLinear" => case
            .check(case.config::<LoraConfig>().apply(LinearConfig::new(4, 3).init(&device)), |layer| {
                layer.forward(case.float::<3>("x"))
            }),
        "LoraLinearMerged" => case
            .check(case.config::<LoraConfig>().apply(LinearConfig::new(4, 3).init(&device)), |layer| {
                lora::merge(layer.clone()).forward(case.float::<3>("x"))
            }),
        "LoraAttention" => {
            let base = MultiHeadAttentionConfig::new(4, 2).with_dropout(0.0).init(&device);
            case.check(case.config::<LoraConfig>().apply(base), |layer| layer.forward(own(case)).context)
        }
        other => panic!("no layer {other}"),
    }
}

fn masked<B: AutodiffBackend>(case: &Case<'_, B>, input: MhaInput<B>) -> MhaInput<B> {
    let input = case.mask(input, "pad", Case::bool, MhaInput::mask_pad);
    let input = case.mask(input, "attn", Case::bool, MhaInput::mask_attn);
    case.mask(input, "add", Case::float, MhaInput::mask_add)
}

fn input<B: AutodiffBackend>(case: &Case<'_, B>) -> MhaInput<B> {
    masked(case, MhaInput::new(case.float("query"), case.float("key"), case.float("value")))
}

fn own<B: AutodiffBackend>(case: &Case<'_, B>) -> MhaInput<B> {
    masked(case, MhaInput::self_attn(case.float("x")))
}

fn both<B: AutodiffBackend>(output: MhaOutput<B>) -> (Tensor<B, 3>, Tensor<B, 4>) {
    (output.context, output.weights.expect("weights were asked for"))
}

fn rotated<B: AutodiffBackend>(
    case: &Case<'_, B>,
    layer: &MultiHeadAttention<B>,
    interleaved: bool,
) -> Tensor<B, 3> {
    let rotary =
        RotaryEncodingConfig::new(4, layer.d_head).with_interleaved(interleaved).init(&case.device());
    layer.forward(own(case).causal().rotary(&rotary)).context
}
