//! factorisations, covariances, norms and products in their other forms.

use crate::expect::{exactly, nearly};
use crate::given::{B, float, int};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::backend::Backend;
use burn::tensor::{Distribution, Tensor, TensorData, Tolerance, linalg};

type Double = NdArray<f64>;

#[track_caller]
fn close<B: Backend, const D: usize>(found: Tensor<B, D>, expected: impl Into<TensorData>) {
    found.into_data().assert_approx_eq::<f64>(&expected.into(), Tolerance::rel_abs(1e-12, 1e-12));
}

/// Every promise of the factors, for a shape.
fn holds<B: Backend, const D: usize>(shape: [usize; D]) {
    let x = Tensor::<B, D>::random(shape, Distribution::Normal(0.0, 1.0), &Default::default());
    let (q, r) = linalg::qr_complete(x.clone());
    let (m, n) = (shape[D - 2], shape[D - 1]);
    assert_eq!((q.dims()[D - 2], q.dims()[D - 1]), (m, m));
    assert_eq!(r.dims(), shape);
    let one = Tensor::<B, 2>::eye(m, &Default::default()).unsqueeze::<D>();
    let gram = q.clone().transpose().matmul(q.clone());
    let batch = gram.zeros_like() + one;
    close(gram, batch.into_data());
    close(q.clone().matmul(r.clone()), x.clone().into_data());
    close(r.clone().tril(-1), r.zeros_like().into_data());
    // The first columns are those of the reduced form.
    let (reduced, upper) = linalg::qr(x);
    let k = m.min(n);
    close(q.narrow(D - 1, 0, k), reduced.into_data());
    close(r.narrow(D - 2, 0, k), upper.into_data());
}

#[test]
fn x_028_qr_is_reduced_and_complete() {
    for shape in [[5, 3], [3, 5], [4, 4], [7, 1], [1, 1], [40, 7]] {
        holds::<Double, 2>(shape);
    }
    holds::<Double, 3>([3, 5, 2]);
    holds::<Autodiff<Fusion<Double>>, 3>([2, 4, 3]);
    // (3, 4) has length 5 and direction (0.6, 0.8).
    let (q, r) = linalg::qr_complete(Tensor::<Double, 2>::from([[3.0], [4.0]]));
    close(q.clone().narrow(1, 0, 1), [[0.6], [0.8]]);
    close(q.narrow(1, 1, 1).abs(), [[0.8], [0.6]]);
    close(r, [[5.0], [0.0]]);
    // Columns that depend on each other, and none at all: `Q` is orthogonal still.
    let (q, r) = linalg::qr_complete(Tensor::<Double, 2>::from([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]));
    close(q.clone().transpose().matmul(q.clone()), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    close(q.matmul(r), [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]);
    let (q, r) = linalg::qr_complete(Tensor::<Double, 2>::zeros([2, 0], &Default::default()));
    close(q, [[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(r.dims(), [2, 0]);
    assert!(linalg::try_qr_complete(Tensor::<B, 1>::from([1.0])).is_err());
}

/// `R` of one column is its length, whose gradient is the direction; nothing flows to the columns that are
/// any basis.
#[test]
fn x_028_gradients_of_a_complete_qr() {
    type A = Autodiff<Double>;
    let x = Tensor::<A, 2>::from([[3.0], [4.0]]).require_grad();
    let (_, r) = linalg::qr_complete(x.clone());
    close(x.grad(&r.sum().backward()).unwrap(), [[0.6], [0.8]]);
    let (q, _) = linalg::qr_complete(x.clone());
    let rest = q.narrow(1, 1, 1).sum();
    let gradient = x.grad(&rest.backward());
    close(gradient.unwrap_or_else(|| Tensor::zeros([2, 1], &Default::default())), [[0.0], [0.0]]);
    // A square matrix has one form: `|det x|` is the product of the diagonal, with the gradient `det(x)
    // x^-T`.
    let x = Tensor::<A, 2>::from([[2.0, 1.0], [1.0, 3.0]]).require_grad();
    let (_, r) = linalg::qr_complete(x.clone());
    let product = r.clone().slice([0..1, 0..1]) * r.slice([1..2, 1..2]);
    close(x.grad(&product.sum().backward()).unwrap(), [[3.0, -1.0], [-1.0, 2.0]]);
}

/// Observations of two variables with means 2 and 3: deviations (-1, 0, 1) and (-2, 0, 2).
#[test]
fn x_028_cov_along_a_dimension() {
    let samples = || float::<2>([[1.0, 1.0], [2.0, 3.0], [3.0, 5.0]]);
    exactly(samples().cov(0, 1), [[1.0, 2.0], [2.0, 4.0]]);
    exactly(samples().transpose().cov(1, 1), [[1.0, 2.0], [2.0, 4.0]]);
    nearly(samples().cov(-2, 0), [[2.0 / 3.0, 4.0 / 3.0], [4.0 / 3.0, 8.0 / 3.0]]);
    let batch = Tensor::stack::<3>(vec![samples(), samples() * 2.0], 0);
    exactly(batch.clone().cov(1, 1), [[[1.0, 2.0], [2.0, 4.0]], [[4.0, 8.0], [8.0, 16.0]]]);
    assert!(batch.try_cov(0, 1).is_err());
    assert!(float::<1>([1.0, 2.0]).try_cov(0, 1).is_err());
    // No degree of freedom is left.
    assert!(float::<2>([[1.0], [2.0]]).cov(1, 1).into_data().to_f64().iter().all(|x| x.is_nan()));
}

/// Norms of the rows (3, -4) and (0, -2), by the definitions.
#[test]
fn x_028_norms_under_their_own_names() {
    let x = || float::<2>([[3.0, -4.0], [0.0, -2.0]]);
    exactly(linalg::l0_norm(x(), 1), [[2.0], [1.0]]);
    exactly(linalg::l1_norm(x(), 1), [[7.0], [2.0]]);
    nearly(linalg::l2_norm(x(), 1), [[5.0], [2.0]]);
    nearly(linalg::lp_norm(x(), 3.0, -1), [[91.0_f64.cbrt()], [2.0]]);
    nearly(linalg::vector_norm(x(), 2, 1), [[5.0], [2.0]]);
    exactly(linalg::max_abs_norm(x(), 1), [[4.0], [2.0]]);
    exactly(linalg::min_abs_norm(x(), 1), [[3.0], [0.0]]);
    exactly(linalg::max_abs_norm(x(), 0), [[3.0, 4.0]]);
    let whole = || int::<2>([[3, -4], [0, -2]]);
    exactly(linalg::l0_norm(whole(), 1), [[2], [1]]);
    exactly(linalg::l1_norm(whole(), 1), [[7], [2]]);
    exactly(linalg::max_abs_norm(whole(), 1), [[4], [2]]);
    exactly(linalg::min_abs_norm(whole(), 0), [[0, 2]]);
    let error = linalg::try_l2_norm(x(), 2).unwrap_err();
    assert_eq!(error.operation(), "l2_norm");
}

#[test]
fn x_028_outer_products_along_a_dimension() {
    let (x, y) = (|| int::<1>([1, 2, 3]), || int::<1>([10, 20]));
    exactly(linalg::outer_dim::<_, 1, 2, _>(x(), y(), 0), [[10, 20], [20, 40], [30, 60]]);
    // Columns: along dimension 0 of `[2, 1]` and `[3, 1]`, and the last dimension broadcasts.
    let (x, y) = (float::<2>([[1.0], [2.0]]), float::<2>([[1.0, 0.0], [3.0, 1.0], [5.0, 2.0]]));
    let product = linalg::outer_dim::<_, 2, 3, _>(x.clone(), y.clone(), -2);
    exactly(product, [[[1.0, 0.0], [3.0, 1.0], [5.0, 2.0]], [[2.0, 0.0], [6.0, 2.0], [10.0, 4.0]]]);
    assert!(linalg::try_outer_dim::<_, 2, 4, _>(x.clone(), y.clone(), 0).is_err());
    assert!(linalg::try_outer_dim::<_, 2, 3, _>(x, y, 2).is_err());
}
