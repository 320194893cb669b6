use super::class_counts::{ClassCounts, ConfusionCounts};
use super::{
    Average, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry, SegmentationInput,
};
use crate::history::Direction;
use burn_tensor::Backend;
use std::marker::PhantomData;

/// Dice coefficient of segmented images, in percent: `2 tp / (2 tp + fp + fn)` over the pixels of the epoch.
///
/// It is the F1 score of pixels. The class of a pixel is the one with the highest score. torchmetrics:
/// `torchmetrics.functional.classification.multiclass_f1_score` of the flattened images.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::train::metric::*;
///
/// let device = Default::default();
/// // Two classes of an image of one row and two pixels.
/// let scores = Tensor::<NdArray, 4>::from_data([[[[0.9, 0.2]], [[0.1, 0.8]]]], &device);
/// let mut metric = DiceMetric::new();
/// metric.update(&SegmentationInput::new(scores, Tensor::from_data([[[0, 1]]], &device)), &Default::default());
/// assert_eq!(metric.value(), 100.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct DiceMetric<B: Backend> {
    total: ConfusionCounts,
    average: Average,
    background: Option<usize>,
    backend: PhantomData<fn(B)>,
}

impl<B: Backend> DiceMetric<B> {
    /// Averages over all classes ([`Average::Macro`](crate::metric::Average::Macro)).
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how the coefficients of the classes are averaged.
    pub fn with_average(mut self, average: Average) -> Self {
        self.average = average;
        self
    }

    /// Leaves the class `background` out of the average; a pixel that is taken for another class is still a mistake of that
    /// one.
    pub fn without_background(mut self, background: usize) -> Self {
        self.background = Some(background);
        self
    }

    fn score(&self, counts: &ConfusionCounts) -> f64 {
        let mut counts = counts.clone();
        if let Some(background) = self.background.filter(|class| *class < counts.classes.len()) {
            counts.classes.remove(background);
        }
        100.0 * counts.average(self.average, |class: ClassCounts| class.f_beta(1.0))
    }
}

impl<B: Backend> Metric for DiceMetric<B> {
    type Input = SegmentationInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If the targets do not fit the scores.
    fn update(&mut self, input: &SegmentationInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let classes = input.scores.dims()[1];
        let predictions = input.scores.clone().detach().argmax(1).into_data();
        let counts =
            ConfusionCounts::of_classes(&predictions, &input.targets.clone().into_data(), classes, None);
        self.total.add(&counts);
        let format = FormatOptions::new("Dice").unit("%").precision(2);
        let batch = NumericEntry { value: self.score(&counts), count: counts.rows };
        MetricEntry::numeric(&format, self.value(), batch)
    }

    fn name(&self) -> Option<String> {
        Some("Dice".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.total = ConfusionCounts::default();
    }
}

impl<B: Backend> Numeric for DiceMetric<B> {
    fn value(&self) -> f64 {
        self.score(&self.total)
    }
}
