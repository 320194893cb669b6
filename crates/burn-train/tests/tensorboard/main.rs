//! Event files, read by TensorBoard: `cargo xtask tensorboard`.

#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod fixture;

use burn_core::record::CompactRecorder;
use burn_optim::SgdConfig;
use burn_train::logger::FileMetricLogger;
use burn_train::metric::LossMetric;
use fixture::*;
use std::env;
use std::path::Path;
use std::process::Command;

/// An interpreter of Python that has TensorBoard.
const PYTHON: &str = "BURN_TENSORBOARD_PYTHON";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/tensorboard_fixture.py");

/// A number that TensorBoard sees: its run, tag, step and value.
type Scalar = (String, String, u64, f64);

fn fit(folder: &Path, change: impl FnOnce(Builder) -> Builder) {
    let builder = builder(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .tensorboard();
    change(builder).build(Model::new(4), SgdConfig::new().init(), 0.25).fit(train_loader(), valid_loader());
}

fn read(python: &str, folder: &Path) -> Vec<Scalar> {
    let output = Command::new(python).args([SCRIPT, "read"]).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let scalar = |line: &str| -> Scalar {
        let [run, tag, step, value] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        (run.to_string(), tag.to_string(), step.parse().unwrap(), value.parse().unwrap())
    };
    String::from_utf8(output.stdout).unwrap().lines().map(scalar).collect()
}

#[test]
fn x_304_tensorboard_reads_what_a_resumed_run_wrote() {
    let python = env::var(PYTHON).expect("the variable names an interpreter that has TensorBoard");
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path(), |builder| builder.num_epochs(3));
    // As if the run had been killed in epoch 3: its six batches are learnt from once more.
    fit(folder.path(), |builder| builder.checkpoint(2).num_epochs(4));

    let found = read(&python, &folder.path().join("tensorboard"));
    let scalars = |run: &str, tag: &str| -> Vec<(u64, f64)> {
        let same = found.iter().filter(|scalar| scalar.0 == run && scalar.1 == tag);
        same.map(|scalar| (scalar.2, scalar.3)).collect()
    };
    // The metric logs are text of their own; TensorBoard keeps values as f32.
    let logged = |split: &str, epoch| {
        FileMetricLogger::read(folder.path().join(split), epoch, "Loss").unwrap().into_iter()
    };
    let losses = (1..=4).flat_map(|epoch| logged("train", epoch)).map(|entry| f64::from(entry.value as f32));
    assert_eq!(scalars("train", "Loss"), (1..=24).zip(losses).collect::<Vec<_>>());
    assert_eq!(scalars("train", "Learning Rate"), (1..=24).map(|step| (step, 0.25)).collect::<Vec<_>>());

    let valid = scalars("valid", "Loss");
    assert_eq!(valid.iter().map(|scalar| scalar.0).collect::<Vec<_>>(), [6, 12, 18, 24]);
    for (epoch, (_, value)) in (1..).zip(valid) {
        // Two batches of thirty points each.
        let mean = logged("valid", epoch).map(|entry| entry.value).sum::<f64>() / 2.0;
        assert!((value - mean).abs() < 1e-6 * mean, "epoch {epoch}: {value}, expected {mean}");
    }
}
