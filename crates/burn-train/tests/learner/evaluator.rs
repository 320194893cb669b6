use crate::fixture::*;
use burn_core::module::AutodiffModule;
use burn_dataset::InMemDataset;
use burn_dataset::dataloader::DataLoaderBuilder;
use burn_ndarray::NdArray;
use burn_train::metric::{AccuracyMetric, ConfusionMatrixMetric, LossMetric};
use burn_train::{EvaluatorBuilder, Split, TrainError};
use std::fs;

#[test]
fn x_302_an_evaluator_measures_a_test_split() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::<B>::new(4).valid();
    // The same by hand, of all points at once.
    let output = model.forward(batch(points_of_valid()));
    let loss = output.loss.into_data().to_f64()[0];
    let chosen = output.output.argmax(1).into_data().iter::<i64>().collect::<Vec<_>>();
    let right =
        chosen.iter().zip(output.targets.into_data().iter::<i64>()).filter(|(x, y)| **x == *y).count();

    let summary = EvaluatorBuilder::new(folder.path())
        .metric_numeric(LossMetric::new())
        .metric_numeric(AccuracyMetric::new())
        .metric(ConfusionMatrixMetric::new())
        .renderer(Silent)
        .html_report()
        .build(model)
        .eval(valid_loader());
    assert!((summary.value("Loss").unwrap() - loss).abs() < 1e-6);
    assert!((summary.value("Accuracy").unwrap() - 100.0 * right as f64 / 60.0).abs() < 1e-9);
    assert_eq!((summary.items, summary.value("Confusion Matrix")), (60, None));
    let table = summary.to_string();
    assert!(table.starts_with("Test items: 60\nLoss              0."), "{table}");
    let log = fs::read_to_string(folder.path().join("test/epoch-1/Loss.log")).unwrap();
    assert_eq!(log.lines().count(), 2);
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    let accuracy = summary.metrics.iter().find(|metric| metric.0 == "Accuracy").unwrap();
    assert!(page.contains(&format!("<tr><th>Accuracy</th><td>{}</td></tr>", accuracy.1)), "{page}");
}

#[test]
fn x_302_a_test_split_without_an_item_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let empty = DataLoaderBuilder::new(batch::<NdArray>).batch_size(5).build(InMemDataset::new(Vec::new()));
    let evaluator = EvaluatorBuilder::new(folder.path()).renderer(Silent).build(Model::<B>::new(4).valid());
    let error = evaluator.try_eval(empty).unwrap_err();
    assert!(matches!(error, TrainError::NoBatches { split: Split::Test, .. }), "{error}");
}
