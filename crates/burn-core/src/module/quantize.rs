use super::{ModuleMapper, ParamId};
use crate::tensor::quantization::{Calibration, Quantizer, compute_q_params, fits};
use crate::tensor::{Backend, Tensor};

impl<B: Backend, C: Calibration> ModuleMapper<B> for Quantizer<C> {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        if D < 2 || tensor.is_quantized() || !fits(&self.scheme, &tensor.shape()) {
            return tensor;
        }
        let range = self.calibration.compute_range(&tensor, &self.scheme);
        let parameters = compute_q_params(&self.scheme, range);
        tensor.detach().quantize(&self.scheme, parameters)
    }
}

/// Mapper that dequantizes all quantized parameters.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Dequantize, Module, Param, Quantizer, MinMaxCalibration};
/// use burn::tensor::Tensor;
/// use burn::tensor::quantization::{QuantizationScheme, QuantizationType};
///
/// let weight: Param<Tensor<NdArray, 2>> = Param::from_data([[-127.0, 0.2], [5.0, 64.0]], &Default::default());
/// let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
/// let mut quantizer = Quantizer { calibration: MinMaxCalibration {}, scheme };
/// let quantized = weight.quantize_weights(&mut quantizer);
/// assert!(quantized.is_quantized());
/// let weight = Module::map(quantized, &mut Dequantize {});
/// assert_eq!(weight.to_data().to_f64(), [-127.0, 0.0, 5.0, 64.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dequantize;

impl<B: Backend> ModuleMapper<B> for Dequantize {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        tensor.dequantize()
    }
}
