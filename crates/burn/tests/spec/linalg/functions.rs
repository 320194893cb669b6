//! linear algebra, beside PyTorch and beside what the results have to satisfy.

use crate::expect::{exactly, nearly, panics};
use crate::given::{B, CPU, float, int};
use crate::torch::linalg as torch;
use burn::backend::{Autodiff, NdArray};
use burn::tensor::linalg::{self, MatrixNorm, Norm};
use burn::tensor::{Int, Tensor, TensorData, Tolerance};
use burn_backend::TypedCalls;

type A = Autodiff<NdArray<f64>>;

/// As in `scripts/linalg_fixtures.py`.
fn ramp<const D: usize>(shape: [usize; D]) -> Tensor<A, D> {
    let count: usize = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|k| ((k * 7 % 11) as f64 - 5.0) / 4.0).collect();
    Tensor::from_data(TensorData::new(values, shape), CPU)
}

/// As in `scripts/linalg_fixtures.py`.
fn matrix<const D: usize>(shape: [usize; D]) -> Tensor<A, D> {
    let (rows, cols) = (shape[D - 2], shape[D - 1]);
    let along = |k: usize| if k / cols == k % cols { 2.0 + 0.75 * (k % cols) as f64 } else { 0.0 };
    let values: Vec<f64> = (0..rows * cols).map(along).collect();
    let diagonal = Tensor::<A, 2>::from_data(TensorData::new(values, [rows, cols]), CPU);
    ramp(shape) + diagonal.expand(shape)
}

fn flat<const D: usize>(x: Tensor<A, D>) -> Tensor<A, 1> {
    let count = x.shape().num_elements();
    x.reshape([count])
}

#[track_caller]
fn close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!(
            (x - y).abs() <= 1e-11 * y.abs().max(1.0),
            "{what}, element {at}: found {x}, PyTorch says {y}"
        );
    }
}

/// The results are those of PyTorch, and so are the gradients of their sum, each element `1, 2, 3, 4, 5, 1,
/// ..` times.
#[track_caller]
fn as_in_torch<const D: usize, const N: usize>(
    operands: [Tensor<A, D>; N],
    f: impl Fn([Tensor<A, D>; N]) -> Vec<Tensor<A, 1>>,
    values: &[f64],
    gradients: &[f64],
) {
    let operands = operands.map(Tensor::require_grad);
    let results = f(operands.clone());
    let found: Vec<f64> = results.iter().flat_map(|x| x.to_data().to_f64()).collect();
    close("a value", &found, values);
    let loss = |x: &Tensor<A, 1>| {
        let weights: Vec<f64> = (0..x.dims()[0]).map(|k| (k % 5) as f64 + 1.0).collect();
        (x.clone() * Tensor::from_data(TensorData::from(&weights[..]), CPU)).sum()
    };
    let total = results.iter().map(loss).reduce(|x, y| x + y).expect("a result");
    let all = total.backward();
    let gradient = |x: &Tensor<A, D>| x.grad(&all).expect("tracked").into_data().to_f64();
    close("a gradient", &operands.iter().flat_map(gradient).collect::<Vec<_>>(), gradients);
}

#[test]
fn x_021_cholesky_is_pytorchs() {
    let shifted = |x: Tensor<A, 2>| {
        let eye = Tensor::<A, 2>::eye(4, CPU);
        vec![flat(linalg::cholesky(x + eye * 3.0))]
    };
    as_in_torch([matrix([4, 4])], |[x]| shifted(x), &torch::CHOLESKY, &torch::CHOLESKY_GRAD);
}

#[test]
fn x_021_qr_is_pytorchs_with_a_positive_diagonal() {
    let factors = |[x]: [Tensor<A, 2>; 1]| {
        let (q, r) = linalg::qr(x);
        vec![flat(q), flat(r)]
    };
    as_in_torch([matrix([4, 4])], factors, &torch::QR_SQUARE, &torch::QR_SQUARE_GRAD);
    as_in_torch([matrix([5, 3])], factors, &torch::QR_TALL, &torch::QR_TALL_GRAD);
    as_in_torch([matrix([3, 5])], factors, &torch::QR_WIDE, &torch::QR_WIDE_GRAD);
}

#[test]
fn x_021_svd_is_pytorchs_with_signs() {
    // The fixture has V, the function its transposed.
    let factors = |[x]: [Tensor<A, 2>; 1]| {
        let (u, s, vt) = linalg::svd::<A, 2, 1>(x);
        vec![flat(u), s, flat(vt)]
    };
    as_in_torch([matrix([4, 4])], factors, &torch::SVD_SQUARE, &torch::SVD_SQUARE_GRAD);
    as_in_torch([matrix([5, 3])], factors, &torch::SVD_TALL, &torch::SVD_TALL_GRAD);
    as_in_torch([matrix([3, 5])], factors, &torch::SVD_WIDE, &torch::SVD_WIDE_GRAD);
}

#[test]
fn x_021_eigh_is_pytorchs_with_signs() {
    let factors = |[x]: [Tensor<A, 2>; 1]| {
        let (w, v) = linalg::eigh::<A, 2, 1>(x);
        vec![w, flat(v)]
    };
    as_in_torch([matrix([4, 4])], factors, &torch::EIGH, &torch::EIGH_GRAD);
}

#[test]
fn x_021_lu_is_pytorchs() {
    let factors = |[x]: [Tensor<A, 2>; 1]| {
        let (p, l, u) = linalg::lu(x.clone());
        let whole = p.matmul(l.clone()).matmul(u.clone());
        whole.into_data().assert_approx_eq::<f64>(&x.into_data(), Tolerance::rel_abs(1e-12, 1e-12));
        vec![flat(l), flat(u)]
    };
    as_in_torch([matrix([4, 4])], factors, &torch::LU_SQUARE, &torch::LU_SQUARE_GRAD);
    as_in_torch([matrix([5, 3])], factors, &torch::LU_TALL, &torch::LU_TALL_GRAD);
    as_in_torch([matrix([3, 5])], factors, &torch::LU_WIDE, &torch::LU_WIDE_GRAD);
}

#[test]
fn x_021_lu_factor_packs_both_triangles_and_names_rows() {
    let (packed, rows) = linalg::lu_factor::<B, 2, 1>(float([[1.0, 2.0], [4.0, 4.0]]));
    exactly(packed, [[4.0, 4.0], [0.25, 1.0]]);
    exactly(rows, [1, 0]);
}

#[test]
fn x_021_det_of_a_batch_is_pytorchs() {
    let det = |[x]: [Tensor<A, 3>; 1]| vec![linalg::det(x)];
    as_in_torch([matrix([2, 3, 3])], det, &torch::DET, &torch::DET_GRAD);
    let logarithms = |[x]: [Tensor<A, 3>; 1]| {
        let (sign, log) = linalg::slogdet(x);
        vec![sign, log]
    };
    as_in_torch([matrix([2, 3, 3])], logarithms, &torch::SLOGDET, &torch::SLOGDET_GRAD);
}

#[test]
fn x_021_det_of_a_singular_matrix_is_zero_and_its_gradient_the_cofactors() {
    let x =
        Tensor::<A, 2>::from_data([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]], CPU).require_grad();
    let det = linalg::det::<A, 2, 1>(x.clone());
    exactly(det.clone().inner(), [0.0]);
    let gradient = x.grad(&det.backward()).expect("tracked");
    let cofactors = [[4.0, 4.0, -4.0], [-2.0, -2.0, 2.0], [0.0, 0.0, 0.0]];
    gradient
        .into_data()
        .assert_approx_eq::<f64>(&TensorData::from(cofactors), Tolerance::rel_abs(1e-12, 1e-12));
    // Its last column alone is nothing new: the zero pivot is not the last one.
    let x = Tensor::<A, 2>::from_data([[0.0, 1.0], [0.0, 2.0]], CPU).require_grad();
    let gradient = x.grad(&linalg::det::<A, 2, 1>(x.clone()).backward()).expect("tracked");
    gradient.into_data().assert_approx_eq::<f64>(
        &TensorData::from([[2.0, 0.0], [-1.0, 0.0]]),
        Tolerance::rel_abs(1e-12, 1e-12),
    );
}

#[test]
fn x_021_det_knows_exchanged_rows_and_empty_matrices() {
    exactly(linalg::det::<B, 2, 1>(float([[0.0, 1.0], [1.0, 0.0]])), [-1.0]);
    let turned = float::<2>([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    exactly(linalg::det::<B, 2, 1>(turned), [1.0]);
    exactly(linalg::det::<B, 3, 1>(Tensor::zeros([2, 0, 0], CPU)), [1.0, 1.0]);
    assert_eq!(linalg::det::<B, 3, 2>(Tensor::zeros([2, 3, 3], CPU)).dims(), [2, 1]);
    let (sign, log) = linalg::slogdet::<B, 2, 0>(float([[1.0, 2.0], [2.0, 4.0]]));
    assert_eq!((sign.into_scalar(), log.into_scalar()), (0.0, f32::NEG_INFINITY));
    let message = panics(|| linalg::det::<B, 3, 3>(Tensor::zeros([2, 3, 3], CPU)));
    assert!(message.starts_with("det: one number for each matrix of [2] has rank 1, or 2"), "{message}");
}

#[test]
fn x_021_inverse_is_pytorchs() {
    as_in_torch(
        [matrix([2, 3, 3])],
        |[x]| vec![flat(linalg::inverse(x))],
        &torch::INVERSE,
        &torch::INVERSE_GRAD,
    );
}

#[test]
fn x_021_inverse_of_a_singular_matrix_is_an_error() {
    let batch = || float::<3>([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 4.0]]]);
    let message = panics(|| linalg::inverse(batch()));
    assert_eq!(message, "inverse: the matrix at batch index 1 is singular");
    let error = linalg::try_inverse(float::<2>([[1.0, f32::NAN], [0.0, 1.0]])).expect_err("no inverse");
    assert!(
        error.to_string().starts_with("inverse: the matrix has an element that is not finite"),
        "{error}"
    );
    assert_eq!((error.location().file(), error.operation()), (file!(), "inverse"));
    let deep = batch().reshape([1, 2, 2, 2]);
    let message = panics(|| linalg::inverse::<B, 4>(deep));
    assert_eq!(message, "inverse: the matrix at batch index [0, 1] is singular");
    let found = linalg::inverse_unchecked(batch()).into_data().to_f64();
    assert_eq!(found[..4], [1.0, 0.0, 0.0, 1.0]);
    assert!(found[4..].iter().all(|x| x.is_nan()));
    let message = panics(|| linalg::inverse(float::<2>([[1.0, 2.0]])));
    assert_eq!(message, "inverse: needs square matrices, found [1, 2]: 1 rows and 2 columns");
}

#[test]
fn x_021_cholesky_of_what_is_not_positive_definite_is_an_error() {
    let x = || float::<2>([[1.0, 2.0], [2.0, 1.0]]);
    assert_eq!(panics(|| linalg::cholesky(x())), "cholesky: the matrix is not positive definite");
    assert!(linalg::try_cholesky(x()).is_err());
    assert!(linalg::cholesky_unchecked(x()).into_data().to_f64().iter().all(|x| x.is_nan()));
}

#[test]
fn x_021_solve_is_pytorchs() {
    let solve = |[a, b]: [Tensor<A, 2>; 2]| vec![flat(linalg::solve(a, b))];
    as_in_torch([matrix([4, 4]), ramp([4, 2])], solve, &torch::SOLVE, &torch::SOLVE_GRAD);
    let upper = |[a, b]: [Tensor<A, 2>; 2]| vec![flat(linalg::solve_triangular(a, b, true, false))];
    as_in_torch([matrix([4, 4]), ramp([4, 2])], upper, &torch::SOLVE_UPPER, &torch::SOLVE_UPPER_GRAD);
}

#[test]
fn x_021_solve_tells_a_singular_matrix_from_a_right_side_that_is_nan() {
    let a = || float::<2>([[2.0, 0.0], [0.0, 4.0]]);
    let found = linalg::solve(a(), float([[f32::NAN], [2.0]])).into_data().to_f64();
    assert!(found[0].is_nan());
    let message = panics(|| linalg::solve(float::<2>([[1.0, 1.0], [1.0, 1.0]]), float([[1.0], [2.0]])));
    assert_eq!(message, "solve: the matrix is singular");
    let message = panics(|| linalg::solve(a(), float::<2>([[1.0, 2.0, 3.0]])));
    assert!(message.starts_with("solve: inner sizes differ"), "{message}");
    // One matrix for a batch of right sides.
    let many = linalg::solve(float::<3>([[[2.0, 0.0], [0.0, 4.0]]]), float([[[2.0], [4.0]], [[4.0], [4.0]]]));
    exactly(many, [[[1.0], [1.0]], [[2.0], [1.0]]]);
}

#[test]
fn x_021_lstsq_is_pytorchs() {
    let lstsq = |[a, b]: [Tensor<A, 2>; 2]| vec![flat(linalg::lstsq(a, b))];
    as_in_torch([matrix([5, 3]), ramp([5, 2])], lstsq, &torch::LSTSQ_TALL, &torch::LSTSQ_TALL_GRAD);
    as_in_torch([matrix([3, 5]), ramp([3, 2])], lstsq, &torch::LSTSQ_WIDE, &torch::LSTSQ_WIDE_GRAD);
    let message = panics(|| linalg::lstsq(float::<2>([[0.0], [0.0]]), float([[1.0], [2.0]])));
    assert_eq!(message, "lstsq: the matrix has not full rank");
    let nan = linalg::lstsq(float::<2>([[1.0], [2.0]]), float([[f32::NAN], [2.0]]));
    assert!(nan.into_scalar().is_nan());
}

#[test]
fn x_021_pinv_is_pytorchs() {
    let pinv = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::pinv(x, None))];
    as_in_torch([matrix([5, 3])], pinv, &torch::PINV_TALL, &torch::PINV_TALL_GRAD);
    as_in_torch([matrix([3, 5])], pinv, &torch::PINV_WIDE, &torch::PINV_WIDE_GRAD);
    let x = matrix([5, 3]);
    let (first, second) = (x.clone().narrow(1, 0, 1), x.narrow(1, 1, 1));
    let deficient = Tensor::cat(vec![first.clone(), second.clone(), first - second], 1);
    as_in_torch([deficient], pinv, &torch::PINV_RANK_2, &torch::PINV_RANK_2_GRAD);
    exactly(linalg::pinv(float::<2>([[0.0, 0.0]]), None), [[0.0], [0.0]]);
}

#[test]
fn x_021_matrix_functions_are_pytorchs() {
    let exp = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::matrix_exp(x))];
    as_in_torch([matrix([4, 4])], exp, &torch::MATRIX_EXP, &torch::MATRIX_EXP_GRAD);
    let power = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::matrix_power(x, 5))];
    as_in_torch([matrix([4, 4])], power, &torch::MATRIX_POWER, &torch::MATRIX_POWER_GRAD);
    let power = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::matrix_power(x, -3))];
    as_in_torch([matrix([4, 4])], power, &torch::MATRIX_POWER_NEGATIVE, &torch::MATRIX_POWER_NEGATIVE_GRAD);
    exactly(linalg::matrix_power(float::<2>([[1.0, 2.0], [3.0, 4.0]]), 0), [[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn x_021_norm_by_every_measure() {
    let x = || float::<2>([[3.0, -4.0, 0.0], [0.0, 0.0, 0.0]]);
    exactly(linalg::norm(x(), 0, 1), [[2.0], [0.0]]);
    exactly(linalg::norm(x(), 1, 1), [[7.0], [0.0]]);
    exactly(linalg::norm(x(), 2, -1), [[5.0], [0.0]]);
    exactly(linalg::norm(x(), f64::INFINITY, 1), [[4.0], [0.0]]);
    exactly(linalg::norm(x(), Norm::LNegInf, 0), [[0.0, 0.0, 0.0]]);
    exactly(linalg::norm_dims(x(), 2, &[0, 1]), [[5.0]]);
    nearly(linalg::norm(float::<1>([1.0, 8.0]), 1.0 / 3.0, 0), [27.0]);
    nearly(linalg::norm(float::<1>([1.0, 2.0]), -1, 0), [2.0 / 3.0]);
    let half = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::norm(x, 0.5, 1))];
    as_in_torch([matrix([5, 3])], half, &torch::NORM_HALF, &torch::NORM_HALF_GRAD);
    let third = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::norm(x, 3, 0))];
    as_in_torch([matrix([5, 3])], third, &torch::NORM_3, &torch::NORM_3_GRAD);
    let zero = Tensor::<A, 1>::zeros([2], CPU).require_grad();
    for norm in [Norm::L1, Norm::L2, Norm::Lp(3.0), Norm::Lp(0.5), Norm::LInf] {
        let gradient = zero.grad(&linalg::norm(zero.clone(), norm, 0).backward()).expect("tracked");
        exactly(gradient, [0.0, 0.0]);
    }
}

#[test]
fn x_021_matrix_norm_by_every_measure() {
    let x = || float::<2>([[3.0, 0.0], [4.0, 0.0], [0.0, -6.0]]);
    nearly(linalg::matrix_norm(x(), MatrixNorm::Frobenius), [[61_f32.sqrt()]]);
    nearly(linalg::matrix_norm(x(), MatrixNorm::Nuclear), [[11.0]]);
    nearly(linalg::matrix_norm(x(), MatrixNorm::Spectral), [[6.0]]);
    exactly(linalg::matrix_norm(x(), MatrixNorm::One), [[7.0]]);
    exactly(linalg::matrix_norm(x(), MatrixNorm::Inf), [[6.0]]);
    let nuclear = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::matrix_norm(x, MatrixNorm::Nuclear))];
    as_in_torch([matrix([5, 3])], nuclear, &torch::NUCLEAR, &torch::NUCLEAR_GRAD);
    let spectral = |[x]: [Tensor<A, 2>; 1]| vec![flat(linalg::matrix_norm(x, MatrixNorm::Spectral))];
    as_in_torch([matrix([3, 5])], spectral, &torch::SPECTRAL, &torch::SPECTRAL_GRAD);
}

#[test]
fn x_021_gradients_of_values_alone_need_no_distinct_ones() {
    // The sum of the singular values of the identity has the identity as its gradient.
    let x = Tensor::<A, 2>::eye(3, CPU).require_grad();
    let sum = linalg::svdvals::<A, 2, 1>(x.clone()).sum();
    let identity = Tensor::<NdArray<f64>, 2>::eye(3, CPU).into_data();
    x.grad(&sum.backward())
        .expect("tracked")
        .into_data()
        .assert_approx_eq::<f64>(&identity, Tolerance::rel_abs(1e-12, 1e-12));
    let sum = linalg::eigvalsh::<A, 2, 1>(x.clone()).sum();
    x.grad(&sum.backward())
        .expect("tracked")
        .into_data()
        .assert_approx_eq::<f64>(&identity, Tolerance::rel_abs(1e-12, 1e-12));
}

#[test]
fn x_021_matrix_rank_counts_independent_rows() {
    let x = float::<3>([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [2.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]]]);
    exactly(linalg::matrix_rank::<B, 3, 1>(x, None), [1, 2, 0]);
    let x = float::<2>([[1.0, 0.0], [0.0, 0.01]]);
    exactly(linalg::matrix_rank::<B, 2, 1>(x, Some(0.1)), [1]);
}

#[test]
fn x_021_diag_takes_and_makes_diagonals() {
    let x = float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(linalg::diag::<B, 2, 1, _>(x.clone()), [1.0, 5.0]);
    exactly(linalg::diag::<B, 2, 1, _>(x.transpose()), [1.0, 5.0]);
    exactly(linalg::diag::<B, 1, 2, Int>(int([7, 8])), [[7, 0], [0, 8]]);
    let batch = float::<3>([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]);
    exactly(linalg::diag::<B, 3, 2, _>(batch), [[1.0, 4.0], [5.0, 8.0]]);
    assert!(linalg::try_diag::<B, 2, 2, _>(float([[1.0]])).is_err());
}

#[test]
fn x_021_trace_sums_the_diagonal() {
    exactly(linalg::trace::<B, 2, 1, _>(float([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])), [6.0]);
    exactly(linalg::trace::<B, 3, 1, Int>(int([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])), [5, 13]);
    let x = Tensor::<A, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], CPU).require_grad();
    let gradient = x.grad(&linalg::trace::<A, 2, 1, _>(x.clone()).backward()).expect("tracked");
    exactly(gradient, [[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn x_021_outer_and_matvec_multiply_vectors() {
    let outer = linalg::outer::<B, 1, 2, _>(float([1.0, 2.0]), float([3.0, 4.0, 5.0]));
    exactly(outer, [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]);
    let outer = linalg::outer::<B, 2, 3, Int>(int([[1, 2], [3, 4]]), int([[1, 1], [2, 2]]));
    exactly(outer, [[[1, 1], [2, 2]], [[6, 6], [8, 8]]]);
    let matrix = float::<2>([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    exactly(linalg::matvec(matrix, float::<1>([1.0, -1.0])), [-1.0, -1.0, -1.0]);
    exactly(linalg::matvec::<B, 2, 1, Int>(int([[1, 2], [3, 4]]), int([10, 1])), [12, 34]);
    assert!(linalg::try_matvec(float::<2>([[1.0, 2.0]]), float::<1>([1.0])).is_err());
}

#[test]
fn x_021_cosine_similarity_is_pytorchs() {
    let cosine = |[x, y]: [Tensor<A, 2>; 2]| vec![flat(linalg::cosine_similarity(x, y, 1, None))];
    as_in_torch([matrix([5, 3]), ramp([5, 3])], cosine, &torch::COSINE, &torch::COSINE_GRAD);
    let zero = linalg::cosine_similarity(float::<1>([0.0, 0.0]), float([1.0, 2.0]), 0, Some(1e-6));
    exactly(zero, [0.0]);
}

#[test]
fn x_021_vector_normalize_gives_length_one() {
    let x = float::<2>([[3.0, -4.0], [0.0, 0.0]]);
    nearly(linalg::vector_normalize(x.clone(), 2, 1, 1e-12), [[0.6, -0.8], [0.0, 0.0]]);
    nearly(linalg::vector_normalize(x, Norm::LInf, 1, 1e-12), [[0.75, -1.0], [0.0, 0.0]]);
}

#[test]
fn x_021_factors_of_half_precision_and_of_batches() {
    use burn::tensor::DType;
    let x = matrix([2, 3, 3]).inner();
    for (dtype, tolerance) in [(DType::F32, 1e-5), (DType::F16, 2e-2), (DType::BF16, 1e-1)] {
        let narrow =
            Tensor::<NdArray<f64>, 3>::from_handle(NdArray::<f64>::cast(x.clone().into_handle(), dtype));
        let (u, s, vt) = linalg::svd::<NdArray<f64>, 3, 2>(narrow);
        assert_eq!((u.dtype(), u.dims(), s.dims(), vt.dims()), (dtype, [2, 3, 3], [2, 3], [2, 3, 3]));
        let whole = (u * s.unsqueeze_dim::<3>(1)).matmul(vt).into_data().to_f64();
        let far = whole.iter().zip(x.to_data().to_f64()).any(|(x, y)| (x - y).abs() > tolerance);
        assert!(!far, "{dtype}: {whole:?}");
    }
}

#[test]
fn x_021_second_derivatives_of_a_log_determinant() {
    // d^2 log(det x) = -tr(x^-1 dx x^-1 dx): for a diagonal matrix, -1 / (x_ii x_jj) for elements (i, j) and
    // (j, i).
    type Inner = Autodiff<NdArray<f64>>;
    type Twice = Autodiff<Inner>;
    let x = Tensor::<Inner, 2>::from_data([[2.0, 0.0], [0.0, 4.0]], CPU).require_grad();
    let lifted = Tensor::<Twice, 2>::from_inner(x.clone()).require_grad();
    let (_, log) = linalg::slogdet::<Twice, 2, 1>(lifted.clone());
    let first = lifted.grad(&log.backward()).expect("tracked");
    exactly(first.clone().inner(), [[0.5, 0.0], [0.0, 0.25]]);
    let sums = first * Tensor::from_data([[1.0, 1.0], [0.0, 1.0]], CPU);
    let second = x.grad(&sums.sum().backward()).expect("tracked twice");
    second.into_data().assert_approx_eq::<f64>(
        &TensorData::from([[-0.25, 0.0], [-0.125, -0.0625]]),
        Tolerance::rel_abs(1e-12, 1e-12),
    );
}

#[test]
fn x_006_cross_is_at_right_angles() {
    let cross = |[x, y]: [Tensor<A, 2>; 2]| vec![flat(x.cross(y, -1))];
    as_in_torch([matrix([5, 3]), ramp([5, 3])], cross, &torch::CROSS, &torch::CROSS_GRAD);
    exactly(int::<1>([1, 0, 0]).cross(int([0, 1, 0]), 0), [0, 0, 1]);
    let message = panics(|| float::<1>([1.0, 2.0]).cross(float([1.0, 2.0]), 0));
    assert_eq!(message, "cross: dimension 0 of [2] and [2] has to be of size 3");
}

#[test]
fn x_006_cov_is_pytorchs() {
    let cov = |[x]: [Tensor<A, 2>; 1]| vec![flat(x.cov(1, 1))];
    as_in_torch([matrix([5, 3])], cov, &torch::COV, &torch::COV_GRAD);
    exactly(float::<2>([[1.0, 3.0]]).cov(1, 0), [[1.0]]);
}

#[test]
fn x_006_dot_sums_products() {
    exactly(float::<1>([1.0, 2.0, 3.0]).dot(float([4.0, 5.0, 6.0])), [32.0]);
    exactly(int::<1>([1, 2]).dot(int([3, 4])), [11]);
    exactly(Tensor::<B, 1>::zeros([0], CPU).dot(Tensor::zeros([0], CPU)), [0.0]);
    let message = panics(|| float::<1>([1.0, 2.0]).dot(float([1.0])));
    assert_eq!(message, "dot: lengths differ: [2] and [1]");
}
