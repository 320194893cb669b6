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
    type Input<B> = TransformerEncoderInput<B>;
    let input = Input::new(case.float("x"));
    let input = case.mask(input, "pad", Case::bool, Input::mask_pad);
    let input = case.mask(input, "attn", Case::bool, Input::mask_attn);
    case.mask(input, "add", Case::float, Input::mask_add)
}

fn decoder_input<B: AutodiffBackend>(case: &Case<'_, B>) -> TransformerDecoderInput<B> {
    type Input<B> = TransformerDecoderInput<B>;
    let input = Input::new(case.float("target"), case.float("memory"));
    let input = case.mask(input, "target_pad", Case::bool, Input::target_mask_pad);
    let input = case.mask(input, "target_attn", Case::bool, Input::target_mask_attn);
    let input = case.mask(input, "target_add", Case::float, Input::target_mask_add);
    let input = case.mask(input, "memory_add", Case::float, Input::memory_mask_add);
    let input = case.mask(input, "memory_pad", Case::bool, Input::memory_mask_pad);
    case.mask(input, "memory_attn", Case::bool, Input::memory_mask_attn)
}
