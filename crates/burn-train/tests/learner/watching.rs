//! Files that runs write for people and programs to watch.

use crate::fixture::*;
use burn_core::record::CompactRecorder;
use burn_optim::SgdConfig;
use burn_train::TrainError;
use burn_train::callback::JsonLines;
use burn_train::metric::{AccuracyMetric, ConfusionMatrixMetric, LossMetric};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn fit(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> Result<(), TrainError> {
    let builder = builder(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_valid(ConfusionMatrixMetric::new())
        .with_file_checkpointer(CompactRecorder::new());
    let learner = change(builder).build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.try_fit(train_loader(), valid_loader()).map(drop)
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("metrics.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn x_304_every_batch_and_epoch_is_a_line_of_json() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.json_lines().num_epochs(2)).unwrap();
    let lines = lines(folder.path());
    let count = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert_eq!(["start", "batch", "epoch", "end"].map(count), [1, 16, 2, 1]);
    let first = &lines[1];
    assert_eq!(
        (first["split"].as_str(), first["step"].as_u64(), first["items"].as_u64()),
        (Some("train"), Some(1), Some(10))
    );
    let logged = fs::read_to_string(folder.path().join("train/epoch-1/Loss.log")).unwrap();
    let logged: f64 = logged.lines().next().unwrap().split(',').next().unwrap().parse().unwrap();
    assert_eq!(first["metrics"]["Loss"].as_f64(), Some(logged));
    let epoch = lines.iter().find(|line| line["event"] == "epoch").unwrap();
    assert!(epoch["metrics"]["valid"]["Loss"].is_f64() && epoch["step"] == 6, "{epoch}");
    let valid = lines.iter().find(|line| line["split"] == "valid").unwrap();
    assert!(valid["metrics"]["Confusion Matrix"].as_str().unwrap().starts_with("[["), "{valid}");
}

#[test]
fn x_304_a_run_that_is_resumed_has_every_step_once() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.json_lines().num_epochs(3)).unwrap();
    // As if the run had been killed in epoch 3.
    fit(folder.path(), |builder| builder.json_lines().checkpoint(2).num_epochs(4)).unwrap();
    let lines = lines(folder.path());
    let train = lines.iter().filter(|line| line["event"] == "batch" && line["split"] == "train");
    let steps: Vec<u64> = train.map(|line| line["step"].as_u64().unwrap()).collect();
    assert_eq!(steps, (1..=24).collect::<Vec<_>>());
}

#[test]
fn x_304_event_files_have_a_record_for_each_batch_and_validation() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.tensorboard().num_epochs(2)).unwrap();
    let records = |split: &str| {
        let folder = folder.path().join("tensorboard").join(split);
        let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        assert!(file.file_name().unwrap().to_str().unwrap().starts_with("events.out.tfevents."));
        let bytes = fs::read(file).unwrap();
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
            (at, count) = (at + length + 16, count + 1);
        }
        assert_eq!(at, bytes.len());
        count
    };
    // The first record is the version of the file.
    assert_eq!((records("train"), records("valid")), (1 + 12, 1 + 2));
}

#[test]
fn x_305_the_report_has_the_curves_of_every_metric() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), "{\"hidden\": 4}").unwrap();
    fit(folder.path(), |builder| builder.html_report().num_epochs(3)).unwrap();
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<svg class=\"linear\"").count(), 2, "by epoch and by batch");
    // Two curves by epoch with three points each, and one of 18 batches.
    let polylines: Vec<&str> = page.lines().filter(|line| line.starts_with("<polyline")).collect();
    let points: Vec<usize> = polylines.iter().map(|line| line.matches(',').count()).collect();
    assert_eq!(points, [3, 3, 18]);
    assert!(page.contains("<td>Valid</td><td>Loss</td>") && page.contains("Confusion Matrix (Valid)"));
    assert!(!page.contains("http") && !page.contains("src="), "it needs nothing else");
    let row = |name: &str| {
        let line = page.lines().find(|line| line.starts_with(&format!("<tr><th>{name}</th>")));
        line.unwrap_or_else(|| panic!("no {name}")).to_string()
    };
    assert!(row("Model").contains("Model, 22 parameters") && row("Epochs").contains("3 of 3"));
    assert!(row("Device").contains("autodiff&lt;ndarray&gt; on Cpu"), "{}", row("Device"));
    assert!(
        row("Learning rate").contains(">1e-1<")
            && row("Duration").contains(" s<")
            && row("Started").contains(" UTC<")
    );
    assert!(row("Best epoch").contains("(Valid Loss 0."), "{}", row("Best epoch"));
    assert!(page.contains("<title>best epoch ") && page.contains("&quot;hidden&quot;: 4"), "{page}");
    // A phone has 390 pixels.
    assert!(page.contains("minmax(min(420px,100%),1fr)") && page.contains("width=device-width"));
}

#[test]
fn the_report_has_the_unit_of_a_metric() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.metric_valid_numeric(AccuracyMetric::new()).html_report()).unwrap();
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains(">Accuracy (%)</text>") && page.contains(">Loss</text>"), "{page}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("metrics.jsonl")).unwrap();
    let error = fit(folder.path(), |builder| builder.json_lines()).unwrap_err().to_string();
    assert!(error.contains("metrics.jsonl"), "{error}");

    fs::write(folder.path().join("tensorboard"), "a file where a folder should be").unwrap();
    let error = fit(folder.path(), |builder| builder.tensorboard()).unwrap_err().to_string();
    assert!(error.contains("tensorboard"), "{error}");
}

/// `/dev/full` takes no byte: a disk that is full.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_run_and_leaves_the_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.num_epochs(1)).unwrap();
    let full = JsonLines::file("/dev/full");
    let error = fit(folder.path(), |builder| builder.callback(full).checkpoint(1).num_epochs(2)).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, TrainError::Callback(_)) && text.contains("/dev/full"), "{text}");
    let store = burn_train::checkpoint::CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
    assert_eq!(store.newest().unwrap().unwrap().state().epoch, 1);
}
