//! How runs end, what they choose, and what is looked at after them.

use super::learner::{Batch, Line, TrainBackend, batch, builder, loader, names};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::InMemDataset;
use burn::module::AutodiffModule;
use burn::optim::{EmaConfig, GradientClippingConfig, SgdConfig};
use burn::record::CompactRecorder;
use burn::train::callback::{BatchEnd, CallbackResult, EpochInfo, TrainingCallback};
use burn::train::checkpoint::{CheckpointStore, MetricCheckpointingStrategy};
use burn::train::history::{Aggregate, Direction};
use burn::train::metric::{LossMetric, MeanAbsoluteErrorMetric};
use burn::train::{
    EarlyStopping, EvaluatorBuilder, LearnerBuilder, LrFinderConfig, NanPolicy, Split, TrainError,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const LOSS: (Split, &str) = (Split::Valid, "Loss");
const LOWEST: (Aggregate, Direction) = (Aggregate::Mean, Direction::Lowest);

#[test]
fn x_302_a_run_stops_after_its_patience_and_not_before_its_warm_up() {
    let epochs = |warm_up| {
        let folder = tempfile::tempdir().unwrap();
        let stopping = EarlyStopping::new("Loss", LOWEST.0, LOWEST.1, Split::Valid, 2).with_warm_up(warm_up);
        // Without a learning rate no epoch is better than the first. One batch, in its order: the mean of
        // shuffled ones differs in its last bits.
        let points = (0..32).map(|i| i as f32 / 16.0 - 1.0).collect();
        let valid = DataLoaderBuilder::new(batch).batch_size(32).build(InMemDataset::new(points));
        builder(folder.path())
            .metric_valid_numeric(LossMetric::new())
            .early_stopping(stopping)
            .num_epochs(30)
            .build(Line::new(), SgdConfig::new().init(), 0.0)
            .fit(loader(), valid);
        names(&folder.path().join("valid")).len()
    };
    assert_eq!([epochs(0), epochs(6)], [3, 8]);
}

#[test]
fn x_302_an_evaluator_looks_at_a_test_split() {
    let folder = tempfile::tempdir().unwrap();
    let line = Line::<TrainBackend>::new().valid();
    // Points from -1 to 1 with targets 2 x + 1, one by one.
    let errors = (0..32).map(|i| i as f32 / 16.0 - 1.0).map(|x| line.at(x) - f64::from(2.0 * x + 1.0));
    let errors: Vec<f64> = errors.collect();
    let mean = |of: fn(f64) -> f64| errors.iter().map(|error| of(*error)).sum::<f64>() / 32.0;
    let summary = EvaluatorBuilder::new(folder.path())
        .metric_numeric(LossMetric::new())
        .metric_numeric(MeanAbsoluteErrorMetric::new())
        .renderer(super::learner::Silent)
        .build(line)
        .eval(loader());
    assert!((summary.value("Loss").unwrap() - mean(|x| x * x)).abs() < 1e-5, "{summary}");
    assert!((summary.value("Mean Absolute Error").unwrap() - mean(f64::abs)).abs() < 1e-5, "{summary}");
    assert_eq!(names(folder.path()), ["test"]);
}

#[test]
fn x_302_the_model_of_the_best_epoch_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let best_loss = MetricCheckpointingStrategy::new("Loss", LOWEST.0, LOWEST.1, Split::Valid);
    let trained = builder(folder.path())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .with_background_checkpoints()
        .with_checkpointing_strategy(best_loss)
        .num_epochs(3)
        .build(Line::new(), SgdConfig::new().init(), 0.2)
        .fit(loader(), loader());
    let store = CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
    let best = store.best(LOSS, LOWEST).unwrap().unwrap();
    // The loss falls with every epoch.
    assert_eq!(best.state().epoch, 3);
    let loaded = best.load_model(Line::<TrainBackend>::new(), &CompactRecorder::new(), &Default::default());
    assert_eq!(loaded.unwrap().valid().at(0.5), trained.valid().at(0.5));
}

#[test]
fn x_302_averaged_parameters_are_those_of_the_formula() {
    let folder = tempfile::tempdir().unwrap();
    // Clipped to 1e-3, four steps move the bias by 1, 2, 3 and 4 thousandths in all. The average begins with
    // the first and then takes half of each: ((1 + 2) / 2 + 3) / 2 = 2.25, and (2.25 + 4) / 2 = 3.125.
    let line = Line::<TrainBackend>::through_zero();
    let start = line.clone().valid().at(0.0);
    let learner = builder(folder.path())
        .grad_clipping(GradientClippingConfig::Value(1e-3))
        .build(line, SgdConfig::new().init(), 1.0)
        .with_ema(EmaConfig::new().with_decay(0.5));
    let moved = (learner.fit(loader(), loader()).valid().at(0.0) - start).abs();
    assert!((moved - 3.125e-3).abs() < 1e-5, "{moved}");
}

/// Four batches of which the second is NaN.
fn broken() -> Arc<dyn DataLoader<Batch<TrainBackend>>> {
    let points = (0..32).map(|i| if i == 9 { f32::NAN } else { i as f32 / 16.0 - 1.0 }).collect();
    let batcher = super::learner::batch::<TrainBackend>;
    DataLoaderBuilder::new(batcher).batch_size(8).build(InMemDataset::new(points))
}

#[test]
fn x_310_a_nan_ends_the_run_is_logged_or_is_skipped() {
    let fit = |policy| {
        let folder = tempfile::tempdir().unwrap();
        let learner = builder(folder.path())
            .metric_train_numeric(LossMetric::new())
            .nan_policy(policy)
            .num_epochs(20)
            .build(Line::new(), SgdConfig::new().init(), 0.2);
        learner.try_fit(broken(), loader()).map(|line| line.valid().at(0.5))
    };
    assert!(matches!(fit(NanPolicy::Stop), Err(TrainError::Nan { epoch: 1, iteration: 2, .. })));
    assert!(fit(NanPolicy::Continue).unwrap().is_nan());
    // Three batches of four are enough to find 2 x + 1.
    let skipped = fit(NanPolicy::Skip).unwrap();
    assert!((skipped - 2.0).abs() < 0.05, "{skipped}");
}

#[test]
fn x_310_callbacks_are_called_after_batches_and_epochs() {
    #[derive(Clone, Default)]
    struct Counting(Arc<[AtomicUsize; 2]>);
    impl TrainingCallback for Counting {
        fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
            self.0[0].fetch_add(1, Ordering::Relaxed);
            assert!(batch.split == Split::Valid || !batch.metrics.is_empty());
            Ok(())
        }
        fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
            self.0[1].fetch_add(1, Ordering::Relaxed);
            assert_eq!(epoch.step, 4 * epoch.epoch as u64);
            Ok(())
        }
    }
    let (folder, counting) = (tempfile::tempdir().unwrap(), Counting::default());
    builder(folder.path())
        .metric_train_numeric(LossMetric::new())
        .callback(counting.clone())
        .num_epochs(3)
        .build(Line::new(), SgdConfig::new().init(), 0.1)
        .fit(loader(), loader());
    assert_eq!([0, 1].map(|at| counting.0[at].load(Ordering::Relaxed)), [24, 3]);
}

#[test]
fn x_310_the_finder_suggests_a_rate_that_learns() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).build(Line::new(), SgdConfig::new().init(), 0.2);
    let config = LrFinderConfig { lowest: 1e-4, highest: 10.0, steps: 60, ..Default::default() };
    let report = learner.find_lr(&loader::<TrainBackend>(), &config).unwrap();
    let rate = report.suggestion().expect("the loss falls somewhere");
    let found = LearnerBuilder::new(folder.path())
        .renderer(super::learner::Silent)
        .with_application_logger(None)
        .num_epochs(40)
        .build(Line::<TrainBackend>::new(), SgdConfig::new().init(), rate)
        .fit(loader(), loader());
    // With the suggested rate the line is found; a rate above 1.5 or so diverges.
    assert!((found.valid().at(0.5) - 2.0).abs() < 0.2, "{report}");
}
