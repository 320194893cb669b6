//! Gradients against central differences, in `f64`.

use crate::given::CPU;
use burn::backend::{Autodiff, NdArray};
use burn::tensor::{Tensor, TensorData};

/// The backend that functions under test run on.
pub type A = Autodiff<NdArray<f64>>;

/// Asserts that the gradient of a weighted sum of `f` agrees with difference quotients at `at`.
#[track_caller]
pub fn agree<const D: usize, const D2: usize>(
    at: impl Into<TensorData>,
    f: impl Fn(Tensor<A, D>) -> Tensor<A, D2>,
) {
    const STEP: f64 = 1e-6;
    let at = at.into();
    let weighted = |x: Tensor<A, D>| {
        let y = f(x);
        let count = y.shape().num_elements();
        let weights: Vec<f64> = (0..count).map(|i| ((i * 7 % 11) as f64 - 4.5) / 4.0).collect();
        let weights = Tensor::<A, D2>::from_data(TensorData::new(weights, y.shape()), CPU);
        (y * weights).sum()
    };
    let x = Tensor::<A, D>::from_data(at.clone(), CPU).require_grad();
    let gradients = weighted(x.clone()).backward();
    let gradient = x.grad(&gradients).expect("tracked").into_data().to_f64();
    let values = at.to_f64();
    for (i, found) in gradient.into_iter().enumerate() {
        let moved = |step: f64| {
            let mut values = values.clone();
            values[i] += step;
            let data = TensorData::new(values, at.shape.clone());
            weighted(Tensor::from_data(data, CPU)).into_scalar()
        };
        let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        assert!(
            (found - expected).abs() <= 1e-6 * (1.0 + expected.abs()),
            "element {i}: the gradient is {found}, the difference {expected}"
        );
    }
}
