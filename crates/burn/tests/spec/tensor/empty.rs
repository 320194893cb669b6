//! dimensions of size zero and tensors of rank 0. The values are PyTorch's for the same calls.

use crate::expect::panics;
use crate::given::{B, CPU, bool, int};
use burn::backend::Autodiff;
use burn::tensor::module::{avg_pool1d, conv1d};
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Bool, Int, Shape, Tensor, TensorData, TensorKind, activation};

/// No rows of three.
fn no_rows() -> Tensor<B, 2> {
    Tensor::zeros([0, 3], CPU)
}

/// A number, as a tensor without dimensions.
fn number(value: f32) -> Tensor<B, 0> {
    Tensor::from_data(TensorData::new([value], Shape::new([])), CPU)
}

#[track_caller]
fn is<const D: usize, K: TensorKind>(tensor: Tensor<B, D, K>, shape: [usize; D], values: &[f64]) {
    assert_eq!(tensor.dims(), shape);
    assert_eq!(tensor.into_data().to_f64(), values);
}

#[test]
fn x_017_elementwise_functions_of_nothing_are_nothing() {
    is(no_rows().exp(), [0, 3], &[]);
    is(no_rows() + no_rows(), [0, 3], &[]);
    is(no_rows() * Tensor::<B, 2>::ones([1, 3], CPU), [0, 3], &[]);
    is(no_rows() / 2.0, [0, 3], &[]);
    is(no_rows().greater(no_rows()), [0, 3], &[]);
    is(no_rows().clamp(-1.0, 1.0), [0, 3], &[]);
    is(no_rows().int(), [0, 3], &[]);
    is(
        no_rows().mask_fill(Tensor::<B, 2, Bool>::from_data(TensorData::full(true, [0, 3]), CPU), 1.0),
        [0, 3],
        &[],
    );
}

#[test]
fn x_017_reductions_of_nothing_are_their_identities() {
    is(no_rows().sum(), [1], &[0.0]);
    is(no_rows().prod(), [1], &[1.0]);
    is(no_rows().sum_dim(0), [1, 3], &[0.0; 3]);
    is(no_rows().prod_dim(0), [1, 3], &[1.0; 3]);
    is(no_rows().sum_dim(1), [0, 1], &[]);
    is(no_rows().max_dim(1), [0, 1], &[]);
    is(no_rows().argmax(1), [0, 1], &[]);
    assert!(no_rows().mean_dim(0).into_data().to_f64().iter().all(|mean| mean.is_nan()));
    let bools = || no_rows().equal(no_rows());
    is(bools().any_dim(0), [1, 3], &[0.0; 3]);
    is(bools().all_dim(0), [1, 3], &[1.0; 3]);
    // There is no largest of nothing, where there is a result to have one.
    let message = panics(|| no_rows().max_dim(0));
    assert!(
        message.contains("max") && message.contains("dimension 0") && message.contains("[0, 3]"),
        "{message}"
    );
    assert!(panics(|| no_rows().argmax(0)).contains("dimension 0"));
}

#[test]
fn x_017_layouts_of_nothing() {
    is(no_rows().transpose(), [3, 0], &[]);
    is(no_rows().reshape([5, 0]), [5, 0], &[]);
    is(no_rows().flip([0, 1]), [0, 3], &[]);
    is(no_rows().repeat_dim(1, 2), [0, 6], &[]);
    is(no_rows().repeat_dim(0, 4), [0, 3], &[]);
    is(no_rows().expand::<3>([2, 0, 3]), [2, 0, 3], &[]);
    is(no_rows().slice([0..0, 1..3]), [0, 2], &[]);
    is(Tensor::<B, 2>::ones([2, 3], CPU).slice([2..2, 0..3]), [0, 3], &[]);
    is(Tensor::cat(vec![no_rows(), Tensor::ones([1, 3], CPU), no_rows()], 0), [1, 3], &[1.0; 3]);
    is(Tensor::stack::<3>(vec![no_rows(), no_rows()], 0), [2, 0, 3], &[]);
}

#[test]
fn x_017_orders_and_indices_of_nothing() {
    is(no_rows().sort(0), [0, 3], &[]);
    is(no_rows().argsort(1), [0, 3], &[]);
    is(no_rows().topk(0, 0), [0, 3], &[]);
    is(no_rows().topk(2, 1), [0, 2], &[]);
    is(no_rows().select(1, int([0, 2])), [0, 2], &[]);
    let none = || Tensor::<B, 1, Int>::from_data(TensorData::full(0_i64, [0]), CPU);
    is(Tensor::<B, 2>::ones([2, 3], CPU).select(0, none()), [0, 3], &[]);
    is(no_rows().gather(1, Tensor::from_data(TensorData::full(0_i64, [0, 5]), CPU)), [0, 5], &[]);
    let x = Tensor::<B, 2>::ones([2, 3], CPU);
    is(x.clone().select_assign(0, none(), no_rows()), [2, 3], &[1.0; 6]);
    let nowhere = Tensor::from_data(TensorData::full(0_i64, [0, 3]), CPU);
    is(x.scatter(0, nowhere, no_rows()), [2, 3], &[1.0; 6]);
    is(bool::<1>([false, false]).argwhere(), [0, 1], &[]);
}

#[test]
fn x_017_products_over_nothing_are_zero() {
    let (tall, wide) = (Tensor::<B, 2>::ones([2, 0], CPU), Tensor::<B, 2>::ones([0, 3], CPU));
    is(tall.matmul(wide), [2, 3], &[0.0; 6]);
    is(no_rows().matmul(Tensor::ones([3, 4], CPU)), [0, 4], &[]);
    is(activation::softmax(no_rows(), 0), [0, 3], &[]);
    is(activation::log_softmax(no_rows(), 1), [0, 3], &[]);
    let batch = || Tensor::<B, 3>::zeros([0, 2, 4], CPU);
    is(avg_pool1d(batch(), 2, 2, 0, true), [0, 2, 2], &[]);
    let weight = Tensor::<B, 3>::ones([3, 2, 2], CPU);
    is(conv1d(batch(), weight, None, ConvOptions::new(1)), [0, 3, 3], &[]);
}

#[test]
fn x_017_tensors_of_rank_0_are_numbers() {
    is(number(2.5) + number(1.5), [], &[4.0]);
    is(number(-2.5).abs() * 2.0, [], &[5.0]);
    is(number(2.5).sum(), [1], &[2.5]);
    is(number(2.5).prod(), [1], &[2.5]);
    is(number(2.5).max(), [1], &[2.5]);
    is(number(2.5).reshape([1, 1]), [1, 1], &[2.5]);
    is(number(2.5).expand::<2>([2, 2]), [2, 2], &[2.5; 4]);
    is(number(2.5).expand::<2>([0, 2]), [0, 2], &[]);
    is(number(2.5).greater(number(2.0)), [], &[1.0]);
    is(number(2.5).int(), [], &[2.0]);
    is(Tensor::<B, 1>::ones([1], CPU).squeeze_dim::<0>(0), [], &[1.0]);
    let mask = number(1.0).equal(number(1.0));
    is(number(2.5).mask_where(mask, number(7.0)), [], &[7.0]);
    assert_eq!(number(2.5).into_scalar(), 2.5);
}

#[test]
fn x_017_gradients_of_nothing_have_its_shape() {
    type A = Autodiff<B>;
    let x = Tensor::<A, 2>::zeros([0, 3], CPU).require_grad();
    let weight = Tensor::<A, 2>::ones([3, 2], CPU).require_grad();
    let loss = (x.clone().matmul(weight.clone()).exp().sum_dim(0) + 1.0).sum();
    let gradients = loss.backward();
    assert_eq!(x.grad(&gradients).expect("tracked").dims(), [0, 3]);
    is(weight.grad(&gradients).expect("tracked"), [3, 2], &[0.0; 6]);
    let number = Tensor::<A, 0>::from_data(TensorData::new([3.0_f32], Shape::new([])), CPU).require_grad();
    let gradients = (number.clone() * number.clone()).backward();
    is(number.grad(&gradients).expect("tracked"), [], &[6.0]);
}
