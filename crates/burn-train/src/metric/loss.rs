use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericMetricState};
use burn_tensor::{Backend, Tensor, TensorData};
use std::fmt;
use std::marker::PhantomData;

/// The mean loss.
///
/// A loss that is already a mean (`[1]`) counts as one, so that the epoch is the mean over its
/// batches; one that is not reduced (`[batch]`) counts as many as it has elements.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let mut metric = LossMetric::new();
/// for loss in [0.5, 0.25] {
///     let loss = Tensor::<NdArray, 1>::from_data([loss], &Default::default());
///     metric.update(&LossInput::new(loss), &MetricMetadata::default());
/// }
/// assert_eq!(metric.value(), 0.375);
/// ```
pub struct LossMetric<B: Backend> {
    loss: Loss,
    backend: PhantomData<fn(B)>,
}

/// The loss of a batch.
#[derive(Clone, Debug)]
pub struct LossInput<B: Backend> {
    /// The loss, reduced to `[1]` or not.
    pub tensor: Tensor<B, 1>,
}

impl<B: Backend> LossInput<B> {
    /// Takes a loss, reduced to `[1]` or not.
    pub fn new(tensor: Tensor<B, 1>) -> Self {
        Self { tensor }
    }
}

impl<B: Backend> LossMetric<B> {
    /// Starts with no batch.
    pub fn new() -> Self {
        Self { loss: Loss::default(), backend: PhantomData }
    }
}

impl<B: Backend> Metric for LossMetric<B> {
    type Input = LossInput<B>;

    fn update(&mut self, input: &LossInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        self.loss.update(input.tensor.clone().into_data())
    }

    fn clear(&mut self) {
        self.loss.state.reset();
    }
}

impl<B: Backend> Numeric for LossMetric<B> {
    fn value(&self) -> f64 {
        self.loss.state.value()
    }
}

impl<B: Backend> Default for LossMetric<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Backend> Clone for LossMetric<B> {
    fn clone(&self) -> Self {
        Self { loss: self.loss.clone(), backend: PhantomData }
    }
}

impl<B: Backend> fmt::Debug for LossMetric<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.loss.fmt(f)
    }
}

#[derive(Clone, Debug, Default)]
struct Loss {
    state: NumericMetricState,
}

impl Loss {
    fn update(&mut self, losses: TensorData) -> MetricEntry {
        let losses = losses.to_f64();
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        self.state.update(mean, losses.len(), FormatOptions::new("Loss").precision(4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;

    #[test]
    fn a_loss_that_is_not_reduced_counts_by_element() {
        let mut metric = LossMetric::<NdArray>::new();
        let mut update = |losses: Vec<f32>| {
            let data = TensorData::new(&losses[..], [losses.len()]);
            let input = LossInput::new(Tensor::from_data(data, &Default::default()));
            metric.update(&input, &MetricMetadata::default())
        };
        update(vec![1.0, 2.0, 3.0]);
        let entry = update(vec![6.0]);
        assert_eq!((entry.formatted.as_str(), entry.serialized.as_str()), ("3.0000", "6,1"));
        assert_eq!(metric.value(), 3.0);
    }
}
