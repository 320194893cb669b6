use crate::GradientsParams;

/// Gradient accumulation: sums the gradients of several batches, so that one step acts as if on one large
/// batch.
///
/// The loss is usually a mean over its batch: divide it, or the learning rate, by the number of batches.
/// Gradients of half precision are summed in `f32`.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{GradientsAccumulator, GradientsParams};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let model: Linear<Autodiff<NdArray>> = LinearConfig::new(1, 1).init(&device);
/// let mut accumulator = GradientsAccumulator::new();
/// for value in [1.0, 2.0, 3.0] {
///     let loss = model.forward(Tensor::<_, 2>::full([1, 1], value, &device)).sum();
///     accumulator.accumulate(&model, GradientsParams::from_grads(loss.backward(), &model));
/// }
/// let weight: Tensor<NdArray, 2> = accumulator.grads().get(model.weight.id()).unwrap();
/// assert_eq!(weight.into_scalar(), 6.0);
/// assert!(accumulator.grads().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct GradientsAccumulator {
    sums: GradientsParams,
}

impl GradientsAccumulator {
    /// Returns an accumulator without gradients.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the gradients of the parameters of `module`.
    pub fn accumulate<M>(&mut self, _module: &M, grads: GradientsParams) {
        self.sums.add_all(grads);
    }

    /// Returns the sums and resets the accumulator.
    pub fn grads(&mut self) -> GradientsParams {
        core::mem::take(&mut self.sums)
    }
}

#[cfg(test)]
mod tests {
    use super::GradientsAccumulator;
    use crate::GradientsParams;
    use burn_core::module::ParamId;
    use burn_core::tensor::{DType, Tensor, bf16};
    use burn_ndarray::NdArray;

    #[test]
    fn half_precision_gradients_are_summed_in_f32() {
        let mut accumulator = GradientsAccumulator::new();
        for value in [256.0, 1.0, 1.0, 1.0] {
            let mut grads = GradientsParams::new();
            grads.register(
                ParamId::from(1),
                Tensor::<NdArray<bf16>, 1>::from_data([value], &Default::default()),
            );
            accumulator.accumulate(&(), grads);
        }
        // In bf16, 256 + 1 is 256.
        let sum = accumulator.grads().remove::<NdArray<bf16>, 1>(ParamId::from(1)).unwrap();
        assert_eq!((sum.dtype(), sum.into_data().to_f64()), (DType::F32, vec![259.0]));
    }
}
