//! Checks of `relu(lhs @ rhs + bias)` as an operation that a program adds to its backends, beside the same
//! from three operations of another backend.

use burn_backend::{TensorData, Tolerance};
use burn_tensor::{AutodiffBackend, Backend, Tensor, activation};

/// Shapes of the factors and the bias: one matrix, several, some that are used for all of them.
const SHAPES: [[[usize; 3]; 3]; 5] = [
    [[1, 4, 3], [1, 3, 5], [1, 4, 5]],
    [[2, 17, 33], [2, 33, 18], [2, 17, 18]],
    [[1, 5, 7], [3, 7, 6], [1, 1, 6]],
    [[3, 5, 7], [1, 7, 6], [3, 1, 1]],
    [[2, 1, 1], [2, 1, 40], [1, 1, 1]],
];

/// The operation on tensors of one backend.
pub type Operation<B> = fn(Tensor<B, 3>, Tensor<B, 3>, Tensor<B, 3>) -> Tensor<B, 3>;

fn composed<B: Backend>(lhs: Tensor<B, 3>, rhs: Tensor<B, 3>, bias: Tensor<B, 3>) -> Tensor<B, 3> {
    activation::relu(lhs.matmul(rhs) + bias)
}

/// Returns numbers of both signs, none of them twice.
pub fn tensor<B: Backend>(shape: [usize; 3], seed: f32, device: &B::Device) -> Tensor<B, 3> {
    let values: Vec<f32> = (0..shape.iter().product()).map(|i| (i as f32 * 0.37 + seed).sin()).collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

fn operands<B: Backend>(shapes: [[usize; 3]; 3], device: &B::Device) -> [Tensor<B, 3>; 3] {
    [0, 1, 2].map(|k| tensor(shapes[k], k as f32, device))
}

#[track_caller]
fn assert_close(found: &TensorData, expected: &TensorData) {
    found.assert_approx_eq::<f64>(expected, Tolerance::rel_abs(1e-5, 1e-5));
}

/// # Panics
/// When results of `custom` are not those of three operations on `R`.
#[track_caller]
pub fn check_results<B: Backend, R: Backend>(custom: Operation<B>, device: &B::Device) {
    for shapes in SHAPES {
        let [lhs, rhs, bias] = operands::<B>(shapes, device);
        let found = custom(lhs, rhs, bias);
        let [lhs, rhs, bias] = operands::<R>(shapes, &Default::default());
        assert_close(&found.into_data(), &composed(lhs, rhs, bias).into_data());
    }
}

/// Computes the gradients of a weighted sum of the results, each result with a different weight.
fn gradients<B: AutodiffBackend>(
    shapes: [[usize; 3]; 3],
    device: &B::Device,
    operation: Operation<B>,
) -> [TensorData; 3] {
    let operands = operands::<B>(shapes, device).map(Tensor::require_grad);
    let [lhs, rhs, bias] = operands.clone();
    let result = operation(lhs, rhs, bias);
    let weight = tensor::<B>(result.dims(), 9.0, device);
    let gradients = (result * weight).sum().backward();
    operands.map(|x| x.grad(&gradients).expect("the sum depends on it").into_data())
}

/// # Panics
/// When gradients of `custom` are not those of three operations on `R`.
#[track_caller]
pub fn check_gradients<B: AutodiffBackend, R: AutodiffBackend>(custom: Operation<B>, device: &B::Device) {
    for shapes in SHAPES {
        let found = gradients::<B>(shapes, device, custom);
        let expected = gradients::<R>(shapes, &Default::default(), composed);
        found.iter().zip(&expected).for_each(|(found, expected)| assert_close(found, expected));
    }
}

/// # Panics
/// When the result of `custom` on transposed, sliced and flipped operands is not that of three operations on
/// `R`.
#[track_caller]
pub fn check_views<B: Backend, R: Backend>(custom: Operation<B>, device: &B::Device) {
    fn views<B: Backend>(device: &B::Device) -> [Tensor<B, 3>; 3] {
        let lhs = tensor::<B>([2, 6, 5], 0.0, device).swap_dims(1, 2);
        let rhs = tensor::<B>([4, 6, 8], 1.0, device).slice([1..3, 0..6, 2..7]);
        [lhs, rhs, tensor::<B>([2, 5, 5], 2.0, device).flip([2])]
    }
    let [lhs, rhs, bias] = views::<B>(device);
    let found = custom(lhs, rhs, bias);
    let [lhs, rhs, bias] = views::<R>(&Default::default());
    assert_close(&found.into_data(), &composed(lhs, rhs, bias).into_data());
}
