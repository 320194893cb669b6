//! Single operations in candle, and short chains of them.

use candle_core::{Device, Result, Tensor, Var};
use candle_nn::ops::softmax_last_dim;
use std::f64::consts::SQRT_2;
use std::hint::black_box;

pub(super) fn normal(shape: &[usize]) -> Tensor {
    Tensor::randn(0f32, 1.0, shape, &Device::Cpu).expect("fits into memory")
}

/// Integers below `bound`.
pub(super) fn below(bound: f32, shape: &[usize]) -> Tensor {
    let numbers = Tensor::rand(0f32, bound, shape, &Device::Cpu);
    numbers.and_then(|x| x.to_dtype(candle_core::DType::U32)).expect("fits into memory")
}

/// The call that is timed; shapes are known to fit.
pub(super) fn timed<T>(function: impl Fn() -> Result<T> + 'static) -> Box<dyn FnMut()> {
    Box::new(move || drop(black_box(function().expect("shapes fit"))))
}

pub(super) fn unary(
    shape: &[usize],
    function: impl Fn(&Tensor) -> Result<Tensor> + 'static,
) -> Box<dyn FnMut()> {
    let x = normal(shape);
    timed(move || function(&x))
}

pub(super) fn binary(
    shape: &[usize],
    function: impl Fn(&Tensor, &Tensor) -> Result<Tensor> + 'static,
) -> Box<dyn FnMut()> {
    let (x, y) = (normal(shape), normal(shape));
    timed(move || function(&x, &y))
}

pub(super) fn product(lhs: &[usize], rhs: &[usize]) -> Box<dyn FnMut()> {
    let (x, y) = (normal(lhs), normal(rhs));
    timed(move || x.matmul(&y))
}

/// Candle never writes over an operand.
pub(super) fn chain() -> Box<dyn FnMut()> {
    let (mut x, y) = (normal(&[1024, 1024]), normal(&[1024, 1024]));
    Box::new(move || {
        for _ in 0..4 {
            x = (&x * 0.5).and_then(|x| x + &y).and_then(|x| x.relu()).expect("same shapes");
        }
    })
}

pub(super) fn gelu(x: &Tensor) -> Result<Tensor> {
    x * (((x / SQRT_2)?.erf()? + 1.0)? / 2.0)?
}

/// With a bias.
pub(super) fn conv(x: &[usize], weight: &[usize], padding: usize, groups: usize) -> Box<dyn FnMut()> {
    let (x, weight, bias) = (normal(x), normal(weight), normal(&[1, weight[0], 1, 1]));
    timed(move || x.conv2d(&weight, padding, 1, 1, groups)?.broadcast_add(&bias))
}

/// Forward and backward: the gradients by input, weight and bias.
pub(super) fn conv_step() -> Box<dyn FnMut()> {
    let shapes: [&[usize]; 3] = [&[8, 64, 56, 56], &[64, 64, 3, 3], &[1, 64, 1, 1]];
    let [x, weight, bias] = shapes.map(|shape| Var::from_tensor(&normal(shape)).expect("fits into memory"));
    timed(move || x.conv2d(&weight, 1, 1, 1, 1)?.broadcast_add(&bias)?.sum_all()?.backward())
}

pub(super) fn gather() -> Box<dyn FnMut()> {
    let (x, indices) = (normal(&[4096, 1024]), below(1024.0, &[4096, 1024]));
    timed(move || x.gather(&indices, 1))
}

pub(super) fn select() -> Box<dyn FnMut()> {
    let (x, indices) = (normal(&[32768, 256]), below(32768.0, &[4096]));
    timed(move || x.index_select(&indices, 0))
}

pub(super) fn attention() -> Box<dyn FnMut()> {
    let [query, key, value] = [0, 1, 2].map(|_| normal(&[8, 8, 512, 64]));
    timed(move || softmax_last_dim(&(query.matmul(&key.t()?)? * 0.125)?)?.matmul(&value))
}
