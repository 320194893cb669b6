use super::counted::sum_parts;
use super::{
    CountedMetric, FormatOptions, ImageInput, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry,
    NumericMetricState,
};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// Peak signal-to-noise ratio of images, in decibels: `10 log10(range^2 / mean((prediction - target)^2))`.
///
/// The mean is over all values of the epoch; equal images have an infinite ratio. torchmetrics:
/// `torchmetrics.image.PeakSignalNoiseRatio`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let zeros = Tensor::<NdArray, 4>::zeros([1, 1, 4, 4], &Default::default());
/// let mut metric = PsnrMetric::new(1.0);
/// metric.update(&ImageInput::new(zeros.clone() + 0.1, zeros), &MetricMetadata::default());
/// assert!((metric.value() - 20.0).abs() < 1e-5);
/// ```
#[derive(Clone, Debug)]
pub struct PsnrMetric<B: Backend> {
    mean_square: NumericMetricState,
    range: f64,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> PsnrMetric<B> {
    /// Compares images whose values span `range`: 1 for those from 0 to 1, 255 for bytes.
    ///
    /// # Panics
    /// If `range` is not a positive number.
    #[track_caller]
    pub fn new(range: f64) -> Self {
        assert!(
            range > 0.0 && range.is_finite(),
            "PSNR: expected a positive range of the values, got {range}"
        );
        Self { mean_square: NumericMetricState::new(), range, backend: PhantomData }
    }

    fn decibels(&self, mean_square: f64) -> f64 {
        10.0 * (self.range * self.range / mean_square).log10()
    }
}

impl<B: Backend> Metric for PsnrMetric<B> {
    type Input = ImageInput<B>;

    fn update(&mut self, input: &ImageInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some("PSNR".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.mean_square.reset();
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl<B: Backend> CountedMetric<ImageInput<B>> for PsnrMetric<B> {
    fn count(&self, input: &ImageInput<B>) -> Vec<f64> {
        let predictions = input.predictions.clone().detach().into_data();
        let targets = input.targets.clone().detach().into_data();
        let squares = predictions.iter::<f64>().zip(targets.iter::<f64>());
        let (sum, count) =
            squares.fold((0.0, 0.0), |(sum, count), (x, y)| (sum + (x - y) * (x - y), count + 1.0));
        vec![sum, count]
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        let [sum, count] = sum_parts(parts);
        let (mean, count) = (sum / count, count as usize);
        let format = FormatOptions::new("PSNR").unit("dB").precision(2);
        self.mean_square.update(mean, count, format.clone());
        MetricEntry::numeric(&format, self.value(), NumericEntry { value: self.decibels(mean), count })
    }
}

impl<B: Backend> Numeric for PsnrMetric<B> {
    fn value(&self) -> f64 {
        self.decibels(self.mean_square.value())
    }
}
