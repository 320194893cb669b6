//! A 30-line program with gradients, to time its build.

#[path = "mlp/train.rs"]
mod train;

use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;

fn main() {
    train::run::<Autodiff<NdArray>>();
}
