//! The encoder of `encoder`, as the layer of `burn-nn`.

use super::encoder::{BATCH, HEADS, HIDDEN, LAYERS, LENGTH, WIDTH};
use burn_nn::loss::{MseLoss, Reduction};
use burn_nn::transformer::{
    FeedForwardActivation, TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput,
};

use burn_tensor::{AutodiffBackend, Distribution, Tensor};

/// Steps toward random targets.
pub fn steps<B: AutodiffBackend>() -> impl Fn() {
    let device = B::Device::default();
    let normal = || Tensor::<B, 3>::random([BATCH, LENGTH, WIDTH], Distribution::Normal(0.0, 1.0), &device);
    let (x, targets) = (normal(), normal());
    let config = TransformerEncoderConfig::new(WIDTH, HIDDEN, HEADS, LAYERS)
        .with_dropout(0.0)
        .with_activation(FeedForwardActivation::Relu);
    super::steps(config.init(&device), move |model: &TransformerEncoder<B>| {
        let y = model.forward(TransformerEncoderInput::new(x.clone()));
        MseLoss::new().forward(y, targets.clone(), Reduction::Mean)
    })
}
