//! A sum of 400 MB on each rank.

use crate::tensors::B;
use burn::collective::{Communicator, Reduction};
use burn::tensor::{DType, Tensor, TensorData};

const COUNT: usize = 100_000_000;
/// Elements after which numbers come again.
const PERIOD: usize = 1000;

/// Sums a tensor of `f32` over two ranks: element `i` of rank `r` is `i % 1000 * (r + 1)`, so that of the sum
/// is
/// `i % 1000 * 3`, which `f32` has exactly.
pub fn sum_a_hundred_million_elements(group: &Communicator) {
    assert_eq!(group.world_size(), 2);
    let pattern = |factor: usize| (0..PERIOD).map(|at| (at * factor) as f32).collect::<Vec<f32>>();
    let data = TensorData::new(pattern(group.rank() + 1).repeat(COUNT / PERIOD), [COUNT]);
    let x = Tensor::<B, 1>::from_data(data, (&Default::default(), DType::F32));
    let sum = group.all_reduce(x, Reduction::Sum).unwrap().into_data();
    assert_eq!((sum.dtype, sum.as_bytes().len()), (DType::F32, COUNT * 4));
    let expected = TensorData::new(pattern(3), [PERIOD]);
    let expected = expected.as_bytes();
    let wrong = sum.as_bytes().chunks(expected.len()).position(|chunk| chunk != expected);
    assert_eq!(wrong, None, "the first wrong thousand elements");
}
