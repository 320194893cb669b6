//! The report of a training run in Chromium, on a telephone and on a desk.

use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::module::Module;
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::SgdConfig;
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Distribution, Tensor};
use burn::train::callback::compare_runs;
use burn::train::metric::LossMetric;
use burn::train::{EvaluatorBuilder, LearnerBuilder, RegressionOutput, TrainOutput, TrainStep, ValidStep};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use web_page::{Chromium, Graphics, Server, accessibility_files, assert_accessible};

type B = Autodiff<NdArray>;

const WITH_AXE: bool = cfg!(feature = "test-axe");

#[derive(Module, Debug)]
struct Line<B: Backend> {
    linear: Linear<B>,
}

impl<B: Backend> Line<B> {
    fn forward(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
        let targets = inputs.clone() * 2.0 + 1.0;
        let output = self.linear.forward(inputs);
        let loss = MseLoss::new().forward(output.clone(), targets.clone(), Reduction::Mean);
        RegressionOutput { loss, output, targets }
    }
}

impl<B: AutodiffBackend> TrainStep<Tensor<B, 2>, RegressionOutput<B>> for Line<B> {
    fn step(&self, inputs: Tensor<B, 2>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward(inputs);
        TrainOutput::new(self, item.loss.backward(), item)
    }
}

impl<B: Backend> ValidStep<Tensor<B, 2>, RegressionOutput<B>> for Line<B> {
    fn step(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
        self.forward(inputs)
    }
}

fn batches<B: Backend>(items: usize) -> Arc<dyn burn::data::dataloader::DataLoader<Tensor<B, 2>>> {
    let data = InMemDataset::new((0..items).collect());
    let batch = |_: Vec<usize>| Tensor::random([8, 1], Distribution::Default, &Default::default());
    DataLoaderBuilder::new(batch).batch_size(8).build(data)
}

/// Trains for 12 epochs of 100 batches; the loss falls by decades.
fn train(folder: &Path) {
    let learner = LearnerBuilder::new(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .num_epochs(12)
        .html_report()
        .build(
            Line::<B> { linear: LinearConfig::new(1, 1).init(&Default::default()) },
            SgdConfig::new().init(),
            0.02,
        );
    learner.fit(batches::<B>(800), batches::<NdArray>(80));
}

/// Writes a page with the results of a test split alone.
fn test(folder: &Path) {
    let line = Line::<NdArray> { linear: LinearConfig::new(1, 1).init(&Default::default()) };
    let evaluator = EvaluatorBuilder::new(folder).metric_numeric(LossMetric::new()).html_report().build(line);
    evaluator.try_eval(batches::<NdArray>(80)).expect("the folder can be written");
}

/// The page smooths by an exponential moving average that is corrected for its start at zero: with a factor
/// of 0.5, the weights of the points before are 1/2, 1/4, .. of their sum.
fn assert_smooth(found: &Value) {
    let numbers = |key: &str| -> Vec<f64> {
        found[key]
            .as_array()
            .expect("an array")
            .iter()
            .map(|value| value.as_f64().expect("a number"))
            .collect()
    };
    let (measured, smoothed) = (numbers("measured"), numbers("smoothed"));
    assert_eq!((measured.len(), smoothed.len()), (12, 12));
    for (at, smoothed) in smoothed.iter().enumerate() {
        let weights = (0..=at).map(|before| 0.5_f64.powi((at - before) as i32));
        let sum: f64 = weights.clone().zip(&measured).map(|(weight, y)| weight * y).sum();
        let expected = sum / weights.sum::<f64>();
        assert!((smoothed - expected).abs() < 0.02, "{at}: {smoothed}, expected {expected}");
    }
    assert_eq!(numbers("kept"), measured);
    assert_eq!((&found["before"], &found["after"]), (&false.into(), &true.into()));
}

#[test]
fn a_report_fits_its_window_and_shows_axes_legend_and_best_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path().join("runs");
    train(&runs.join("run"));
    train(&runs.join("another run"));
    compare_runs(&runs).expect("both have a report");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report.html");
    std::fs::copy(page, folder.path().join("index.html")).expect("copied");
    for file in accessibility_files(WITH_AXE).unwrap_or_else(|error| panic!("{error}")) {
        std::fs::copy(&file, folder.path().join(file.file_name().expect("a file"))).expect("copied");
    }
    test(&folder.path().join("test"));
    std::fs::copy(runs.join("run/report.html"), folder.path().join("run.html")).expect("copied");
    let server = Server::start(folder.path(), 0).expect("a free port");
    let chromium = Chromium::find(Graphics::None).unwrap_or_else(|error| panic!("{error}"));
    let found = chromium.report(&server, "/index.html").unwrap_or_else(|error| panic!("{error}"));
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_accessible(&found["test"], WITH_AXE);
    for (name, width) in [("narrow", 390), ("wide", 1200)] {
        let found = &found[name];
        assert_accessible(&found["accessible"], WITH_AXE);
        assert!(found["document"].as_u64().expect("a number") <= width, "{name}: {found}");
        let none = Value::Array(Vec::new());
        assert_eq!((&found["cut"], &found["covered"]), (&none, &none), "{name}");
        assert_eq!(found["axes"], serde_json::json!([true, true]), "{name}: {found}");
        assert_eq!(found["legends"], serde_json::json!([["best", "train", "valid"], ["train"]]), "{name}");
        assert_eq!(found["table"], true, "{name}: a cell is outside of the window");
        let best = found["facts"]["Best epoch"].as_str().expect("a row");
        assert!(best.contains("(Valid Loss "), "{best}");
        assert_smooth(&found["smooth"]);
    }
    let found = &found["runs"];
    assert_accessible(&found["accessible"], WITH_AXE);
    assert!(found["document"].as_u64().expect("a number") <= 390, "{found}");
    assert_eq!((&found["cut"], &found["covered"]), (&Value::Array(Vec::new()), &Value::Array(Vec::new())));
    assert_eq!(
        found["axes"],
        serde_json::json!([true, true]),
        "a chart of validation and one of training: {found}"
    );
    assert_eq!(found["links"], serde_json::json!(["./another run/report.html", "./run/report.html"]));
}
