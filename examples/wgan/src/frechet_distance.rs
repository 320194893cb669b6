//! A distance between two sets of images.

use burn::prelude::*;
use burn::tensor::linalg;

/// Returns the Fréchet distance between the normal distributions with the means and covariances of two
/// samples, `[count, features]` each:
///
/// ```text
/// d^2 = |m - n|^2 + tr(C + D - 2 (C^(1/2) D C^(1/2))^(1/2))
/// ```
///
/// It is 0 where means and covariances are equal. Dowson and Landau, *The Fréchet distance between
/// multivariate normal distributions*, 1982; on features of a network it is the Fréchet inception distance.
pub fn frechet_distance<B: Backend>(first: Tensor<B, 2>, second: Tensor<B, 2>) -> f64 {
    let means = first.clone().mean_dim(0) - second.clone().mean_dim(0);
    let (first, second) = (first.cov(0, 1), second.cov(0, 1));
    let traces = linalg::trace::<B, 2, 1, _>(first.clone()) + linalg::trace::<B, 2, 1, _>(second.clone());
    let root = square_root(first);
    let product = root.clone().matmul(second).matmul(root);
    // The trace of the root of a matrix is the sum of the roots of its eigenvalues.
    let eigenvalues = linalg::eigvalsh::<B, 2, 1>(product);
    let shared = eigenvalues.clamp_min(0.0).sqrt().sum();
    let squared: f64 = (means.square().sum() + traces - shared * 2.0).into_scalar().elem();
    squared.max(0.0).sqrt()
}

/// Returns the symmetric square root of a positive semidefinite matrix.
fn square_root<B: Backend>(matrix: Tensor<B, 2>) -> Tensor<B, 2> {
    let (values, vectors) = linalg::eigh::<B, 2, 1>(matrix);
    let roots = values.clamp_min(0.0).sqrt().unsqueeze_dim::<2>(0);
    (vectors.clone() * roots).matmul(vectors.transpose())
}
