//! Runs that are equal bit by bit. The random numbers of the backend are one for the process, so
//! nothing else trains here.

#[path = "../fixture/mod.rs"]
mod fixture;
mod killed;

use burn_core::record::{BinFileRecorder, CompactRecorder, FullPrecisionSettings};
use burn_core::tensor::Backend;
use burn_optim::AdamConfig;
use burn_optim::lr_scheduler::CosineAnnealingLrSchedulerConfig;
use burn_train::metric::{LearningRateMetric, LossMetric};
use burn_train::renderer::{Interrupter, MetricState, MetricsRenderer, TrainingProgress};
use burn_train::{Learner, Split};
use fixture::*;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

const EPOCHS: usize = 5;

/// Stops the run after a batch.
struct StopAt {
    interrupter: Interrupter,
    split: Split,
    epoch: usize,
    iteration: usize,
}

impl StopAt {
    fn look(&self, split: Split, item: &TrainingProgress) {
        if (split, item.epoch, item.iteration) == (self.split, self.epoch, self.iteration) {
            self.interrupter.stop("test");
        }
    }
}

impl MetricsRenderer for StopAt {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, item: TrainingProgress) {
        self.look(Split::Train, &item);
    }
    fn render_valid(&mut self, item: TrainingProgress) {
        self.look(Split::Valid, &item);
    }
}

static ALONE: Mutex<()> = Mutex::new(());

/// The model has dropout, Adam has moments, the rate changes with every step, the data is shuffled.
fn run(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> Vec<u64> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    train(folder, change)
}

fn train(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> Vec<u64> {
    let builder = builder(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_train_numeric(LearningRateMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(BinFileRecorder::<FullPrecisionSettings>::new())
        .num_epochs(EPOCHS);
    let scheduler = CosineAnnealingLrSchedulerConfig::new(0.05, 40).init();
    let learner: Learner<_, _, _, _, _, _> =
        change(builder).build(Model::new(8), AdamConfig::new().init(), scheduler);
    learner.fit(train_loader(), valid_loader()).bits()
}

/// The lines of all metric logs.
fn logs(folder: &Path) -> Vec<(String, String)> {
    let logs = files(folder).into_iter().filter(|name| name.ends_with(".log"));
    logs.map(|name| (name.clone(), fs::read_to_string(folder.join(name)).unwrap())).collect()
}

#[test]
fn tr_009_a_run_goes_on_bit_for_bit_wherever_it_was_stopped() {
    // Parameters are drawn from the random numbers of the process, so the first run begins with a
    // checkpoint too: of an epoch that has learnt from one batch.
    let origin = tempfile::tempdir().unwrap();
    let stop = |split, epoch, iteration| {
        move |builder: Builder| {
            let interrupter = builder.interrupter();
            builder.renderer(StopAt { interrupter, split, epoch, iteration })
        }
    };
    run(origin.path(), stop(Split::Train, 1, 1));

    let whole = tempfile::tempdir().unwrap();
    copy(origin.path(), whole.path());
    let expected = run(whole.path(), |builder| builder.checkpoint(1));
    assert_eq!(logs(whole.path()).len(), EPOCHS * 3);

    for (split, iteration) in
        [(Split::Train, 1), (Split::Train, 4), (Split::Train, 6), (Split::Valid, 1), (Split::Valid, 2)]
    {
        let folder = tempfile::tempdir().unwrap();
        copy(origin.path(), folder.path());
        run(folder.path(), |builder| stop(split, 3, iteration)(builder.checkpoint(1)));
        let found = run(folder.path(), |builder| builder.checkpoint(3));
        assert!(found == expected, "stopped behind {split} {iteration}: other parameters");
        assert_eq!(logs(folder.path()), logs(whole.path()), "stopped behind {split} {iteration}");
    }
}

/// Half precision is that of the recorder, not that of checkpoints.
#[test]
fn a_run_with_the_recorder_of_the_guide_goes_on_bit_for_bit() {
    let origin = tempfile::tempdir().unwrap();
    let compact = |builder: Builder| builder.with_file_checkpointer(CompactRecorder::new());
    run(origin.path(), |builder| compact(builder).num_epochs(1));

    let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy(origin.path(), whole.path());
    copy(origin.path(), stopped.path());
    let expected = run(whole.path(), |builder| compact(builder).checkpoint(1));
    run(stopped.path(), |builder| compact(builder).checkpoint(1).num_epochs(3));
    let found = run(stopped.path(), |builder| compact(builder).checkpoint(3));
    assert!(found == expected, "other parameters");
}

#[test]
fn resume_begins_anew_or_goes_on_with_the_newest() {
    let folder = tempfile::tempdir().unwrap();
    let first = run(folder.path(), |builder| builder.resume().num_epochs(2));
    let same = run(folder.path(), |builder| builder.resume().num_epochs(2));
    assert_eq!(first, same, "there is nothing left to do");
    assert_ne!(run(folder.path(), |builder| builder.resume().num_epochs(3)), first);
}

#[test]
fn tr_034_the_seed_of_the_backend_fixes_a_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let [first, again, other] = [7, 7, 8].map(|seed| {
        let folder = tempfile::tempdir().unwrap();
        B::seed(seed);
        train(folder.path(), |builder| builder.num_epochs(1))
    });
    assert_eq!(first, again);
    assert_ne!(first, other);
}

fn copy(from: &Path, to: &Path) {
    for name in files(from) {
        fs::create_dir_all(to.join(&name).parent().unwrap()).unwrap();
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}
