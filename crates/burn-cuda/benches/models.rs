//! Times of whole steps of training. As `bars`, a line of name and microseconds for each.

#[path = "../tests/device/mod.rs"]
mod device;
mod training;

use burn_autodiff::Autodiff;
use burn_backend::Backend;
use burn_conformance::times;
use burn_cuda::{Cuda, allow_tf32};
use burn_fusion::Fusion;
use half::bf16;

type Full = Autodiff<Fusion<Cuda>>;
type Half = Autodiff<Fusion<Cuda<bf16>>>;

/// The time of a step, after some that are not counted.
fn report<B: Backend, S: Fn()>(name: &str, steps: fn() -> S) {
    if !times::is_wanted(name) {
        return;
    }
    let step = steps();
    // The queue cuts steps at other operations each time, so the first ones have kernels that are compiled.
    (0..20).for_each(|_| step());
    times::report::<B>(name, &B::Device::default(), &|| {
        step();
        Vec::new()
    });
}

fn main() {
    device::require();
    report::<Full, _>("lstm step f32", training::lstm::steps::<Full>);
    allow_tf32(true);
    report::<Full, _>("lstm step tf32", training::lstm::steps::<Full>);
    report::<Full, _>("guide step", training::guide::steps::<Full>);
    report::<Full, _>("encoder step tf32", training::encoder::steps::<Full>);
    report::<Half, _>("encoder step bf16", training::encoder::steps::<Half>);
    report::<Full, _>("nn encoder step tf32", training::nn_encoder::steps::<Full>);
    report::<Half, _>("nn encoder step bf16", training::nn_encoder::steps::<Half>);
}
