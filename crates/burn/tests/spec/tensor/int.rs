//! TI: operations of Int tensors.

use crate::expect::exactly;
use crate::given::{B, CPU, int};
use burn::tensor::backend::Backend;
use burn::tensor::{DType, Distribution, Int, Tensor};

#[test]
fn ti_001_float() {
    let x = int::<1>([1, -2]).float();
    assert_eq!(x.dtype(), DType::F32);
    exactly(x / 4, [0.25, -0.5]);
}

#[test]
fn ti_002_from_ints() {
    exactly(Tensor::<B, 2, Int>::from_ints([[1, 2], [3, 4]], CPU), [[1, 2], [3, 4]]);
}

#[test]
fn ti_003_arange() {
    exactly(Tensor::<B, 1, Int>::arange(0..4, CPU), [0, 1, 2, 3]);
    exactly(Tensor::<B, 1, Int>::arange_step(0..7, 3, CPU), [0, 3, 6]);
    exactly(Tensor::<B, 1, Int>::arange_step(-4..0, 3, CPU), [-4, -1]);
}

#[test]
fn ti_004_one_hot() {
    let classes = int::<1>([0, 2]);
    exactly(classes.one_hot::<2>(3), [[1, 0, 0], [0, 0, 1]]);
    exactly(int::<2>([[1], [0]]).one_hot::<3>(2), [[[0, 1]], [[1, 0]]]);
}

#[test]
fn ti_005_int_random() {
    B::seed(5);
    let x = Tensor::<B, 2, Int>::int_random([20, 20], Distribution::Uniform(-3.0, 3.0), CPU);
    assert_eq!(x.dims(), [20, 20]);
    let values: Vec<i64> = x.into_data().iter().collect();
    assert!(values.iter().all(|x| (-3..3).contains(x)), "{values:?}");
    assert!((-3..3).all(|x| values.contains(&x)));
}

#[test]
fn ti_006_cartesian_grid() {
    exactly(Tensor::<B, 2, Int>::cartesian_grid([3], CPU), [[0], [1], [2]]);
    exactly(Tensor::<B, 3, Int>::cartesian_grid([1, 2], CPU), [[[0, 0], [0, 1]]]);
}
