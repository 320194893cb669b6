//! Workloads of this project on the backend over candle, beside what calling candle directly takes.

use super::input::normal;
use super::{elementwise, guide, matmul, transformer};
use crate::candle::Prepare;
use burn_autodiff::Autodiff;
use burn_candle::Candle;
use burn_tensor::activation;
use std::hint::black_box;

/// The workload of this name, where it is measured on the backend.
pub(crate) fn on_candle(name: &str) -> Option<Prepare> {
    let work: Prepare = match name {
        "add 16" => || Box::new(elementwise::sum(normal::<Candle, 1>([16]), normal([16]))),
        "add 4096" => || Box::new(elementwise::sum(normal::<Candle, 2>([4096, 4096]), normal([4096, 4096]))),
        "chain in place" => || Box::new(elementwise::chain::<Candle>()),
        "gelu" => || Box::new(elementwise::gelu_on::<Candle>()),
        "matmul 256" => || Box::new(matmul::call::<Candle, 2>([256, 256], [256, 256])),
        "matmul 1024" => || Box::new(matmul::call::<Candle, 2>([1024, 1024], [1024, 1024])),
        "matmul batched" => || Box::new(matmul::call::<Candle, 3>([64, 128, 64], [64, 64, 128])),
        "softmax" => || {
            let x = normal::<Candle, 2>([4096, 1024]);
            Box::new(move || drop(black_box(activation::softmax(x.clone(), 1))))
        },
        "guide step" => || Box::new(guide::step::<Autodiff<Candle>>()),
        "transformer step" => || Box::new(transformer::step::<Autodiff<Candle>>()),
        _ => return None,
    };
    Some(work)
}
