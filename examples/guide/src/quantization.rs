//! The trained model in a quarter of its size, or less.

use crate::model::Model;
use burn::module::{MinMaxCalibration, ModuleMapper, ParamId, Quantizer};
use burn::prelude::*;
use burn::tensor::quantization::QuantizationScheme;

// ANCHOR: quantize
/// The model with weights of few bits.
pub fn quantize<B: Backend>(model: Model<B>, scheme: QuantizationScheme) -> Model<B> {
    let mut quantizer = Quantizer { calibration: MinMaxCalibration {}, scheme };
    model.quantize_weights(&mut quantizer)
}
// ANCHOR_END: quantize

// ANCHOR: channels
/// Gives each output of a layer a scale of its own.
struct ByOutput(QuantizationScheme);

impl<B: Backend> ModuleMapper<B> for ByOutput {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        match D {
            0 | 1 => tensor,                                      // A bias.
            2 => tensor.quantize_dynamic(&self.0.per_channel(1)), // [inputs, outputs]
            _ => tensor.quantize_dynamic(&self.0.per_channel(0)), // [channels_out, channels_in, ..]
        }
    }
}

/// Quantizes the weights of the model, with a scale for each output of each layer.
pub fn quantize_by_output<B: Backend>(model: Model<B>, scheme: QuantizationScheme) -> Model<B> {
    model.map(&mut ByOutput(scheme))
}
// ANCHOR_END: channels
