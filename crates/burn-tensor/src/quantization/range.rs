use super::QuantizationScheme;
use super::fit::check_fit;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, Dims, ReduceOp, Scalar, Shape, TensorSpec};
use burn_derive::fallible;

/// The smallest and the largest element of all that share a scale.
#[derive(Clone, Debug)]
pub struct CalibrationRange<B: Backend> {
    /// One number for each scale.
    pub min: Tensor<B, 1>,
    /// One number for each scale.
    pub max: Tensor<B, 1>,
}

#[fallible]
impl<B: Backend> CalibrationRange<B> {
    /// Computes the range of `tensor` for each scale of `scheme`. Nothing is read from the device, and no
    /// gradient flows.
    ///
    /// # Errors
    /// When the scheme does not fit the shape.
    pub fn try_of<const D: usize>(
        tensor: &Tensor<B, D>,
        scheme: &QuantizationScheme,
    ) -> Result<Self, TensorError> {
        check_fit(*scheme, tensor.spec())?;
        let (shape, dtype) = (tensor.shape(), tensor.dtype());
        let (step, count) = scheme.grid(&shape);
        if shape.num_elements() == 0 {
            let zeros = B::full(TensorSpec::new([count], dtype), Scalar::Int(0), &tensor.device());
            let zeros = Tensor::from_handle(zeros);
            return Ok(CalibrationRange { min: zeros.clone(), max: zeros });
        }
        let grouped = Shape::new([shape.num_elements() / (step * count), count, step]);
        let x = B::reshape(B::detach(tensor.clone().into_handle()), grouped);
        let extreme = |op, x| {
            let found = B::reduce(op, x, Dims::from([0, 2]));
            Tensor::from_handle(B::reshape(found, Shape::new([count])))
        };
        Ok(CalibrationRange { min: extreme(ReduceOp::Min, x.clone()), max: extreme(ReduceOp::Max, x) })
    }

    /// Merges two ranges, as when a calibration sees another batch.
    ///
    /// # Errors
    /// When they are of different numbers of scales.
    pub fn try_merge(self, other: Self) -> Result<Self, TensorError> {
        Ok(CalibrationRange {
            min: self.min.try_min_pair(other.min)?,
            max: self.max.try_max_pair(other.max)?,
        })
    }
}
