//! A 30-line program with gradients on a GPU, to time its build. It needs no `recursion_limit`.

#[path = "../../build-loop/examples/mlp/train.rs"]
mod train;

use burn_autodiff::Autodiff;
use burn_wgpu::Wgpu;

fn main() {
    train::run::<Autodiff<Wgpu>>();
}
