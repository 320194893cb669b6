use super::{
    CountedMetric, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry, RegressionInput,
};
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

    /// Adds other targets by the update of Chan et al. (1979).
    fn merge(&mut self, other: Self) {
        if other.count == 0.0 {
            return;
        }
        let (difference, count) = (other.mean - self.mean, self.count + other.count);
        self.total += other.total + difference * difference * self.count * other.count / count;
        self.mean += difference * other.count / count;
        self.residual += other.residual;
        self.count = count;
    }

    fn to_numbers(self) -> [f64; 4] {
        [self.count, self.mean, self.total, self.residual]
    }

    fn from_numbers([count, mean, total, residual]: [f64; 4]) -> Self {
        Self { count, mean, total, residual }
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
        let counts = self.count(input);
        self.add(&[counts])
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

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl<B: Backend> CountedMetric<RegressionInput<B>> for R2Metric<B> {
    fn count(&self, input: &RegressionInput<B>) -> Vec<f64> {
        let host = input.on_host();
        let mut outputs = vec![Variation::default(); host.outputs];
        for (at, (prediction, target)) in host.predictions.iter().zip(&host.targets).enumerate() {
            outputs[at % host.outputs].add(*prediction, *target);
        }
        outputs.iter().flat_map(|output| output.to_numbers()).collect()
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        let mut batch = Vec::new();
        for part in parts {
            let outputs = part.as_chunks().0.iter().map(|numbers| Variation::from_numbers(*numbers));
            merge(&mut batch, &outputs.collect::<Vec<_>>());
        }
        merge(&mut self.outputs, &batch);
        let count = batch.iter().map(|output| output.count).sum::<f64>() as usize;
        let format = FormatOptions::new("R2").precision(4);
        MetricEntry::numeric(&format, self.value(), NumericEntry { value: mean(&batch), count })
    }
}

impl<B: Backend> Numeric for R2Metric<B> {
    fn value(&self) -> f64 {
        mean(&self.outputs)
    }
}

/// Adds the variations of other predictions to those of each output.
fn merge(outputs: &mut Vec<Variation>, others: &[Variation]) {
    let most = outputs.len().max(others.len());
    outputs.resize(most, Variation::default());
    outputs.iter_mut().zip(others).for_each(|(output, other)| output.merge(*other));
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
