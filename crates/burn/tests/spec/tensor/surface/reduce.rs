//! reductions over several dimensions, extremes and indices in sorted order. Values by
//! scripts/surface_values.py.

use crate::expect::{exactly, nearly, panics};
use crate::given::{float, int};
use crate::slopes;
use burn::tensor::Tensor;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

#[test]
fn x_004_several_dims_at_once() {
    let x = || float::<3>([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [-1.0, -2.0, -3.0]]]);
    exactly(x().sum_dims(&[0, -1]), [[[30.0], [9.0]]]);
    exactly(x().sum_dims_squeeze::<1>(&[0, -1]), [30.0, 9.0]);
    exactly(x().mean_dims(&[0, 2]), [[[5.0], [1.5]]]);
    exactly(x().prod_dims(&[-2, -1]), [[[720.0]], [[-3024.0]]]);
    exactly(x().max_dims(&[0, 1]), [[[7.0, 8.0, 9.0]]]);
    exactly(x().min_dims(&[1, 2]), [[[1.0]], [[-3.0]]]);
    exactly(x().sum_dims(&[0; 0]), x().into_data());
    exactly(x().greater_elem(3).any_dims(&[0, 2]), [[[true], [true]]]);
    exactly(x().greater_elem(3).all_dims(&[1, 2]), [[[false]], [[false]]]);
    let ints = int::<2>([[1, 2], [3, 5]]);
    exactly(ints.clone().mean_dims(&[0, 1]), [[2]]);
    exactly(ints.sum_dims_squeeze::<0>(&[0, 1]).reshape([1]), [11]);
    let message = panics(|| x().sum_dims(&[0, 0]));
    assert!(message.starts_with("sum_dims: dimension 0 of [2, 2, 3] is named twice"), "{message}");
    let message = panics(|| x().max_dims(&[0, 3]));
    assert!(message.starts_with("max_dims: dimension 3 does not exist in [2, 2, 3]"), "{message}");
    slopes::agree([[[0.5, -1.0], [2.0, 3.0]], [[0.25, 1.5], [-2.0, 4.0]]], |x: Tensor<_, 3>| {
        x.clone().prod_dims(&[0, 2])
            + x.clone().max_dims(&[0, 2]) * x.clone().mean_dims(&[0, 2])
            + x.min_dims(&[2, 0])
    });
}

#[test]
fn x_004_deviation_and_log_sum_exp() {
    nearly(float::<2>([[4.0, -1.0, 0.0, 2.0, 2.0]]).std(1), [[1.9493588689617927]]);
    nearly(float::<2>([[4.0, -1.0, 0.0, 2.0, 2.0]]).std_bias(-1), [[1.7435595774162693]]);
    nearly(
        float::<2>([[1000.0, 1000.0], [-INF, -INF], [INF, 0.0], [1.0, 2.0]]).logsumexp(1),
        [[1000.6931471805599], [f64::NEG_INFINITY], [f64::INFINITY], [2.313261687518223]],
    );
    slopes::agree([[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]], |x: Tensor<_, 2>| x.clone().std(1) + x.logsumexp(1));
}

#[test]
fn x_005_largest_magnitude() {
    let x = || float::<2>([[1.0, -4.0], [3.0, 2.0]]);
    exactly(x().max_abs(), [4.0]);
    exactly(x().max_abs_dim(-1), [[4.0], [3.0]]);
    exactly(x().max_abs_dims(&[0, 1]), [[4.0]]);
    exactly(int::<1>([-7, 5]).max_abs(), [7]);
    exactly(float::<1>([NAN, -5.0]).max_abs(), [NAN]);
    slopes::agree([[1.0, -4.0], [3.0, 2.0]], |x: Tensor<_, 2>| x.max_abs_dim(1));
}

#[test]
fn x_005_medians() {
    let x = || float::<2>([[5.0, 1.0, 4.0, 2.0], [NAN, 1.0, NAN, 0.0], [2.0, 2.0, 1.0, 7.0]]);
    exactly(x().median(1), [[2.0], [NAN], [2.0]]);
    let (values, indices) = x().median_with_indices(-1);
    exactly(values, [[2.0], [NAN], [2.0]]);
    exactly(indices, [[3], [0], [0]]);
    let (values, indices) = x().median_with_indices(0);
    exactly(values, [[NAN, 1.0, NAN, 2.0]]);
    exactly(indices.slice([0..1, 0..1]), [[1]]);
    exactly(int::<1>([4, 1, 3, 2]).median(0), [2]);
    let message = panics(|| Tensor::<crate::given::B, 2>::zeros([2, 0], crate::given::CPU).median(1));
    assert!(message.starts_with("median: dimension 1 of [2, 0] is empty"), "{message}");
    slopes::agree([[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]], |x: Tensor<_, 2>| x.median(1));
}

#[test]
fn x_005_places_in_the_order() {
    let x = || float::<2>([[5.0, 1.0, 4.0, 2.0], [NAN, 1.0, NAN, 0.0], [2.0, 2.0, 1.0, 7.0]]);
    exactly(x().slice([0..1]).argtopk(2, -1), [[0, 2]]);
    let (values, indices) = x().kthvalue(3, 1);
    exactly(values, [[4.0], [NAN], [2.0]]);
    exactly(indices.slice([0..1]), [[2]]);
    nearly(x().quantile(0.0, 1), [[1.0], [NAN], [1.0]]);
    nearly(x().quantile(0.3, 1), [[1.9], [NAN], [1.9]]);
    nearly(x().quantile(0.5, -1), [[3.0], [NAN], [2.0]]);
    nearly(x().quantile(0.9, 1), [[4.7], [NAN], [5.5]]);
    nearly(x().quantile(1.0, 1), [[5.0], [NAN], [7.0]]);
    assert!(x().try_quantile(1.5, 1).is_err() && x().try_kthvalue(5, 1).is_err());
    slopes::agree([[0.5, -1.0, 2.0], [3.0, 0.0, 1.5]], |x: Tensor<_, 2>| {
        x.clone().quantile(0.3, 1) + x.kthvalue(2, 1).0
    });
}
