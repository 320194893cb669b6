//! Workloads of this project on the backend over LibTorch, beside what calling `tch` directly takes.

use super::input::normal;
use super::{elementwise, guide, matmul, transformer};
use crate::candle::Prepare;
use burn_autodiff::Autodiff;
use burn_tch::{LibTorch, tch};
use burn_tensor::activation;
use std::hint::black_box;

/// The workload of this name, where it is measured on the backend.
pub(crate) fn on_libtorch(name: &str) -> Option<Prepare> {
    let work: Prepare = match name {
        "add 16" => || Box::new(elementwise::sum(normal::<LibTorch, 1>([16]), normal([16]))),
        "add 4096" => {
            || Box::new(elementwise::sum(normal::<LibTorch, 2>([4096, 4096]), normal([4096, 4096])))
        }
        "chain in place" => || Box::new(elementwise::chain::<LibTorch>()),
        "gelu" => || Box::new(elementwise::gelu_on::<LibTorch>()),
        "matmul 256" => || Box::new(matmul::call::<LibTorch, 2>([256, 256], [256, 256])),
        "matmul 1024" => || Box::new(matmul::call::<LibTorch, 2>([1024, 1024], [1024, 1024])),
        "matmul batched" => || Box::new(matmul::call::<LibTorch, 3>([64, 128, 64], [64, 64, 128])),
        "softmax" => || {
            let x = normal::<LibTorch, 2>([4096, 1024]);
            Box::new(move || drop(black_box(activation::softmax(x.clone(), 1))))
        },
        "guide step" => || Box::new(guide::step::<Autodiff<LibTorch>>()),
        "transformer step" => || Box::new(transformer::step::<Autodiff<LibTorch>>()),
        _ => return None,
    };
    Some(work)
}

/// The same by `tch` alone.
pub(crate) fn by_tch(name: &str) -> Option<Prepare> {
    let work: Prepare = match name {
        "add 16" => || {
            let normal = || tch::Tensor::randn([16], (tch::Kind::Float, tch::Device::Cpu));
            let (x, y) = (normal(), normal());
            Box::new(move || drop(black_box(x.f_add(&y).expect("the shapes are the same"))))
        },
        _ => return None,
    };
    Some(work)
}
