//! A 30-line program with gradients and fusion, to time its build.

#[path = "mlp/train.rs"]
mod train;

use burn_autodiff::Autodiff;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;

fn main() {
    train::run::<Autodiff<Fusion<NdArray>>>();
}
