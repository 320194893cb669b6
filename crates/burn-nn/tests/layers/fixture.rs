//! What `scripts/nn_fixtures.py` wrote.

use burn_autodiff::Autodiff;
use burn_core::module::Param;
use burn_core::tensor::{Tensor, TensorData};
use burn_ndarray::NdArray;
use serde_json::Value;

/// The fixtures are of float64, so that only the formula can differ.
pub type Inner = NdArray<f64>;
pub type B = Autodiff<Inner>;

pub struct Case(Value);

impl Case {
    pub fn of(name: &str) -> Self {
        let all: Value = serde_json::from_str(include_str!("torch.json")).unwrap();
        assert!(all[name].is_object(), "no case {name}");
        Case(all[name].clone())
    }

    fn data(&self, key: &str) -> TensorData {
        let numbers =
            |field: &str| self.0[key][field].as_array().unwrap_or_else(|| panic!("no {key}")).iter();
        let values: Vec<f64> = numbers("values").map(|value| value.as_f64().unwrap()).collect();
        let shape: Vec<usize> = numbers("shape").map(|size| size.as_u64().unwrap() as usize).collect();
        TensorData::new(values, shape)
    }

    /// The input, which asks for a gradient.
    pub fn x<const D: usize>(&self) -> Tensor<B, D> {
        Tensor::from_data(self.data("x"), &Default::default()).require_grad()
    }

    pub fn param<const D: usize>(&self, key: &str) -> Param<Tensor<B, D>> {
        Param::from_data(self.data(key), &Default::default())
    }

    /// Compares the output, and gives the gradients of the loss that the fixture has.
    #[track_caller]
    pub fn backward<const D: usize>(&self, y: Tensor<B, D>) -> Gradients {
        self.close("y", y.clone().inner());
        let count = y.shape().num_elements();
        let weights: Vec<f64> = (0..count).map(|i| (i as f64).cos()).collect();
        let weights = Tensor::<B, D>::from_data(TensorData::new(weights, y.shape()), &Default::default());
        (y * weights).sum().backward()
    }

    #[track_caller]
    pub fn close<const D: usize>(&self, key: &str, found: Tensor<Inner, D>) {
        let (expected, found) = (self.data(key), found.into_data());
        assert_eq!(expected.shape, found.shape, "{key}");
        for (at, (expected, found)) in expected.to_f64().into_iter().zip(found.to_f64()).enumerate() {
            let fits = (expected - found).abs() <= 1e-10 * expected.abs().max(1.0);
            assert!(fits, "{key}[{at}]: {found}, PyTorch has {expected}");
        }
    }

    /// Compares the gradient by `x`.
    #[track_caller]
    pub fn gradient<const D: usize>(&self, key: &str, x: &Tensor<B, D>, gradients: &Gradients) {
        self.close(&format!("grad_{key}"), x.grad(gradients).expect("there is a gradient"));
    }
}

pub type Gradients = burn_autodiff::Gradients;
