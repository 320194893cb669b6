use super::{Case, Outcome};
use burn::nn::RotaryEncodingConfig;
use burn::nn::transformer::{
    PositionWiseFeedForwardConfig, TransformerDecoderConfig, TransformerDecoderInput,
    TransformerEncoderConfig, TransformerEncoderInput,
};
use burn::tensor::AutodiffBackend;

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    let encoder = || case.config::<TransformerEncoderConfig>().init(&device);
    let decoder = || case.config::<TransformerDecoderConfig>().init(&device);
    match case.layer() {
        "PositionWiseFeedForward" => case
            .check(case.config::<PositionWiseFeedForwardConfig>().init(&device), |layer| {
                layer.forward(case.float::<3>("x"))
            }),
        "TransformerEncoder" => case.check(encoder(), |layer| layer.forward(encoder_input(case))),
        "TransformerEncoderCausal" => {
            case.check(encoder(), |layer| layer.forward(encoder_input(case).causal()))
        }
        "TransformerDecoder" => case.check(decoder(), |layer| layer.forward(decoder_input(case))),
        "TransformerDecoderCausal" => {
            case.check(decoder(), |layer| layer.forward(decoder_input(case).causal()))
        }
        "TransformerEncoderCausalRotary" => {
            let rotary = RotaryEncodingConfig::new(3, 2).init(&device);
            case.check(encoder(), |layer| layer.forward(encoder_input(case).causal().rotary(&rotary)))
        }
        "TransformerDecoderCausalRotary" => {
            let rotary = RotaryEncodingConfig::new(3, 2).init(&device);
            case.check(decoder(), |layer| layer.forward(decoder_input(case).causal().rotary(&rotary)))
        }
        other => panic!("no layer {other}"),
    }
}

fn encoder_input<B: AutodiffBackend>(case: &Case<'_, B>) -> TransformerEncoderInput<B> {
    let mut input = TransformerEncoderInput::new(case.float("x"));
    if case.has_input("pad") {
        input = input.mask_pad(case.bool("pad"));
    }
    if case.has_input("attn") {
        input = input.mask_attn(case.bool("attn"));
    }
    if case.has_input("add") {
        input = input.mask_add(case.float("add"));
    }
    input
}

fn decoder_input<B: AutodiffBackend>(case: &Case<'_, B>) -> TransformerDecoderInput<B> {
    let mut input = TransformerDecoderInput::new(case.float("target"), case.float("memory"));
    if case.has_input("target_pad") {
        input = input.target_mask_pad(case.bool("target_pad"));
    }
    if case.has_input("target_attn") {
        input = input.target_mask_attn(case.bool("target_attn"));
    }
    if case.has_input("target_add") {
        input = input.target_mask_add(case.float("target_add"));
    }
    if case.has_input("memory_add") {
        input = input.memory_mask_add(case.float("memory_add"));
    }
    if case.has_input("memory_pad") {
        input = input.memory_mask_pad(case.bool("memory_pad"));
    }
    if case.has_input("memory_attn") {
        input = input.memory_mask_attn(case.bool("memory_attn"));
    }
    input
}
