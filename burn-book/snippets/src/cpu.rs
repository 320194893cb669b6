// ANCHOR: owner
use burn::prelude::*;

/// Writes over `x`, when it is the only handle.
fn next<B: Backend>(x: Tensor<B, 2>, y: Tensor<B, 2>) -> Tensor<B, 2> {
    (x * 0.5 + y).tanh()
}

/// Keeps `x`: the product needs memory of its own, the sum and the function write over that.
fn keeping<B: Backend>(x: &Tensor<B, 2>, y: Tensor<B, 2>) -> Tensor<B, 2> {
    (x.clone() * 0.5 + y).tanh()
}
// ANCHOR_END: owner

// ANCHOR: gelu
/// Five calls alone, one pass when they are fused.
fn gelu<B: Backend, const D: usize>(x: Tensor<B, D>) -> Tensor<B, D> {
    x.clone() * ((x / core::f64::consts::SQRT_2).erf() + 1.0) / 2.0
}

/// Two passes over each row when they are fused: it is read from the cache the second time.
fn softmax<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    let exponentials = (x.clone() - x.max_dim(1)).exp();
    exponentials.clone() / exponentials.sum_dim(1)
}
// ANCHOR_END: gelu

use burn::backend::{Fusion, NdArray};

#[test]
fn a_tensor_that_is_kept_is_not_written_over() {
    let x = Tensor::<NdArray, 2>::from_data([[2.0, 4.0]], &Default::default());
    let y = Tensor::from_data([[1.0, -2.0]], &Default::default());
    let kept = keeping(&x, y.clone());
    assert_eq!(x.to_data().to_f64(), [2.0, 4.0]);
    assert_eq!(kept.into_data(), next(x, y).into_data());
}

#[test]
fn fused_functions_give_the_same_bits() {
    fn both<B: Backend>() -> [TensorData; 2] {
        let x = Tensor::<B, 2>::from_data([[0.5, -1.0, 2.0], [3.0, 0.0, -0.25]], &Default::default());
        [gelu(x.clone()).into_data(), softmax(x).into_data()]
    }
    assert_eq!(both::<NdArray>(), both::<Fusion<NdArray>>());
}
