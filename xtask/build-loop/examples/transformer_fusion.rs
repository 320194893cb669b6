//! A 30-line program that trains a transformer, with gradients and fusion, to time its build.

use burn_autodiff::Autodiff;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::loss::{MseLoss, Reduction};
use burn_nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn_optim::{AdamConfig, GradientsParams, Optimizer};
use burn_tensor::{Distribution, Tensor};

type Stack = Autodiff<Fusion<NdArray>>;

fn main() {
    let device = Default::default();
    let random = || Tensor::<Stack, 3>::random([4, 8, 16], Distribution::Normal(0.0, 1.0), &device);
    let mut model: TransformerEncoder<Stack> = TransformerEncoderConfig::new(16, 32, 2, 2).init(&device);
    let mut optimizer = AdamConfig::new().init();
    let (x, targets) = (random(), random());
    for step in 0..3 {
        let y = model.forward(TransformerEncoderInput::new(x.clone()).causal());
        let loss = MseLoss::new().forward(y, targets.clone(), Reduction::Mean);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(1e-3, model, gradients);
        println!("{step}: {loss:.3}");
    }
}
