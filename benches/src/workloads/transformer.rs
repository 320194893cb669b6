//! Transformers of `burn_nn` (Vaswani et al. 2017), as those of `torch.nn` are: width 256, 8 heads, 1024
//! hidden, 4 layers, norms after the sums, no dropout.

use super::input::normal;
use super::training::steps;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::loss::{MseLoss, Reduction};
use burn_nn::transformer::{
    FeedForwardActivation, TransformerDecoderConfig, TransformerDecoderInput, TransformerEncoder,
    TransformerEncoderConfig, TransformerEncoderInput,
};
use burn_tensor::{AutodiffBackend, Backend};
use std::hint::black_box;

const WIDTH: usize = 256;
const HEADS: usize = 8;
const HIDDEN: usize = 1024;
const LAYERS: usize = 4;
const LENGTH: usize = 128;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("transformer step")
            .with("NdArray", step::<Autodiff<NdArray>>)
            .at_most(0.95)
            .with("Fusion<NdArray>", step::<Autodiff<Fusion<NdArray>>>)
            .compiled(),
        Workload::new("transformer inference").with("NdArray", inference).at_most(1.0).compiled(),
        Workload::new("decoder with caches")
            .with("NdArray", decoding::<NdArray>)
            .at_most(1.0)
            .with("Fusion<NdArray>", decoding::<Fusion<NdArray>>),
    ]
}

fn encoder<B: Backend>() -> TransformerEncoder<B> {
    let config = TransformerEncoderConfig::new(WIDTH, HIDDEN, HEADS, LAYERS).with_dropout(0.0);
    config.with_activation(FeedForwardActivation::Relu).init(&B::Device::default())
}

/// 8 sequences of 128, toward random targets.
pub(super) fn step<B: AutodiffBackend>() -> impl FnMut() {
    let (x, targets) = (normal([8, LENGTH, WIDTH]), normal([8, LENGTH, WIDTH]));
    steps::<B, _>(encoder(), move |model: &TransformerEncoder<B>| {
        let y = model.forward(TransformerEncoderInput::new(x.clone()));
        MseLoss::new().forward(y, targets.clone(), Reduction::Mean)
    })
}

/// One sequence of 128.
fn inference() -> impl FnMut() {
    let (model, x) = (encoder::<NdArray>(), normal([1, LENGTH, WIDTH]));
    move || drop(black_box(model.forward(TransformerEncoderInput::new(x.clone()))))
}

/// 128 positions, one at a time, with a memory of 128.
fn decoding<B: Backend>() -> impl FnMut() {
    let device = B::Device::default();
    let config = TransformerDecoderConfig::new(WIDTH, HIDDEN, HEADS, LAYERS).with_dropout(0.0);
    let decoder = config.with_activation(FeedForwardActivation::Relu).init::<B>(&device);
    let (x, memory) = (normal([1, 1, WIDTH]), normal([1, LENGTH, WIDTH]));
    move || {
        let mut cache = decoder.new_autoregressive_cache(LENGTH);
        for _position in 0..LENGTH {
            let input = TransformerDecoderInput::new(x.clone(), memory.clone());
            drop(black_box(decoder.forward_autoregressive_inference(input, &mut cache)));
        }
        B::sync(&device);
    }
}
