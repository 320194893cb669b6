use crate::GradientsParams;

/// Gradient accumulation: sums the gradients of several batches, so that one step acts as if on one large
/// batch.
///
/// The loss is usually a mean over its batch: divide it, or the learning rate, by the number of batches.
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
