//! Tensors of the tests.

use burn::backend::NdArray;
use burn::collective::{CollectiveError, Communicator, Local};
use burn::tensor::{Tensor, TensorData};

pub type B = NdArray<f64>;
pub type Outcome<T> = Result<T, CollectiveError>;

/// Numbers of ranks of the tests.
pub const WORLD_SIZES: [usize; 5] = [1, 2, 3, 4, 8];

/// Runs a program of ranks that all succeed.
pub fn run<R: Send>(ranks: usize, program: impl Fn(&Communicator) -> Outcome<R> + Sync) -> Vec<R> {
    let results = Local::run(ranks, |communicator| program(&communicator)).unwrap();
    results.into_iter().map(|result| result.unwrap_or_else(|error| panic!("{error}"))).collect()
}

pub fn vector(values: &[f64]) -> Tensor<B, 1> {
    Tensor::from_data(TensorData::new(values, [values.len()]), &Default::default())
}

pub fn values<const D: usize>(x: Tensor<B, D>) -> Vec<f64> {
    x.into_data().to_f64()
}

/// Numbers whose sums depend on their order.
pub fn numbers(rank: usize, count: usize) -> Vec<f64> {
    (0..count).map(|at| ((rank * 31 + at * 7 + 1) as f64).sin() * 10_f64.powi((at % 5) as i32 * 3)).collect()
}

/// Bits of numbers: NaN equals itself.
pub fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Matrix of numbers in `[-1, 1]` that differs for each `from`.
pub fn table(rows: usize, columns: usize, from: usize) -> Tensor<B, 2> {
    let numbers: Vec<f64> = (0..rows * columns).map(|at| ((at * 7 + from) as f64).sin()).collect();
    vector(&numbers).reshape([rows, columns])
}
