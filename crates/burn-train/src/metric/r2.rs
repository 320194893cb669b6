use super::regression_input::HostRegression;
use super::{FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry, RegressionInput};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// Coefficient of determination `R^2 = 1 - sum((y - prediction)^2) / sum((y - mean(y))^2)` over the epoch.
///
/// 1 is a perfect prediction, 0 that of the mean of the targets. Several outputs have the mean of theirs.
/// Where all targets of an output are equal it is 1 for perfect predictions, and otherwise 0. scikit-learn:
/// `sklearn.metrics.r2_score`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// let predictions = Tensor::<NdArray, 2>::from_data([[1.0], [2.0], [6.0]], &device);
/// let targets = Tensor::from_data([[1.0], [3.0], [5.0]], &device);
/// let mut metric = R2Metric::new();
/// metric.update(&RegressionInput::new(predictions, targets), &MetricMetadata::default());
/// assert_eq!(metric.value(), 0.75);
/// ```
#[derive(Clone, Debug, Default)]
pub struct R2Metric<B: Backend> {
    outputs: Vec<Variation>,
    backend: PhantomData<fn(B)>,
}

/// The targets of one output, and how far predictions are from them.
#[derive(Clone, Copy, Debug, Default)]
struct Variation {
    count: f64,
    mean: f64,
    /// Sum of the squared differences from the mean.
    total: f64,
    /// Sum of the squared differences from the predictions.
    residual: f64,
}

impl Variation {
    /// Adds a target by the update of Welford (1962), which does not subtract large sums.
    fn add(&mut self, prediction: f64, target: f64) {
        self.count += 1.0;
        let difference = target - self.mean;
        self.mean += difference / self.count;
        self.total += difference * (target - self.mean);
        self.residual += (target - prediction) * (target - prediction);
    }

    fn r2(self) -> f64 {
        match (self.residual, self.total) {
            (residual, _) if self.count > 0.0 && residual == 0.0 => 1.0,
            (_, total) if self.count > 0.0 && total == 0.0 => 0.0,
            (residual, total) => 1.0 - residual / total,
        }
    }
}

impl<B: Backend> R2Metric<B> {
    /// Starts without a prediction.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<B: Backend> Metric for R2Metric<B> {
    type Input = RegressionInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If predictions and targets have different shapes.
    fn update(&mut self, input: &RegressionInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let host = input.on_host();
        let mut batch = vec![Variation::default(); host.outputs];
        add(&mut batch, &host);
        let most = self.outputs.len().max(host.outputs);
        self.outputs.resize(most, Variation::default());
        add(&mut self.outputs, &host);
        let count = host.targets.len();
        let format = FormatOptions::new("R2").precision(4);
        MetricEntry::numeric(&format, self.value(), NumericEntry { value: mean(&batch), count })
    }

    fn name(&self) -> Option<String> {
        Some("R2".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.outputs.clear();
    }
}

impl<B: Backend> Numeric for R2Metric<B> {
    fn value(&self) -> f64 {
        mean(&self.outputs)
    }
}

fn add(outputs: &mut [Variation], host: &HostRegression) {
    for (at, (prediction, target)) in host.predictions.iter().zip(&host.targets).enumerate() {
        outputs[at % host.outputs].add(*prediction, *target);
    }
}

fn mean(outputs: &[Variation]) -> f64 {
    outputs.iter().map(|output| output.r2()).sum::<f64>() / outputs.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_targets_and_large_means_have_a_value() {
        let r2 = |pairs: &[(f64, f64)]| {
            let mut variation = Variation::default();
            pairs.iter().for_each(|(prediction, target)| variation.add(*prediction, *target));
            variation.r2()
        };
        assert_eq!(r2(&[(2.0, 2.0), (2.0, 2.0)]), 1.0);
        assert_eq!(r2(&[(1.0, 2.0), (2.0, 2.0)]), 0.0);
        assert!(
            (r2(&[(1e9 + 1.0, 1e9 + 1.0), (1e9 + 2.0, 1e9 + 3.0), (1e9 + 6.0, 1e9 + 5.0)]) - 0.75).abs()
                < 1e-6
        );
        assert!(r2(&[]).is_nan());
    }
}
