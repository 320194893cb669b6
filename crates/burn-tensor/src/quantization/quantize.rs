use super::fit::check_fit;
use super::{
    CalibrationRange, Packed, QuantizationParameters, QuantizationScheme, QuantizedTensor, compute_q_params,
};
use crate::check::{check, together};
use crate::{Tensor, TensorError};
use alloc::boxed::Box;
use burn_backend::{Backend, DType, HasSpec, Operation, QuantizeArgs, Quantized};
use burn_derive::fallible;

#[fallible]
/// # Quantization, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Quantizes to the nearest numbers of `scheme`, with these scales; [`compute_q_params`] computes them
    /// from a range. A quantized tensor is dequantized first. No gradient flows through. PyTorch:
    /// `torch.quantize_per_tensor`.
    ///
    /// ```
    /// use burn::tensor::quantization::{QuantizationParameters, QuantizationScheme, QuantizationType};
    /// use burn::tensor::{Int, Tensor, backend::Backend};
    /// # fn quantize<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    /// let scheme = QuantizationScheme::PerTensorAffine(QuantizationType::QInt8);
    /// let parameters = QuantizationParameters {
    ///     scale: Tensor::from_data([0.1], &x.device()),
    ///     offset: Some(Tensor::from_data([-5], &x.device())),
    /// };
    /// x.quantize(&scheme, parameters)
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the scheme does not fit the shape, there are other numbers of scales and zero points than it
    /// needs, or they are of another dtype or device.
    pub fn try_quantize(
        self,
        scheme: &QuantizationScheme,
        parameters: QuantizationParameters<B>,
    ) -> Result<Self, TensorError> {
        let shape = self.shape();
        let (x, scale) = (self.into_handle(), parameters.scale.into_handle());
        let zero = parameters.offset.map(|offset| B::cast(offset.into_handle(), DType::I32));
        let args = QuantizeArgs { x, scale, zero, scheme: *scheme };
        check_fit(*scheme, args.x.spec())?;
        check(&Operation::Quantized(Quantized::Quantize(Box::new(args.map_ref(HasSpec::spec)))))?;
        together::<B>("quantize", &args.x, &[&args.scale])?;
        args.zero.iter().try_for_each(|zero| together::<B>("quantize", &args.x, &[zero]))?;
        let (scale, zero) = (args.scale.clone(), args.zero.clone());
        let values = B::quantize(args);
        let parts = QuantizedTensor::try_new(Packed { values, scale, zero, scheme: *scheme, shape })?;
        Ok(Tensor::from_quantized(parts))
    }

    /// [`Tensor::quantize`] with the scales that the elements themselves need. PyTorch:
    /// `torch.quantize_per_tensor_dynamic`.
    ///
    /// # Errors
    /// When the scheme does not fit the shape.
    pub fn try_quantize_dynamic(self, scheme: &QuantizationScheme) -> Result<Self, TensorError> {
        let range = CalibrationRange::try_of(&self, scheme)?;
        self.try_quantize(scheme, compute_q_params(scheme, range))
    }
}

#[fallible]
/// # Quantization, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Dequantizes a quantized tensor to floats; returns any other tensor as it is. PyTorch:
    /// `x.dequantize()`.
    pub fn try_dequantize(self) -> Result<Self, TensorError> {
        Ok(if self.is_quantized() { Self::from_handle(self.into_handle()) } else { self })
    }
}
