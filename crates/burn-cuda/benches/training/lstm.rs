//! Long short-term memory over whole sequences.

use burn_nn::loss::{MseLoss, Reduction};
use burn_nn::{Lstm, LstmConfig};
use burn_tensor::{AutodiffBackend, Distribution, Tensor};

const BATCH: usize = 64;
const STEPS: usize = 128;
const WIDTH: usize = 512;

/// Steps toward random targets.
pub fn steps<B: AutodiffBackend>() -> impl Fn() {
    let device = B::Device::default();
    let normal = || Tensor::<B, 3>::random([BATCH, STEPS, WIDTH], Distribution::Normal(0.0, 1.0), &device);
    let (x, targets) = (normal(), normal());
    super::steps(LstmConfig::new(WIDTH, WIDTH, true).init(&device), move |model: &Lstm<B>| {
        let (y, _) = model.forward(x.clone(), None);
        MseLoss::new().forward(y, targets.clone(), Reduction::Mean)
    })
}
