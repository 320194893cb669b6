use super::class_counts::class_pairs;
use super::counted::sum_parts;
use super::{
    AccuracyInput, CountedMetric, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry,
    NumericMetricState,
};
use crate::history::Direction;
use burn_tensor::{Backend, activation};
use std::marker::PhantomData;

/// Perplexity of a language model: `exp` of the mean negative log-likelihood of the tokens.
///
/// The mean is over all tokens of the epoch. Input: logits `[tokens, vocabulary]` and the tokens that are
/// right, `[tokens]`; flatten batches of sequences. torchmetrics: `torchmetrics.text.Perplexity`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// // A model that knows nothing about eight tokens is as perplexed as by a draw from eight.
/// let logits = Tensor::<NdArray, 2>::zeros([3, 8], &Default::default());
/// let mut metric = PerplexityMetric::new();
/// let input = AccuracyInput::new(logits, Tensor::from_data([0, 5, 2], &Default::default()));
/// metric.update(&input, &MetricMetadata::default());
/// assert!((metric.value() - 8.0).abs() < 1e-5);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PerplexityMetric<B: Backend> {
    loss: NumericMetricState,
    pad_token: Option<usize>,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> PerplexityMetric<B> {
    /// Counts every token.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out the rows whose target is `token`.
    pub fn with_pad_token(mut self, token: usize) -> Self {
        self.pad_token = Some(token);
        self
    }
}

impl<B: Backend> Metric for PerplexityMetric<B> {
    type Input = AccuracyInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If the targets do not fit the logits.
    fn update(&mut self, input: &AccuracyInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("Perplexity".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Lowest)
    }

    fn clear(&mut self) {
        self.loss.reset();
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl<B: Backend> CountedMetric<AccuracyInput<B>> for PerplexityMetric<B> {
    fn count(&self, input: &AccuracyInput<B>) -> Vec<f64> {
        let [tokens, vocabulary] = input.outputs.dims();
        let targets = input.targets.clone().into_data();
        let rows: Vec<i64> = (0..tokens as i64).collect();
        let rows = burn_tensor::TensorData::new(rows, [tokens]);
        // Pads need not be tokens of the vocabulary: they are checked and left out before the device sees
        // them.
        let counted = class_pairs(&rows, &targets, vocabulary, self.pad_token);
        let log_probabilities =
            activation::log_softmax(input.outputs.clone().detach(), 1).into_data().to_f64();
        let log_likelihood = |(row, target): &(usize, usize)| log_probabilities[row * vocabulary + target];
        vec![-counted.iter().map(log_likelihood).sum::<f64>(), counted.len() as f64]
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        let [sum, count] = sum_parts(parts);
        let (loss, count) = (sum / count, count as usize);
        let format = FormatOptions::new("Perplexity").precision(2);
        self.loss.update(loss, count, format.clone());
        MetricEntry::numeric(&format, self.value(), NumericEntry { value: loss.exp(), count })
    }
}

impl<B: Backend> Numeric for PerplexityMetric<B> {
    fn value(&self) -> f64 {
        self.loss.value().exp()
    }
}
