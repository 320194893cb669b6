use crate::fixture::*;
use burn_core::module::AutodiffModule;
use burn_core::record::{CompactRecorder, FullPrecisionSettings, NamedMpkGzFileRecorder};
use burn_optim::{AdamConfig, SgdConfig};
use burn_train::logger::{FileMetricLogger, InMemoryMetricLogger};
use burn_train::metric::{AccuracyMetric, IterationSpeedMetric, LearningRateMetric, LossMetric};
use std::fs;

#[test]
fn a_run_learns_and_leaves_the_golden_folder() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().join("not/yet/there");
    let learner = burn_train::LearnerBuilder::new(&artifacts)
        .metric_train_numeric(AccuracyMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_train_numeric(LearningRateMetric::new())
        .metric_train(IterationSpeedMetric::new())
        .renderer(Silent)
        .with_file_checkpointer(NamedMpkGzFileRecorder::<FullPrecisionSettings>::new())
        .devices(vec![Default::default()])
        .num_epochs(25)
        .build(Model::<B>::new(16), AdamConfig::new().init(), 0.02);
    let model = learner.fit(train_loader(), valid_loader());

    let scores = model.valid().forward(batch(vec![(0.6, 0.8), (-0.6, 0.8), (-0.8, -0.6), (0.8, -0.6)]));
    let classes = scores.output.argmax(1).into_data().to_f64();
    assert_eq!(classes, [1.0, 0.0, 1.0, 0.0]);

    let found = files(&artifacts);
    let mut expected = vec!["experiment.log".to_string()];
    for epoch in 24..=25 {
        for part in ["model", "optim", "scheduler"] {
            expected.push(format!("checkpoint/{part}-{epoch}.mpk.gz"));
        }
        expected.push(format!("checkpoint/state-{epoch}.json"));
    }
    for epoch in 1..=25 {
        for name in ["Accuracy", "Loss"] {
            expected.push(format!("train/epoch-{epoch}/{name}.log"));
            expected.push(format!("valid/epoch-{epoch}/{name}.log"));
        }
        expected.push(format!("train/epoch-{epoch}/Iteration_Speed.log"));
        expected.push(format!("train/epoch-{epoch}/Learning_Rate.log"));
    }
    expected.sort();
    assert_eq!(found, expected);

    let log = fs::read_to_string(artifacts.join("experiment.log")).unwrap();
    assert!(log.contains("the run begins") && log.contains("epoch over epoch=25"), "{log}");
    assert_eq!(
        fs::read_to_string(artifacts.join("train/epoch-3/Learning_Rate.log")).unwrap(),
        "0.02,1\n".repeat(6)
    );
    let accuracy = FileMetricLogger::read(artifacts.join("valid"), 25, "Accuracy").unwrap();
    assert_eq!(accuracy.iter().map(|entry| entry.count).collect::<Vec<_>>(), [30, 30]);
    assert!(accuracy.iter().all(|entry| entry.value > 90.0), "{accuracy:?}");
}

#[test]
fn a_folder_that_is_there_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), "{}").unwrap();
    for _ in 0..2 {
        let learner = builder(folder.path())
            .metric_train_numeric(LossMetric::new())
            .with_file_checkpointer(CompactRecorder::new())
            .build(Model::new(4), SgdConfig::new().init(), 0.1);
        learner.fit(train_loader(), valid_loader());
        let lines = fs::read_to_string(folder.path().join("train/epoch-1/Loss.log")).unwrap();
        assert_eq!(lines.lines().count(), 6);
    }
    let expected = [
        "checkpoint/model-1.mpk",
        "checkpoint/optim-1.mpk",
        "checkpoint/scheduler-1.mpk",
        "checkpoint/state-1.json",
        "config.json",
        "train/epoch-1/Loss.log",
    ];
    assert_eq!(files(folder.path()), expected);
}

#[test]
fn metrics_may_be_kept_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (train, valid) = (InMemoryMetricLogger::new(), InMemoryMetricLogger::new());
    let learner = builder(folder.path())
        .metric_train_numeric(AccuracyMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_loggers(train.clone(), valid.clone())
        .build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.fit(train_loader(), valid_loader());
    assert_eq!(train.lines(1, "Accuracy").len(), 6);
    assert_eq!(valid.lines(1, "Loss").len(), 2);
    assert!(files(folder.path()).is_empty());
}
