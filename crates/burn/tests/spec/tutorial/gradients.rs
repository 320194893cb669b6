use crate::expect::nearly;
use burn::backend::{Autodiff, NdArray};
use burn::tensor::Tensor;

type TrainBackend = Autodiff<NdArray>;

#[test]
fn tu_003_gradients() {
    let device = Default::default();
    let x = Tensor::<TrainBackend, 1>::from_floats([1.0, 2.0, 3.0], &device).require_grad();
    let y = x.clone().powf_scalar(2.0).sum();
    let grads = y.backward();
    nearly(x.grad(&grads).unwrap(), [2.0, 4.0, 6.0]);
}

#[test]
fn tu_003_the_loss_of_a_dot_product() {
    let device = Default::default();
    let x = Tensor::<TrainBackend, 1>::from_floats([1.0, 2.0, 3.0], &device);
    let w = Tensor::<TrainBackend, 1>::from_floats([0.5, -0.5, 1.0], &device).require_grad();
    let prediction = (x * w.clone()).sum();
    let loss = (prediction - 1.0).powf_scalar(2.0);
    let grads = loss.backward();
    // The prediction is 2.5, so the gradient is 2 (2.5 - 1) x.
    nearly(w.grad(&grads).unwrap(), [3.0, 6.0, 9.0]);
}
