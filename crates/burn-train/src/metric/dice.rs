use super::class_counts::{ClassCounts, ConfusionCounts};
use super::counted::sum_parts;
use super::{
    Average, CountedMetric, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric, NumericEntry,
    NumericMetricState, SegmentationInput,
};
use crate::history::Direction;
use burn_tensor::{Backend, TensorData};
use std::marker::PhantomData;

/// Dice coefficient of segmented images, in percent: `2 tp / (2 tp + fp + fn)` over the pixels of the epoch.
///
/// It is the F1 score of pixels. The class of a pixel is the one with the highest score. torchmetrics:
/// `torchmetrics.segmentation.DiceScore(aggregation_level="global")`.
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
/// assert_eq!(metric.by_class(), [Some(100.0), Some(100.0)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct DiceMetric<B: Backend> {
    total: ConfusionCounts,
    /// The mean over images, where images are counted one by one.
    images: Option<NumericMetricState>,
    rule: Rule,
    backend: PhantomData<fn(B)>,
}

/// How counts become a coefficient.
#[derive(Clone, Debug, Default)]
struct Rule {
    average: Average,
    background: Option<usize>,
    class: Option<usize>,
    smoothing: f64,
    zero_division: Option<f64>,
}

impl<B: Backend> DiceMetric<B> {
    /// Averages over all classes ([`Average::Macro`](crate::metric::Average::Macro)) that are among the
    /// targets or predictions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how the coefficients of the classes are averaged.
    pub fn with_average(mut self, average: Average) -> Self {
        self.rule.average = average;
        self
    }

    /// Leaves the class `background` out of the average; a pixel that is taken for another class is still a
    /// mistake of that one.
    pub fn without_background(mut self, background: usize) -> Self {
        self.rule.background = Some(background);
        self
    }

    /// Measures one class alone. The name is `Dice Class c`, with the number in place of the letter.
    pub fn with_class(mut self, class: usize) -> Self {
        self.rule.class = Some(class);
        self
    }

    /// Adds `smoothing` to numerator and denominator: `(2 tp + s) / (2 tp + fp + fn + s)`, 0 by
    /// default.
    ///
    /// # Panics
    /// If it is negative, infinite or NaN.
    #[track_caller]
    pub fn with_smoothing(mut self, smoothing: f64) -> Self {
        let is_valid = smoothing >= 0.0 && smoothing.is_finite();
        assert!(is_valid, "Dice: wrong smoothing; expected a finite number of 0 or more, got {smoothing}");
        self.rule.smoothing = smoothing;
        self
    }

    /// Sets the coefficient, from 0 to 1, of a class that is neither among the targets nor among the
    /// predictions. By default such a class is left out of a mean over classes, and an average of
    /// none is 0. torchmetrics: `zero_division`.
    ///
    /// # Panics
    /// If it is not from 0 to 1.
    #[track_caller]
    pub fn with_zero_division(mut self, coefficient: f64) -> Self {
        let is_valid = (0.0..=1.0).contains(&coefficient);
        assert!(
            is_valid,
            "Dice: wrong value of an absent class; expected one from 0 to 1, got {coefficient}"
        );
        self.rule.zero_division = Some(coefficient);
        self
    }

    /// Computes the coefficient of each image, and the mean of these. Images with none of the classes are
    /// left out, unless these have a [value](Self::with_zero_division). torchmetrics:
    /// `DiceScore(aggregation_level="samplewise")`.
    pub fn per_image(mut self) -> Self {
        self.images = Some(NumericMetricState::new());
        self
    }

    /// Returns the coefficient of every class over the pixels of the epoch, in percent; none for a class that
    /// is absent.
    pub fn by_class(&self) -> Vec<Option<f64>> {
        let score = |class: &ClassCounts| self.rule.of_class(*class).map(|score| 100.0 * score);
        self.total.classes.iter().map(score).collect()
    }

    fn format(&self) -> FormatOptions {
        let name = match self.rule.class {
            None => "Dice".to_string(),
            Some(class) => format!("Dice Class {class}"),
        };
        FormatOptions::new(name).unit("%").precision(2)
    }
}

impl Rule {
    /// Computes the coefficient of a class, none where it is absent and has no value then.
    fn of_class(&self, class: ClassCounts) -> Option<f64> {
        if class.decisions() == 0 {
            return self.zero_division;
        }
        let hits = 2.0 * class.true_positives as f64 + self.smoothing;
        Some(hits / (hits + class.false_positives as f64 + class.false_negatives as f64))
    }

    /// Computes the average of the classes, none where there is no pixel or no class that counts.
    fn of_all(&self, counts: &ConfusionCounts) -> Option<f64> {
        let classes = counts.classes.iter().copied().enumerate();
        let counted = classes.filter(|(at, _)| {
            self.class.is_none_or(|class| class == *at)
                && (self.class.is_some() || self.background != Some(*at))
        });
        let counted: Vec<ClassCounts> = counted.map(|(_, class)| class).collect();
        let mean = |weight: fn(ClassCounts) -> f64| {
            let scores = counted.iter().filter_map(|class| Some((self.of_class(*class)?, weight(*class))));
            let (sum, weights) = scores
                .fold((0.0, 0.0), |(sum, weights), (score, weight)| (sum + weight * score, weights + weight));
            (weights > 0.0).then(|| sum / weights)
        };
        match self.average {
            _ if counts.rows == 0 => None,
            Average::Micro => {
                let mut sum = ClassCounts::default();
                counted.iter().for_each(|class| sum.add(*class));
                self.of_class(sum)
            }
            Average::Macro => mean(|_| 1.0),
            Average::Weighted => mean(|class| (class.true_positives + class.false_negatives) as f64),
        }
    }

    /// Computes the percentage of some pixels: NaN where there are none.
    fn percent(&self, counts: &ConfusionCounts) -> f64 {
        if counts.rows == 0 { f64::NAN } else { 100.0 * self.of_all(counts).unwrap_or(0.0) }
    }

    /// Computes the sum of the percentages of images, and the number of those that count.
    fn of_images(&self, (predictions, targets): (&TensorData, &TensorData), classes: usize) -> (f64, usize) {
        let pixels = (targets.num_elements() / targets.shape[0].max(1)).max(1);
        let numbers = |data: &TensorData| data.iter::<i64>().collect::<Vec<_>>();
        let (predictions, targets) = (numbers(predictions), numbers(targets));
        let image = |pixels: &[i64]| TensorData::new(pixels, [pixels.len()]);
        let scores =
            predictions.chunks(pixels).zip(targets.chunks(pixels)).filter_map(|(predicted, target)| {
                self.of_all(&ConfusionCounts::of_classes(&image(predicted), &image(target), classes, None))
            });
        scores.fold((0.0, 0), |(sum, count), score| (sum + 100.0 * score, count + 1))
    }
}

impl<B: Backend> Metric for DiceMetric<B> {
    type Input = SegmentationInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If the targets do not fit the scores.
    fn update(&mut self, input: &SegmentationInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let counts = self.count(input);
        self.add(&[counts])
    }

    fn name(&self) -> Option<String> {
        Some(self.format().name().to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.total = ConfusionCounts::default();
        if let Some(images) = &mut self.images {
            images.reset();
        }
    }

    fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
        Some(self)
    }
}

impl<B: Backend> CountedMetric<SegmentationInput<B>> for DiceMetric<B> {
    fn count(&self, input: &SegmentationInput<B>) -> Vec<f64> {
        let classes = input.scores.dims()[1];
        let predictions = input.scores.clone().detach().argmax(1).into_data();
        let targets = input.targets.clone().into_data();
        let counts = ConfusionCounts::of_classes(&predictions, &targets, classes, None);
        let images = self.images.as_ref().map(|_| self.rule.of_images((&predictions, &targets), classes));
        let (sum, count) = images.unwrap_or((0.0, 0));
        [vec![sum, count as f64], counts.to_numbers()].concat()
    }

    fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
        let mut counts = ConfusionCounts::default();
        for part in parts {
            counts.add_numbers(part.get(2..).unwrap_or_default());
        }
        self.total.add(&counts);
        let format = self.format();
        if let Some(images) = &mut self.images {
            let [sum, count] = sum_parts(parts);
            return images.update(sum / count, count as usize, format);
        }
        let batch = NumericEntry { value: self.rule.percent(&counts), count: counts.rows };
        MetricEntry::numeric(&format, self.value(), batch)
    }
}

impl<B: Backend> Numeric for DiceMetric<B> {
    fn value(&self) -> f64 {
        match &self.images {
            Some(images) => images.value(),
            None => self.rule.percent(&self.total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;
    use burn_tensor::Tensor;

    /// Two images of three pixels and three classes, of which the last is absent.
    ///
    /// Image 1: targets 0 0 1, predictions 0 1 1. Image 2: targets 0 0 0, predictions 0 0 0.
    fn value(change: impl FnOnce(DiceMetric<NdArray>) -> DiceMetric<NdArray>) -> (f64, DiceMetric<NdArray>) {
        let device = Default::default();
        let predicted = [[0, 1, 1], [0, 0, 0]];
        let score =
            |class: i32| predicted.map(|image| [image.map(|pixel| f32::from(u8::from(pixel == class)))]);
        let [a, b, c] = [0, 1, 2].map(score);
        let scores = [[a[0], b[0], c[0]], [a[1], b[1], c[1]]];
        let targets = Tensor::from_data([[[0, 0, 1]], [[0, 0, 0]]], &device);
        let input = SegmentationInput::new(Tensor::from_data(scores, &device), targets);
        let mut metric = change(DiceMetric::new());
        let entry = metric.update(&input, &MetricMetadata::default());
        assert_eq!(Some(entry.name), metric.name());
        (metric.value(), metric)
    }

    #[track_caller]
    fn close(value: f64, expected: f64) {
        assert!((value - 100.0 * expected).abs() < 1e-9, "{value}, expected {}", 100.0 * expected);
    }

    // Class 0 has tp 4, fp 0, fn 1: 8 / 9. Class 1 has tp 1, fp 1, fn 0: 2 / 3.
    #[test]
    fn classes_are_averaged_as_asked_for() {
        close(value(|dice| dice).0, (8.0 / 9.0 + 2.0 / 3.0) / 2.0);
        close(value(|dice| dice.with_average(Average::Micro)).0, 10.0 / 12.0);
        close(value(|dice| dice.with_average(Average::Weighted)).0, (5.0 * 8.0 / 9.0 + 2.0 / 3.0) / 6.0);
        close(value(|dice| dice.with_class(1)).0, 2.0 / 3.0);
        close(value(|dice| dice.without_background(0)).0, 2.0 / 3.0);
        let by_class = value(|dice| dice).1.by_class();
        close(by_class[0].unwrap(), 8.0 / 9.0);
        assert_eq!(by_class[2], None);
    }

    #[test]
    fn an_absent_class_counts_where_it_has_a_value() {
        close(value(|dice| dice.with_zero_division(1.0)).0, (8.0 / 9.0 + 2.0 / 3.0 + 1.0) / 3.0);
        close(value(|dice| dice.with_zero_division(0.0)).0, (8.0 / 9.0 + 2.0 / 3.0) / 3.0);
        close(value(|dice| dice.with_class(2)).0, 0.0);
        close(value(|dice| dice.with_class(2).with_zero_division(1.0)).0, 1.0);
    }

    #[test]
    fn smoothing_is_added_to_both_sides_of_the_fraction() {
        close(value(|dice| dice.with_smoothing(1.0)).0, (9.0 / 10.0 + 3.0 / 4.0) / 2.0);
    }

    // Image 1: class 0 has 2 / 3, class 1 has 2 / 3. Image 2: class 0 has 1.
    #[test]
    fn images_are_averaged_one_by_one() {
        close(value(DiceMetric::per_image).0, (2.0 / 3.0 + 1.0) / 2.0);
        // Without background only the first image has a class that counts.
        close(value(|dice| dice.per_image().without_background(0)).0, 2.0 / 3.0);
        let all = value(|dice| dice.per_image().without_background(0).with_zero_division(1.0)).0;
        close(all, ((2.0 / 3.0 + 1.0) / 2.0 + 1.0) / 2.0);
    }
}
