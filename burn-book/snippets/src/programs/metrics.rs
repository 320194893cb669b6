// ANCHOR: program
// cargo add --path ../burn/crates/burn --features train

use burn::backend::NdArray;
use burn::tensor::{Int, Tensor};
use burn::train::metric::{
    AccuracyInput, AccuracyMetric, FormatOptions, Metric, MetricEntry, MetricMetadata, Numeric,
    NumericMetricState,
};

type B = NdArray;

/// Percentage of errors that are below a limit.
struct WithinMetric {
    limit: f64,
    state: NumericMetricState,
}

impl Metric for WithinMetric {
    type Input = Vec<f64>;

    fn update(&mut self, errors: &Vec<f64>, _: &MetricMetadata) -> MetricEntry {
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

fn main() {
    let device = Default::default();
    let mut accuracy = AccuracyMetric::<B>::new();
    let scores = Tensor::<B, 2>::from_data([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]], &device);
    let targets = Tensor::<B, 1, Int>::from_data([0, 1, 1, 0], &device);
    accuracy.update(&AccuracyInput::new(scores, targets), &MetricMetadata::default());
    println!("accuracy {} %", accuracy.value());

    let mut within = WithinMetric { limit: 0.1, state: NumericMetricState::new() };
    for errors in [vec![0.05, 0.5, 0.0], vec![0.5]] {
        within.update(&errors, &MetricMetadata::default());
    }
    println!("within 0.1: {} %", within.value());
}
// ANCHOR_END: program

#[test]
fn x_701_metrics() {
    crate::page_output::page_prints!("building-blocks/metrics.md");
}
