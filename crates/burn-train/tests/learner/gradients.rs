//! Clipping, skipped batches, averaged weights and scaled losses.

use crate::fixture::*;
use burn_core::module::AutodiffModule;
use burn_core::record::CompactRecorder;
use burn_dataset::InMemDataset;
use burn_dataset::dataloader::{DataLoader, DataLoaderBuilder};
use burn_optim::{EmaConfig, GradScalerConfig, GradientClippingConfig, SgdConfig};
use burn_train::logger::InMemoryMetricLogger;
use burn_train::metric::LossMetric;
use burn_train::{NanPolicy, TrainError};
use std::sync::Arc;

/// Twelve batches of five points, of which those of `nan` have one that is NaN.
fn loader(nan: std::ops::Range<usize>) -> Arc<dyn DataLoader<Batch<B>>> {
    let point = |index: usize| if nan.contains(&(index / 5)) { (f32::NAN, 1.0) } else { (0.5, -0.5) };
    DataLoaderBuilder::new(batch::<B>).batch_size(5).build(InMemDataset::new((0..60).map(point).collect()))
}

fn weights(model: &Model<B>) -> Vec<f64> {
    model.bits().into_iter().map(f64::from_bits).collect()
}

#[test]
fn x_310_batches_that_are_nan_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let log = InMemoryMetricLogger::new();
    let learner = builder(folder.path())
        .metric_train_numeric(LossMetric::new())
        .metric_loggers(log.clone(), InMemoryMetricLogger::new())
        .with_file_checkpointer(CompactRecorder::new())
        .nan_policy(NanPolicy::Skip)
        .build(Model::new(4), SgdConfig::new().init(), 0.1);
    let model = learner.fit(loader(3..5), valid_loader());
    assert!(weights(&model).iter().all(|weight| weight.is_finite()));
    assert_eq!(log.lines(1, "Loss").len(), 10);
}

#[test]
fn x_310_an_epoch_that_is_nan_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let learner =
        builder(folder.path()).nan_policy(NanPolicy::Skip).build(Model::new(4), SgdConfig::new().init(), 0.1);
    let error = learner.try_fit(loader(0..12), valid_loader()).unwrap_err();
    assert!(matches!(error, TrainError::AllSkipped { epoch: 1 }), "{error}");
}

#[test]
fn x_302_gradients_are_clipped_before_the_step() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(4);
    let before = weights(&model);
    let learner = builder(folder.path()).grad_clipping(GradientClippingConfig::Value(1e-4)).build(
        model,
        SgdConfig::new().init(),
        1.0,
    );
    let after = weights(&learner.fit(loader(0..0), valid_loader()));
    // Twelve steps of 1e-4 at most; without clipping, weights move by 0.1 and more.
    let moved = before.iter().zip(&after).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(moved > 1e-4 && moved < 12.5e-4, "{moved}");
}

#[test]
fn x_302_validation_and_the_result_have_averaged_weights() {
    let folder = tempfile::tempdir().unwrap();
    // With a decay of 1 the average stays that after the first step, whatever the later ones do.
    let fit = |epochs: usize, change: fn(Builder) -> Builder| {
        let builder = builder(folder.path()).with_file_checkpointer(CompactRecorder::new());
        let learner = change(builder.num_epochs(epochs)).build(Model::new(4), SgdConfig::new().init(), 0.1);
        weights(&learner.with_ema(EmaConfig::new().with_decay(1.0)).fit(loader(0..0), valid_loader()))
    };
    let first = fit(1, |builder| builder);
    assert!(folder.path().join("checkpoint/average-1.mpk").is_file());
    // A resumed run goes on with the averages of its checkpoint.
    let resumed = fit(2, |builder| builder.checkpoint(1));
    assert_eq!(first, resumed);
    let checkpoint = burn_train::checkpoint::CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
    let saved = checkpoint.load(2).unwrap();
    let trained = saved.load_model(Model::<B>::new(4), &CompactRecorder::new(), &Default::default()).unwrap();
    assert_ne!(weights(&trained), resumed);
    assert!(trained.valid().bits().iter().all(|bits| f64::from_bits(*bits).is_finite()));
}

#[test]
fn a_step_that_does_not_scale_its_loss_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).mixed_precision(GradScalerConfig::new()).build(
        Model::new(4),
        SgdConfig::new().init(),
        0.1,
    );
    let error = learner.try_fit(loader(0..0), valid_loader()).unwrap_err().to_string();
    assert!(error.contains("TrainOutput::from_loss"), "{error}");
}
