//! Quantized tensors.
//!
//! A [`QuantizationScheme`] defines the number format, which elements share a scale, and whether there are
//! zero points. [`Tensor::quantize_dynamic`](crate::Tensor::quantize_dynamic) computes the scales from the
//! elements; [`Tensor::quantize`](crate::Tensor::quantize) takes given ones, such as [`compute_q_params`]
//! computes from a calibrated [`CalibrationRange`].
//!
//! A quantized tensor is a [`Tensor`](crate::Tensor) of floats like others, with the same shape and dtype:
//! operations dequantize it first, and matrix products read the quantized numbers themselves. No gradient
//! flows to it.
//!
//! Weights of GGUF files stay in the blocks of the file ([`BlockFormat`],
//! [`Tensor::from_blocks`](crate::Tensor::from_blocks)).
//!
//! ```
//! use burn::backend::NdArray;
//! use burn::tensor::Tensor;
//! use burn::tensor::quantization::{QuantizationScheme, QuantizationType};
//!
//! let x = Tensor::<NdArray, 1>::from_data([-1.27, 0.5, 1.0], &Default::default());
//! let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
//! let quantized = x.quantize_dynamic(&scheme);
//! assert!(quantized.is_quantized());
//! // In steps of 0.01.
//! let error = (quantized.dequantize() - Tensor::from_data([-1.27, 0.5, 1.0], &Default::default())).abs();
//! assert!(error.max().into_scalar() < 1e-6);
//! ```

mod block_tensor;
mod blocks;
mod calibration;
mod fit;
mod matmul;
mod parameters;
mod quantize;
mod quantizer;
mod range;
mod tensor;

pub use block_tensor::BlockTensor;
pub use burn_backend::{
    BlockFormat, Packed, PackedBlocks, QuantizationLevel, QuantizationMode, QuantizationScheme,
    QuantizationType,
};
pub use calibration::{Calibration, MinMaxCalibration};
pub use fit::fits;
pub use parameters::{QuantizationParameters, compute_q_params, try_compute_q_params};
pub use quantizer::Quantizer;
pub use range::CalibrationRange;
pub use tensor::QuantizedTensor;

pub(crate) use matmul::product;
