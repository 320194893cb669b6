// Generated from `model.onnx` by burn-onnx. Edits are lost when it is generated again.

extern crate alloc;
use alloc::vec::Vec;
use burn::module::Module;
use burn::tensor::{Tensor, backend::Backend, Int};

/// Model of `model.onnx`, 0 parameters.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    phantom: core::marker::PhantomData<B>,
}

burn::record::impl_from_embedded!(Model, include_bytes!("model.bin"));

impl<B: Backend> Model<B> {
    /// Makes the model with random weights, which take no memory before their first use.
    pub fn new(_device: &B::Device) -> Self {
        Model {
            phantom: core::marker::PhantomData,
        }
    }

    /// Computes the outputs of the model.
    ///
    /// Inputs:
    ///
    /// - `input`: `[1, 8]`, f32
    /// - `state`: `[2, 1, 4]`, f32
    /// - `sr`: one number, i64
    ///
    /// Outputs:
    ///
    /// - `speech`: `[1]`, f32
    /// - `halvings`: `[?, 1]`, f32
    /// - `stateN`: `[2, 1, 4]`, f32
    #[allow(
        clippy::let_and_return,
        clippy::too_many_arguments,
        clippy::type_complexity,
        unused_assignments
    )]
    pub fn forward(
        &self,
        input: Tensor<B, 2>,
        state: Tensor<B, 3>,
        sr: Tensor<B, 1, Int>,
    ) -> (Tensor<B, 1>, Tensor<B, 2>, Tensor<B, 3>) {
        let power = input.clone().mul(input);
        let is_wide = sr.equal_elem(16000);
        let is_wide_values: Vec<bool> = is_wide.to_data().iter::<bool>().collect();
        let scaled = if is_wide_values[0] {
            let wide_power = power.clone().mul_scalar(0.5);
            wide_power
        } else {
            let narrow_power = power.mul_scalar(0.25);
            narrow_power
        };
        let mean = scaled.mean_dims(&[1]);
        let one_mean: Tensor<B, 1> = mean.squeeze_dims(&[0]);
        let mut speech = one_mean;
        let mut halvings_parts = Vec::new();
        for _ in 0..40_i64 {
            let halved = speech.mul_scalar(0.5);
            let level_out = halved.clone().add_scalar(0.01);
            let sum = level_out.clone().sum_dims(&[0]);
            let goes_on = sum.greater_elem(1.0);
            let unsqueeze_dims: Tensor<B, 2> = halved.unsqueeze_dims(&[0]);
            let goes_on_values: Vec<bool> = goes_on.to_data().iter::<bool>().collect();
            halvings_parts.push(unsqueeze_dims);
            speech = level_out;
            if !goes_on_values[0] {
                break;
            }
        }
        let halvings: Tensor<B, 2> = Tensor::cat(halvings_parts, 0);
        let added = speech.clone().reshape([1, 1, 1]);
        let state_n = state.add(added);
        (speech, halvings, state_n)
    }
}
