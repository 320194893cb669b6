use super::{ModuleMapper, ParamId};
use crate::tensor::quantization::{CalibrationRange, QuantizationScheme, compute_q_params, fits};
use crate::tensor::{Backend, Tensor};

/// How the range of the numbers that share a scale is found.
pub trait Calibration {
    /// The range of `tensor`, for each scale that it gets by `scheme`.
    ///
    /// # Panics
    /// The scheme does not fit the shape.
    #[track_caller]
    fn compute_range<B: Backend, const D: usize>(
        &self,
        tensor: &Tensor<B, D>,
        scheme: &QuantizationScheme,
    ) -> CalibrationRange<B>;

    /// The range of all that was seen `so_far`, and of another tensor: a running range over batches.
    ///
    /// # Panics
    /// The scheme does not fit the shape, or gives another number of scales than before.
    #[must_use]
    #[track_caller]
    fn update_range<B: Backend, const D: usize>(
        &self,
        so_far: Option<CalibrationRange<B>>,
        tensor: &Tensor<B, D>,
        scheme: &QuantizationScheme,
    ) -> CalibrationRange<B> {
        let range = self.compute_range(tensor, scheme);
        match so_far {
            Some(so_far) => so_far.merge(range),
            None => range,
        }
    }
}

/// From the smallest to the largest number: nothing is cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinMaxCalibration;

impl Calibration for MinMaxCalibration {
    fn compute_range<B: Backend, const D: usize>(
        &self,
        tensor: &Tensor<B, D>,
        scheme: &QuantizationScheme,
    ) -> CalibrationRange<B> {
        CalibrationRange::of(tensor, scheme)
    }
}

/// Quantizes the weights of a module: [`Module::quantize_weights`](super::Module::quantize_weights).
///
/// Weights are float parameters of two and more dimensions. What has fewer, such as a bias or the factors of a
/// normalization, has few numbers that count much, and stays as it is; so does what the scheme does not fit, because it
/// has no such dimension or its last one is no whole number of blocks, and what is quantized already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantizer<C = MinMaxCalibration> {
    pub calibration: C,
    pub scheme: QuantizationScheme,
}

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

/// Makes floats of all parameters that are quantized.
///
/// ```
/// use burn_core::module::{Dequantize, Module, Param, Quantizer, MinMaxCalibration};
/// use burn_core::tensor::Tensor;
/// use burn_core::tensor::quantization::{QuantizationScheme, QuantizationType};
/// use burn_ndarray::NdArray;
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
