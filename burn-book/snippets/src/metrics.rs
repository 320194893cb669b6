use burn::backend::NdArray;
use burn::prelude::*;
use burn::train::metric::{
    Adaptor, FormatOptions, LossInput, LossMetric, Metric, MetricEntry, MetricMetadata, Numeric,
    NumericMetricState,
};

// ANCHOR: output
/// Predicted and measured heights of a batch, `[batch]` each, in metres.
struct HeightOutput<B: Backend> {
    loss: Tensor<B, 1>,
    predicted: Tensor<B, 1>,
    measured: Tensor<B, 1>,
}

/// Absolute errors of a batch.
struct AbsoluteErrors(Vec<f64>);

impl<B: Backend> Adaptor<LossInput<B>> for HeightOutput<B> {
    fn adapt(&self) -> LossInput<B> {
        LossInput::new(self.loss.clone())
    }
}

impl<B: Backend> Adaptor<AbsoluteErrors> for HeightOutput<B> {
    fn adapt(&self) -> AbsoluteErrors {
        let errors = (self.predicted.clone() - self.measured.clone()).abs();
        AbsoluteErrors(errors.into_data().to_f64())
    }
}
// ANCHOR_END: output

// ANCHOR: metric
/// Percentage of predictions that are off by less than `limit` metres.
struct WithinMetric {
    limit: f64,
    state: NumericMetricState,
}

impl Metric for WithinMetric {
    type Input = AbsoluteErrors;

    fn update(&mut self, AbsoluteErrors(errors): &AbsoluteErrors, _: &MetricMetadata) -> MetricEntry {
        let within = errors.iter().filter(|error| **error < self.limit).count();
        let percent = 100.0 * within as f64 / errors.len() as f64;
        // The mean over the epoch is weighted by the number of rows.
        self.state.update(percent, errors.len(), FormatOptions::new("Within").unit("%").precision(2))
    }

    fn clear(&mut self) {
        self.state.reset();
    }
}

impl Numeric for WithinMetric {
    fn value(&self) -> f64 {
        self.state.value()
    }
}
// ANCHOR_END: metric

#[test]
fn a_metric_of_ones_own_is_a_mean_over_rows() {
    let output = |predicted: &[f64], measured: &[f64]| {
        let tensor = |values: &[f64]| Tensor::<NdArray, 1>::from_data(values, &Default::default());
        let (predicted, measured) = (tensor(predicted), tensor(measured));
        let loss = (predicted.clone() - measured.clone()).square().mean();
        HeightOutput { loss, predicted, measured }
    };
    let batches = [output(&[1.0, 2.0, 3.0], &[1.05, 2.5, 3.0]), output(&[1.5], &[1.0])];
    // ANCHOR: use
    let mut within = WithinMetric { limit: 0.1, state: NumericMetricState::new() };
    let mut loss = LossMetric::<NdArray>::new();
    for output in &batches {
        let entry = within.update(&output.adapt(), &MetricMetadata::default());
        println!("{}: {}", entry.name, entry.formatted); // Within: 66.67 %, then 50.00 %
        loss.update(&output.adapt(), &MetricMetadata::default());
    }
    // ANCHOR_END: use
    assert_eq!(within.value(), 50.0, "two of four");
    let entry = within.update(&batches[0].adapt(), &MetricMetadata::default());
    assert!(entry.formatted.starts_with("57.14"), "four of seven: {}", entry.formatted);
    assert!(loss.value() > 0.0);
}
