use crate::TensorError;
use crate::check::check;
use alloc::boxed::Box;
use burn_backend::{
    DType, Operation, QuantizationLevel, QuantizationScheme, QuantizeArgs, Quantized, Shape, TensorSpec,
};

/// Returns whether tensors of this shape can be quantized by `scheme`: the channel dimension exists, and the
/// last dimension is a multiple of the block size. PyTorch has no counterpart.
#[must_use]
pub fn fits(scheme: &QuantizationScheme, shape: &Shape) -> bool {
    check_fit(*scheme, &TensorSpec { shape: shape.clone(), dtype: DType::F32 }).is_ok()
}

/// Checks the fit by the shape inference of the operation.
#[track_caller]
pub(super) fn check_fit(scheme: QuantizationScheme, x: &TensorSpec) -> Result<(), TensorError> {
    // Counted here, because a scheme that does not fit has no number of scales.
    let count = match scheme.level {
        QuantizationLevel::Tensor => 1,
        QuantizationLevel::Channel(dim) => x.shape.get(dim).copied().unwrap_or(0),
        QuantizationLevel::Block(size) => x.shape.num_elements().checked_div(size).unwrap_or(0),
    };
    let (scale, zero) = (TensorSpec::new([count], x.dtype), TensorSpec::new([count], DType::I32));
    let zero = scheme.is_affine().then_some(&zero);
    check(&Operation::Quantized(Quantized::Quantize(Box::new(QuantizeArgs {
        x,
        scale: &scale,
        zero,
        scheme,
    }))))
}
