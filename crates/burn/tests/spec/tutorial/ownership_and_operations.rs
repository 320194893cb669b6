use crate::expect::{exactly, nearly};
use burn::backend::NdArray;
use burn::tensor::{Int, Tensor};
use std::f64::consts::{E, FRAC_PI_2, LN_2};

type B = NdArray;

#[test]
fn tu_002_ownership_and_operations() {
    let device = Default::default();
    let a = Tensor::<B, 1>::from_floats([1.0, 2.0, 4.0], &device);
    let b = Tensor::<B, 1>::from_floats([8.0, 4.0, 2.0], &device);
    exactly(a.clone() + b.clone(), [9.0, 6.0, 6.0]);
    exactly(a.clone() - b.clone(), [-7.0, -2.0, 2.0]);
    exactly(a.clone() * b.clone(), [8.0, 8.0, 8.0]);
    exactly(b.clone() / a.clone(), [8.0, 2.0, 0.5]);
    exactly(a.clone() + 1.0, [2.0, 3.0, 5.0]);
    exactly(a.clone() - 1.0, [0.0, 1.0, 3.0]);
    exactly(a.clone() * 2.0, [2.0, 4.0, 8.0]);
    exactly(a.clone() / 2.0, [0.5, 1.0, 2.0]);

    nearly(a.clone().exp(), [E, E * E, E.powi(4)]);
    nearly(a.clone().log(), [0.0, LN_2, 2.0 * LN_2]);
    nearly(a.clone().sqrt(), [1.0, 2_f64.sqrt(), 2.0]);
    nearly((a.clone() * FRAC_PI_2).sin(), [1.0, 0.0, 0.0]);
    nearly(a.clone().log().tanh(), [0.0, 3.0 / 5.0, 15.0 / 17.0]);
    nearly(a.clone().powf_scalar(1.5), [1.0, 8_f64.sqrt(), 8.0]);
    exactly(a.clone().recip(), [1.0, 0.5, 0.25]);
    exactly((-a.clone()).abs(), [1.0, 2.0, 4.0]);
    exactly((a.clone() / 4.0).ceil(), [1.0, 1.0, 1.0]);
    exactly((a.clone() / 4.0).floor(), [0.0, 0.0, 1.0]);
}

#[test]
fn tu_002_matrices_and_shapes() {
    let device = Default::default();
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let y = Tensor::<B, 2>::from_data([[5.0, 6.0], [7.0, 8.0]], &device);
    exactly(x.clone().matmul(y.clone()), [[19.0, 22.0], [43.0, 50.0]]);
    exactly(x.clone().sum(), [10.0]);
    exactly(x.clone().sum_dim(0), [[4.0, 6.0]]);
    exactly(x.clone().mean(), [2.5]);
    exactly(x.clone().max(), [4.0]);
    let largest: Tensor<B, 2, Int> = y.clone().argmax(1);
    exactly(largest, [[1], [1]]);

    let flat: Tensor<B, 1> = x.clone().reshape([4]);
    exactly(flat, [1.0, 2.0, 3.0, 4.0]);
    let flat: Tensor<B, 1> = x.clone().flatten(0, 1);
    assert_eq!(flat.dims(), [4]);
    let batch: Tensor<B, 3> = x.clone().unsqueeze_dim(0);
    assert_eq!(batch.dims(), [1, 2, 2]);
    let back: Tensor<B, 2> = batch.squeeze_dim(0);
    exactly(back.clone().swap_dims(0, 1), [[1.0, 3.0], [2.0, 4.0]]);
    exactly(back.transpose(), [[1.0, 3.0], [2.0, 4.0]]);
    assert_eq!(Tensor::cat(vec![x.clone(), y.clone()], 0).dims(), [4, 2]);
    let stacked: Tensor<B, 3> = Tensor::stack(vec![x.clone(), y.clone()], 0);
    assert_eq!(stacked.dims(), [2, 2, 2]);
    exactly(x.clone().slice([0..1, 0..2]), [[1.0, 2.0]]);
    exactly(x.clone().greater(y.clone() / 2.0 - 1.0), [[false, false], [true, true]]);
    exactly(x.clone().lower_elem(3.0), [[true, true], [false, false]]);
    exactly(x.equal(y), [[false, false], [false, false]]);
}

#[test]
fn tu_002_min_max_scaling() {
    let device = Default::default();
    let x = Tensor::<B, 1>::from_floats([2.0, 4.0, 6.0, 8.0, 10.0], &device);
    let (min, max) = (x.clone().min(), x.clone().max());
    let scaled = (x - min.clone()) / (max - min);
    assert_eq!(scaled.to_data().to_string(), "[0.0, 0.25, 0.5, 0.75, 1.0]");
}

#[test]
fn tu_002_softmax_by_hand() {
    let device = Default::default();
    let logits = Tensor::<B, 2>::from_data(crate::torch::MATRIX, &device).slice([0..1]);
    let exp = logits.exp();
    let softmax = exp.clone() / exp.sum_dim(1);
    nearly(softmax, [crate::torch::SOFTMAX[0]]);
}
