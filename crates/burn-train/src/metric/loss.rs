use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericMetricState};
use crate::history::Direction;
use burn_tensor::{Backend, Tensor, TensorData};
use std::fmt;
use std::marker::PhantomData;

/// The mean loss over the items of an epoch.
///
/// A loss that is a mean over its batch (`[1]`) is weighted by the number of items of the batch, so that a
/// last batch with fewer items counts less; one that is not reduced (`[batch]`) counts as many as it has
/// elements. The number is that of the [input](LossInput::with_items), else that of the
/// [loader](MetricMetadata::items); where neither is known, a batch counts as one. PyTorch Lightning's
/// `self.log`, Keras and torchmetrics weight likewise.
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
///
/// // A batch of three items after two of one.
/// let loss = Tensor::<NdArray, 1>::from_data([1.0], &Default::default());
/// metric.update(&LossInput::new(loss).with_items(3), &MetricMetadata::default());
/// assert_eq!(metric.value(), 0.75);
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
    /// The number of items that a reduced loss is the mean of, where it is known.
    pub items: Option<usize>,
}

impl<B: Backend> LossInput<B> {
    /// Takes a loss, reduced to `[1]` or not.
    pub fn new(tensor: Tensor<B, 1>) -> Self {
        Self { tensor, items: None }
    }

    /// Sets the number of items that a reduced loss is the mean of.
    pub fn with_items(mut self, items: usize) -> Self {
        self.items = Some(items);
        self
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

    fn update(&mut self, input: &LossInput<B>, metadata: &MetricMetadata) -> MetricEntry {
        self.loss.update(input.tensor.clone().into_data(), input.items.or(metadata.items))
    }

    fn name(&self) -> Option<String> {
        Some("Loss".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Lowest)
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
    fn update(&mut self, losses: TensorData, items: Option<usize>) -> MetricEntry {
        let losses = losses.to_f64();
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        let count = if losses.len() == 1 { items.unwrap_or(1) } else { losses.len() };
        self.state.update(mean, count, FormatOptions::new("Loss").precision(4))
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

    /// torchmetrics: `MeanMetric` updated with `(2.0, weight=30)` and `(5.0, weight=10)` is 2.75.
    #[test]
    fn a_reduced_loss_counts_by_the_items_of_its_batch() {
        let metadata = |items| MetricMetadata { items, ..Default::default() };
        let loss = |value: f32| LossInput::new(Tensor::from_data([value], &Default::default()));
        let mut metric = LossMetric::<NdArray>::new();
        metric.update(&loss(2.0), &metadata(Some(30)));
        let entry = metric.update(&loss(5.0), &metadata(Some(10)));
        assert_eq!((metric.value(), entry.serialized.as_str()), (2.75, "5,10"));

        metric.clear();
        metric.update(&loss(2.0).with_items(3), &metadata(Some(7)));
        metric.update(&loss(6.0), &metadata(None));
        assert_eq!(metric.value(), 3.0, "the number of the input comes first, and an unknown one is 1");
    }
}
