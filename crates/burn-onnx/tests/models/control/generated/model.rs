// Generated from `model.onnx` by burn-onnx. Edits are lost when it is generated again.

extern crate alloc;
use alloc::{vec, vec::Vec};
use burn::module::{Module, Param, Initializer};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Tensor, backend::Backend, DType, Int, s};

/// Model of `model.onnx`, 12 parameters.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    /// Linear layer from 3 to 3 features.
    pub weight: Linear<B>,
    /// `zero_row`, [3].
    pub zero_row: Param<Tensor<B, 1>>,
}

burn::record::impl_from_embedded!(Model, include_bytes!("model.bin"));

impl<B: Backend> Model<B> {
    /// Makes the model with random weights, which take no memory before their first use.
    pub fn new(device: &B::Device) -> Self {
        Model {
            weight: LinearConfig::new(3, 3).with_bias(false).init(device),
            zero_row: Initializer::Normal {
                mean: 0.0,
                std: 0.02,
            }
                .init([3], device),
        }
    }

    /// Computes the outputs of the model.
    ///
    /// Inputs:
    ///
    /// - `x`: `[rows, 3]`, f32
    /// - `steps`: one number, i64
    ///
    /// Outputs:
    ///
    /// - `y`: `[?, 3]`, f32
    /// - `sums`: `[?]`, f32
    #[allow(
        clippy::let_and_return,
        clippy::too_many_arguments,
        clippy::type_complexity,
        unused_assignments
    )]
    pub fn forward(
        &self,
        x: Tensor<B, 2>,
        steps: Tensor<B, 1, Int>,
    ) -> (Tensor<B, 2>, Tensor<B, 1>) {
        let device = &x.device();
        let sum_dims = x.clone().sum_dims(&[0, 1]);
        let mass: Tensor<B, 1> = sum_dims.squeeze_dims(&[1]);
        let is_positive = mass.greater_elem(0.0);
        let is_positive_values: Vec<bool> = is_positive
            .to_data()
            .iter::<bool>()
            .collect();
        let start = if is_positive_values[0] {
            let a = x.clone().mul_scalar(2.0);
            a
        } else {
            let b = x.clone().neg();
            b
        };
        let steps_values: Vec<i64> = steps.to_data().iter::<i64>().collect();
        let mut moved_all = start;
        let mut sums_parts = Vec::new();
        for iteration in 0..steps_values[0] {
            let mixed = self.weight.forward(moved_all);
            let moved = mixed.add_scalar(iteration as f64);
            let out = moved.add(x.clone());
            let sum_dims_2 = out.clone().sum_dims(&[0, 1]);
            let sum: Tensor<B, 1> = sum_dims_2.squeeze_dims(&[1]);
            let goes_on = sum.clone().lower_elem(80.0);
            let goes_on_values: Vec<bool> = goes_on.to_data().iter::<bool>().collect();
            sums_parts.push(sum);
            moved_all = out;
            if !goes_on_values[0] {
                break;
            }
        }
        let sums: Tensor<B, 1> = if sums_parts.is_empty() {
            Tensor::zeros([0], (device, DType::F32))
        } else {
            Tensor::cat(sums_parts, 0)
        };
        let mut grown = moved_all;
        for _ in 0..3_i64 {
            let [grown_size_0, _] = grown.dims().map(|size| size as i64);
            let first_row = grown.clone().slice(s![.. (1_i64.min(grown_size_0)), ..]);
            let more = Tensor::cat(vec![grown, first_row], 0);
            grown = more;
        }
        let [grown_size_0_2, _] = grown.dims().map(|size| size as i64);
        let mut last = self.zero_row.val();
        let mut totals_parts = Vec::new();
        for iteration_2 in 0..grown_size_0_2 {
            let slice = grown.clone().slice(s![iteration_2.. (iteration_2 + 1)]);
            let squeeze_dims: Tensor<B, 1> = slice.squeeze_dims(&[0]);
            let total = last.add(squeeze_dims);
            let scaled = total.clone().mul_scalar(2.0);
            let unsqueeze_dims: Tensor<B, 2> = scaled.unsqueeze_dims(&[0]);
            totals_parts.push(unsqueeze_dims);
            last = total;
        }
        let totals: Tensor<B, 2> = if totals_parts.is_empty() {
            Tensor::zeros([0, 3], (device, DType::F32))
        } else {
            Tensor::cat(totals_parts, 0)
        };
        let unsqueeze_dims_2: Tensor<B, 2> = last.unsqueeze_dims(&[0]);
        let y = totals.add(unsqueeze_dims_2);
        (y, sums)
    }
}
