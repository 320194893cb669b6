//! derivatives of derivatives, and derivatives as functions.

use crate::given::CPU;
use crate::torch::func as torch;
use burn::backend::{Autodiff, NdArray};
use burn::module::AutodiffModule;
use burn::nn::{BatchNormConfig, DropoutConfig};
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, TensorData, Tolerance, activation, grad};

type Leaf = NdArray<f64>;
type Once = Autodiff<Leaf>;
type Twice = Autodiff<Once>;
type Thrice = Autodiff<Twice>;

const X: [[f64; 3]; 2] = [[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]];
const W: [[f64; 2]; 3] = [[0.5, -0.25], [1.0, 0.75], [-1.5, 2.0]];
const V: [[f64; 2]; 2] = [[1.0, -2.0], [0.5, 3.0]];
const DIRECTION: [[f64; 3]; 2] = [[1.0, -2.0, 0.5], [0.25, 1.0, -1.0]];
const P: [f64; 2] = [0.5, -1.25];
const Q: [f64; 3] = [0.75, 0.1, -0.3];

fn leaf<const D: usize>(data: impl Into<TensorData>) -> Tensor<Leaf, D> {
    Tensor::from_data(data, CPU)
}

/// The numbers of `expected` in this shape, to ten digits.
#[track_caller]
fn is<const D: usize, const N: usize>(found: Tensor<Leaf, D>, expected: [f64; N]) {
    let expected = TensorData::new(expected, found.dims());
    found.into_data().assert_approx_eq::<f64>(&expected, Tolerance::rel_abs(1e-10, 1e-10));
}

/// `tanh(x w)`
fn layer<B: Backend<Device = burn::backend::ndarray::NdArrayDevice>>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    x.matmul(Tensor::from_data(W, CPU)).tanh()
}

/// A function with exponentials, powers and a softmax in it.
fn energy<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 1> {
    let chosen = activation::softmax(x.clone(), 1).slice([0..2, 0..1]).prod();
    x.clone().exp().sum().log() + x.powi_scalar(3).sum() + chosen
}

/// `sin(p)` times `exp(q sum(p))`, as a matrix.
fn outer<B: Backend>((p, q): (Tensor<B, 1>, Tensor<B, 1>)) -> Tensor<B, 2> {
    p.clone().sin().reshape([2, 1]) * (q * p.sum()).exp().reshape([1, 3])
}

/// `d/dx` of the sum of `f`, where `f` runs on a backend that differentiates once more.
fn slope<B: burn::tensor::backend::AutodiffBackend>(
    f: impl Fn(Tensor<B, 1>) -> Tensor<B, 1>,
    x: Tensor<B::InnerBackend, 1>,
) -> Tensor<B::InnerBackend, 1> {
    let x = Tensor::<B, 1>::from_inner(x).require_grad();
    x.grad(&f(x.clone()).sum().backward()).expect("f depends on x")
}

#[test]
fn x_101_third_derivatives_in_closed_form() {
    let f = |x: Tensor<Thrice, 1>| x.clone() * x.exp();
    let third =
        slope(|x: Tensor<Once, 1>| slope(|x: Tensor<Twice, 1>| slope(f, x), x), leaf([0.5, -1.0, 2.0]));
    // The n-th derivative of x e^x is (x + n) e^x.
    is(third, [0.5, -1.0, 2.0].map(|x: f64| (x + 3.0) * x.exp()));
}

#[test]
fn x_101_third_derivatives_agree_with_torch() {
    let f = |x: Tensor<Thrice, 1>| x.square().sin();
    let third = slope(|x: Tensor<Once, 1>| slope(|x: Tensor<Twice, 1>| slope(f, x), x), leaf(Q));
    is(third, torch::SIN_SQUARE_THIRD);
}

#[test]
fn x_101_third_derivatives_agree_with_finite_differences() {
    /// The first two derivatives by hand-made nesting, the third by a difference of the second.
    fn f<B: Backend>(x: Tensor<B, 1>) -> Tensor<B, 1> {
        activation::sigmoid(x.clone()) * activation::gelu(x.clone()) + (x.square() + 1).log()
    }
    let second = |x: Tensor<Leaf, 1>| slope(|x: Tensor<Once, 1>| slope(f::<Twice>, x), x);
    let third = slope(|x: Tensor<Once, 1>| slope(|x: Tensor<Twice, 1>| slope(f::<Thrice>, x), x), leaf(Q));
    const STEP: f64 = 1e-4;
    let difference = (second(leaf(Q) + STEP) - second(leaf(Q) - STEP)) / (2.0 * STEP);
    third.into_data().assert_approx_eq::<f64>(&difference.into_data(), Tolerance::rel_abs(1e-6, 1e-6));
}

#[test]
fn x_101_validation_is_validation_on_every_level() {
    let x = Tensor::<Once, 2>::ones([30, 4], CPU) * 3;
    let dropout = DropoutConfig::new(0.5).init();
    let ones = |x: Tensor<Once, 2>| x.into_data().to_f64().iter().all(|&y| y == 3.0);
    assert!(!ones(dropout.forward(x.clone())), "dropout drops in training");
    let valid = AutodiffModule::<Twice>::valid(&dropout);
    assert!(ones(valid.forward(x.clone())), "this backend differentiates, but validation was asked for");
    // The normalisation of a constant batch is zero; that of the running statistics is not.
    let norm = BatchNormConfig::new(4).init::<Twice>(CPU);
    let lifted = Tensor::<Twice, 2>::from_inner(x.clone());
    assert!(norm.forward(lifted).into_data().to_f64().iter().all(|&y| y.abs() < 1e-6));
    let before = norm.valid().running_mean.value().into_data();
    assert!(norm.valid().forward(x).into_data().to_f64().iter().all(|&y| y > 1.0));
    assert_eq!(norm.valid().running_mean.value().into_data(), before, "validation learns nothing");
}

#[test]
fn x_102_vjp_agrees_with_torch() {
    let (value, product) = grad::vjp(layer::<Once>, leaf(X), leaf(V));
    is(value, torch::LAYER);
    is(product, torch::LAYER_VJP);
}

#[test]
fn x_102_jvp_agrees_with_torch() {
    let (value, moved) = grad::jvp(layer::<Twice>, leaf(X), leaf(DIRECTION));
    is(value, torch::LAYER);
    is(moved, torch::LAYER_JVP);
}

#[test]
fn x_102_jacobian_agrees_with_torch() {
    let jacobian: Tensor<Leaf, 4> = grad::jacobian(layer::<Once>, leaf(X));
    assert_eq!(jacobian.dims(), [2, 2, 2, 3]);
    is(jacobian, torch::LAYER_JACOBIAN);
}

#[test]
fn x_102_value_and_grad_agree_with_torch() {
    let (value, slope) = grad::value_and_grad(energy::<Once>, leaf(X));
    is(value, torch::ENERGY);
    is(slope, torch::ENERGY_GRAD);
    is(grad::grad(energy::<Once>, leaf(X)), torch::ENERGY_GRAD);
}

#[test]
fn x_102_hessian_and_its_products_agree_with_torch() {
    let hessian: Tensor<Leaf, 4> = grad::hessian(energy::<Twice>, leaf(X));
    assert_eq!(hessian.dims(), [2, 3, 2, 3]);
    is(hessian, torch::ENERGY_HESSIAN);
    is(grad::hvp(energy::<Twice>, leaf(X), leaf(DIRECTION)), torch::ENERGY_HVP);
}

#[test]
fn x_102_several_arguments_agree_with_torch() {
    let jacobian = grad::jacobian_matrix(outer::<Once>, (leaf(P), leaf(Q)));
    assert_eq!(jacobian.dims(), [6, 5]);
    is(jacobian, torch::OUTER_JACOBIAN);
    let f = |both: (Tensor<Twice, 1>, Tensor<Twice, 1>)| outer(both).square().sum();
    let hessian = grad::hessian_matrix(f, (leaf(P), leaf(Q)));
    assert_eq!(hessian.dims(), [5, 5]);
    is(hessian, torch::OUTER_HESSIAN);
}

#[test]
fn x_102_arguments_and_values_are_tuples_and_arrays() {
    let x = [leaf::<1>([1.0, 2.0]), leaf([3.0, 4.0])];
    let f = |[x, y]: [Tensor<Once, 1>; 2]| (x.clone() * y.clone(), [x.sum(), y.sum()]);
    let weights = (leaf([1.0, 10.0]), [leaf([100.0]), leaf([1000.0])]);
    let ((product, [first, second]), [by_x, by_y]) = grad::vjp(f, x, weights);
    is(product, [3.0, 8.0]);
    is(first, [3.0]);
    is(second, [7.0]);
    is(by_x, [103.0, 140.0]);
    is(by_y, [1001.0, 1020.0]);
}

#[test]
fn x_102_what_does_not_depend_has_zeros() {
    let f = |(x, _y): (Tensor<Once, 1>, Tensor<Once, 2>)| x.sum();
    let (by_x, by_y) = grad::grad(f, (leaf([1.0, 2.0]), leaf([[3.0]])));
    is(by_x, [1.0, 1.0]);
    is(by_y, [0.0]);
    // A linear function bends nowhere, nor does one of straight pieces.
    let hessian: Tensor<Leaf, 2> = grad::hessian(|x: Tensor<Twice, 1>| (x * 3).sum(), leaf([1.0, 2.0]));
    is(hessian, [0.0; 4]);
    let hessian: Tensor<Leaf, 2> =
        grad::hessian(|x: Tensor<Twice, 1>| activation::relu(x).sum(), leaf([1.0, -2.0]));
    is(hessian, [0.0; 4]);
}

#[test]
fn x_102_derivatives_nest() {
    // The gradient of the squared norm of a gradient is twice the Hessian times the gradient.
    let norm = |x: Tensor<Once, 2>| grad::grad(energy::<Twice>, x).square().sum();
    let slope = grad::grad(norm, leaf(X));
    let gradient = grad::grad(energy::<Once>, leaf(X));
    let expected = grad::hvp(energy::<Twice>, leaf(X), gradient) * 2;
    slope.into_data().assert_approx_eq::<f64>(&expected.into_data(), Tolerance::rel_abs(1e-10, 1e-10));
}
