//! X: what goes beyond the table.

use crate::expect::{exactly, nearly};
use crate::given::{B, CPU, bool, float, int};
use crate::torch;
use burn::backend::{Autodiff, NdArray};
use burn::tensor::{Tensor, Tolerance, activation};

#[test]
fn x_009_negative_dims_count_from_the_end() {
    let x = Tensor::<B, 3>::zeros([2, 3, 4], CPU);
    assert_eq!(x.clone().sum_dim(-1).dims(), [2, 3, 1]);
    assert_eq!(x.clone().argmax(-2).dims(), [2, 1, 4]);
    assert_eq!(x.clone().unsqueeze_dim::<4>(-1).dims(), [2, 3, 4, 1]);
    assert_eq!(x.clone().swap_dims(-1, -3).dims(), [4, 3, 2]);
    assert_eq!(x.clone().permute([-1, -3, -2]).dims(), [4, 2, 3]);
    assert_eq!(x.clone().flip([-1]).dims(), [2, 3, 4]);
    assert_eq!(x.clone().repeat_dim(-1, 2).dims(), [2, 3, 8]);
    assert_eq!(x.clone().narrow(-2, 1, 1).dims(), [2, 1, 4]);
    assert_eq!(x.clone().chunk(2, -3).len(), 2);
    assert_eq!(x.clone().select(-1, int([0])).dims(), [2, 3, 1]);
    assert_eq!(x.clone().topk(2, -1).dims(), [2, 3, 2]);
    assert_eq!(activation::softmax(x.clone(), -1).dims(), [2, 3, 4]);
    assert_eq!(Tensor::cat(vec![x.clone(), x.clone()], -3).dims(), [4, 3, 4]);
    assert_eq!(Tensor::stack::<4>(vec![x.clone(), x.clone()], -1).dims(), [2, 3, 4, 2]);
    let y = x.unsqueeze_dims::<5>(&[0, -1]);
    assert_eq!(y.dims(), [1, 2, 3, 4, 1]);
    assert_eq!(y.squeeze_dims::<3>(&[0, -1]).dims(), [2, 3, 4]);
}

#[test]
fn x_101_second_derivatives_of_a_cube() {
    type Twice = Autodiff<Autodiff<NdArray<f64>>>;
    let x = Tensor::<Twice, 1>::from_data([2.0, -1.5], CPU);
    let x = Tensor::<Twice, 1>::from_inner(x.inner().require_grad()).require_grad();
    let y = x.clone() * x.clone() * x.clone();
    let first = x.grad(&y.backward()).expect("tracked");
    exactly(first.clone().inner(), [12.0, 6.75]);
    let second = x.inner().grad(&first.backward()).expect("tracked twice");
    exactly(second, [12.0, -9.0]);
}

#[test]
fn x_101_second_derivatives_agree_with_finite_differences() {
    type Once = Autodiff<NdArray<f64>>;
    type Twice = Autodiff<Once>;
    const AT: [[f64; 3]; 2] = [[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]];
    /// A scalar function with matrix products and a softmax in it.
    fn f<B: burn::tensor::backend::Backend>(x: Tensor<B, 2>) -> Tensor<B, 1> {
        let y = activation::softmax(x.clone().matmul(x.clone().transpose()), 1);
        (y.matmul(x).sin() * 2).exp().sum()
    }
    fn gradient(at: [[f64; 3]; 2]) -> Tensor<NdArray<f64>, 2> {
        let x = Tensor::<Once, 2>::from_data(at, CPU).require_grad();
        x.grad(&f(x.clone()).backward()).expect("tracked")
    }
    let direction = [[1.0, -2.0, 0.5], [0.25, 1.0, -1.0]];
    let inner = Tensor::<Once, 2>::from_data(AT, CPU).require_grad();
    let x = Tensor::<Twice, 2>::from_inner(inner.clone()).require_grad();
    let first = x.grad(&f(x.clone()).backward()).expect("tracked");
    let along = (first * Tensor::from_data(direction, CPU)).sum();
    let second = inner.grad(&along.backward()).expect("tracked twice");

    const STEP: f64 = 1e-5;
    let moved = |sign: f64| {
        std::array::from_fn(|row| std::array::from_fn(|k| AT[row][k] + sign * STEP * direction[row][k]))
    };
    let difference = (gradient(moved(1.0)) - gradient(moved(-1.0))) / (2.0 * STEP);
    second.into_data().assert_approx_eq::<f64>(&difference.into_data(), Tolerance::rel_abs(1e-7, 1e-7));
}

#[test]
fn functions_beside_the_table() {
    nearly(float::<1>([0.5, -1.5]).tan(), [0.5_f64.tan(), (-1.5_f64).tan()]);
    nearly(float::<1>(torch::X).tan(), torch::TAN);
    nearly(float::<1>(torch::X).asin(), torch::ASIN);
    nearly(float::<1>(torch::X).acos(), torch::ACOS);
    nearly(float::<1>(torch::X).atan(), torch::ATAN);
    nearly(float::<1>(torch::X).sinh(), torch::SINH);
    nearly(float::<1>(torch::X).cosh(), torch::COSH);
    nearly(float::<1>(torch::X).expm1(), torch::EXPM1);
    exactly(float::<1>(torch::X).trunc(), torch::TRUNC);
    nearly(float::<1>(torch::X).atan2(float::<1>(torch::X).flip([0])), torch::ATAN2);
    exactly(bool::<1>([true, true, false]).bool_and(bool([true, false, false])), [true, false, false]);
    exactly(bool::<1>([true, true, false]).bool_or(bool([true, false, false])), [true, true, false]);
    exactly(bool::<1>([true, true, false]).bool_xor(bool([true, false, false])), [false, true, false]);
}
