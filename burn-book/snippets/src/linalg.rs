use burn::backend::NdArray;
use burn::prelude::*;
use burn::tensor::Tolerance;

fn matrix(values: impl Into<TensorData>) -> Tensor<NdArray<f64>, 2> {
    Tensor::from_data(values, &Default::default())
}

#[test]
fn systems_are_solved() {
    // ANCHOR: solve
    use burn::tensor::linalg;

    let a = matrix([[3.0, 1.0], [1.0, 2.0]]);
    let b = matrix([[9.0], [8.0]]);
    let x = linalg::solve(a, b);

    // A singular system is an error, which names the matrix of the batch.
    let singular = matrix([[1.0, 2.0], [2.0, 4.0]]);
    assert!(linalg::try_inverse(singular).is_err());
    // ANCHOR_END: solve
    x.into_data()
        .assert_approx_eq::<f64>(&TensorData::from([[2.0], [3.0]]), Tolerance::rel_abs(1e-12, 1e-12));
}

#[test]
fn matrices_are_taken_apart() {
    // ANCHOR: factor
    use burn::tensor::linalg;

    let a = matrix([[2.0, 0.0], [0.0, 3.0], [0.0, 0.0]]);
    let (u, s, v_transposed) = linalg::svd::<_, 2, 1>(a.clone());
    let again = (u * s.clone().unsqueeze::<2>()).matmul(v_transposed);
    // ANCHOR_END: factor
    s.into_data().assert_approx_eq::<f64>(&TensorData::from([3.0, 2.0]), Tolerance::rel_abs(1e-12, 1e-12));
    again.into_data().assert_approx_eq::<f64>(&a.into_data(), Tolerance::rel_abs(1e-12, 1e-12));
}
