//! The learning rates of a run, and where they are kept.

use super::learner::{Line, builder, loader};
use burn::lr_scheduler::{LinearLrSchedulerConfig, LrScheduler};
use burn::optim::SgdConfig;
use burn::record::CompactRecorder;
use burn::train::logger::InMemoryMetricLogger;
use burn::train::metric::{LearningRateMetric, NumericEntry};
use std::path::Path;

/// The learning rates of a run with four steps.
fn rates(folder: &Path, scheduler: impl LrScheduler) -> Vec<f64> {
    let log = InMemoryMetricLogger::new();
    let learner = builder(folder)
        .metric_train_numeric(LearningRateMetric::new())
        .metric_loggers(log.clone(), InMemoryMetricLogger::new())
        .with_file_checkpointer(CompactRecorder::new())
        .build(Line::new(), SgdConfig::new().init(), scheduler);
    learner.fit(loader(), loader());
    numbers(&log, 1)
}

fn numbers(log: &InMemoryMetricLogger, epoch: usize) -> Vec<f64> {
    let lines = log.lines(epoch, "Learning Rate");
    lines.iter().map(|line| line.parse::<NumericEntry>().unwrap().value).collect()
}

#[test]
fn lr_001_a_number_is_a_constant_rate() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(rates(folder.path(), 0.25), [0.25; 4]);
}

#[test]
fn lr_002_a_scheduler_gives_the_rate_of_every_step() {
    let folder = tempfile::tempdir().unwrap();
    let scheduler = LinearLrSchedulerConfig::new(1.0, 0.0, 4).init();
    assert_eq!(rates(folder.path(), scheduler), [1.0, 0.75, 0.5, 0.25]);
}

#[test]
fn lr_003_the_scheduler_is_saved_with_the_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let scheduler = || LinearLrSchedulerConfig::new(1.0, 0.0, 8).init();
    // From 1 to 0 in eight steps: step k has the rate 1 - k / 8.
    assert_eq!(rates(folder.path(), scheduler()), [1.0, 0.875, 0.75, 0.625]);
    let log = InMemoryMetricLogger::new();
    let learner = builder(folder.path())
        .metric_train_numeric(LearningRateMetric::new())
        .metric_loggers(log.clone(), InMemoryMetricLogger::new())
        .with_file_checkpointer(CompactRecorder::new())
        .num_epochs(2)
        .resume()
        .build(Line::new(), SgdConfig::new().init(), scheduler());
    learner.fit(loader(), loader());
    assert_eq!(log.lines(1, "Learning Rate"), [""; 0]);
    assert_eq!(numbers(&log, 2), [0.5, 0.375, 0.25, 0.125]);
}
