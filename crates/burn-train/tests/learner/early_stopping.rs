use crate::fixture::*;
use burn_core::module::AutodiffModule;
use burn_core::record::{CompactRecorder, FullPrecisionSettings, NamedMpkFileRecorder};
use burn_core::tensor::Backend;
use burn_optim::SgdConfig;
use burn_optim::lr_scheduler::{LrScheduler, ReduceOnPlateauLrSchedulerConfig};
use burn_train::checkpoint::{CheckpointStore, KeepLastNCheckpoints, MetricCheckpointingStrategy};
use burn_train::history::{Aggregate, Direction, LearnerSummary, RunEnd, RunOutcome};
use burn_train::metric::{LossMetric, Metric, MetricEntry, MetricMetadata, Numeric};
use burn_train::renderer::{MetricState, MetricsRenderer, TrainingProgress};
use burn_train::{EarlyStopping, Split, TrainError};
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn lowest_loss(patience: usize) -> EarlyStopping {
    EarlyStopping::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid, patience)
}

/// Without a learning rate the loss of validation stays as it is: no epoch is better than the first.
#[test]
fn x_302_a_run_without_progress_stops_after_its_patience() {
    let epochs = |warm_up: usize| {
        let folder = tempfile::tempdir().unwrap();
        let learner = builder(folder.path())
            .metric_valid_numeric(LossMetric::new())
            .with_file_checkpointer(CompactRecorder::new())
            .early_stopping(lowest_loss(2).with_warm_up(warm_up))
            .num_epochs(20)
            .build(Model::new(4), SgdConfig::new().init(), 0.0);
        learner.fit(train_loader(), valid_loader());
        files(folder.path()).iter().filter(|name| name.starts_with("valid/")).count()
    };
    assert_eq!(epochs(0), 3);
    assert_eq!(epochs(5), 7);
}

/// A rate that learns for some steps and then unlearns: the loss has its lowest value in between.
#[derive(Clone)]
struct ThereAndBack {
    steps: usize,
}

impl LrScheduler for ThereAndBack {
    type Record<B: Backend> = usize;

    fn step(&mut self) -> f64 {
        self.steps += 1;
        // Three epochs of six batches.
        if self.steps <= 18 { 0.3 } else { -0.3 }
    }

    fn to_record<B: Backend>(&self) -> usize {
        self.steps
    }

    fn load_record<B: Backend>(self, steps: usize) -> Self {
        Self { steps }
    }
}

/// Keeps the outcome of a run.
#[derive(Clone, Default)]
struct Outcome(Arc<Mutex<Option<RunOutcome>>>);

impl MetricsRenderer for Outcome {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, _item: TrainingProgress) {}
    fn render_valid(&mut self, _item: TrainingProgress) {}
    fn show_outcome(&mut self, outcome: &RunOutcome) {
        *self.0.lock().unwrap() = Some(outcome.clone());
    }
    fn on_train_end(&mut self, summary: Option<&LearnerSummary>) -> Result<(), Box<dyn Error>> {
        let outcome = self.0.lock().unwrap();
        assert_eq!(summary.map(|summary| &summary.outcome), outcome.as_ref());
        Ok(())
    }
}

type Recorder = NamedMpkFileRecorder<FullPrecisionSettings>;

fn run(folder: &Path, change: impl FnOnce(Builder) -> Builder) -> (Vec<u64>, RunOutcome) {
    let outcome = Outcome::default();
    let builder = builder(folder)
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(Recorder::new())
        .renderer(outcome.clone())
        .summary()
        .num_epochs(20);
    let learner = change(builder).build(Model::new(8), SgdConfig::new().init(), ThereAndBack { steps: 0 });
    let model = learner.fit(train_loader(), valid_loader());
    let outcome = outcome.0.lock().unwrap().clone().unwrap();
    (model.bits(), outcome)
}

fn saved_bits(folder: &Path, epoch: usize) -> Vec<u64> {
    let store = CheckpointStore::open(folder.join("checkpoint")).unwrap();
    let saved = store.load(epoch).unwrap();
    saved.load_model::<B, _, _>(Model::<B>::new(8), &Recorder::new(), &Default::default()).unwrap().bits()
}

#[test]
fn the_best_model_is_returned_also_by_a_run_that_had_ended() {
    let folder = tempfile::tempdir().unwrap();
    let stopping = || lowest_loss(3).with_restore_best(true);
    let strategy = || KeepLastNCheckpoints::new(1);
    let (bits, outcome) = run(folder.path(), |builder| {
        builder.early_stopping(stopping()).with_checkpointing_strategy(strategy())
    });
    let best = outcome.best.clone().unwrap();
    assert_eq!(
        (outcome.end.clone(), outcome.last_epoch, outcome.returns_best),
        (RunEnd::StoppedEarly, best.epoch + 3, true)
    );
    assert!(
        best.epoch < outcome.last_epoch
            && best.checkpoint.unwrap().ends_with(format!("model-{}.mpk", best.epoch))
    );
    assert!(
        bits == saved_bits(folder.path(), best.epoch)
            && bits != saved_bits(folder.path(), outcome.last_epoch)
    );

    let (again, outcome) = run(folder.path(), |builder| {
        builder.early_stopping(stopping()).with_checkpointing_strategy(strategy()).resume()
    });
    assert_eq!((outcome.end, outcome.returns_best), (RunEnd::NothingLeft, true));
    assert!(again == bits, "another model");

    let (last, outcome) = run(folder.path(), |builder| builder.early_stopping(lowest_loss(3)).resume());
    assert_eq!((outcome.end, outcome.returns_best), (RunEnd::NothingLeft, false));
    assert!(last == saved_bits(folder.path(), outcome.last_epoch), "not the last model");
}

#[test]
fn the_best_model_is_returned_without_checkpoints_too() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = Outcome::default();
    let learner = builder(folder.path())
        .metric_valid_numeric(LossMetric::new())
        .early_stopping(lowest_loss(3).with_restore_best(true))
        .renderer(outcome.clone())
        .summary()
        .num_epochs(20)
        .build(Model::new(8), SgdConfig::new().init(), ThereAndBack { steps: 0 });
    let model = learner.fit(train_loader(), valid_loader()).valid();
    let outcome = outcome.0.lock().unwrap().clone().unwrap();
    let best = outcome.best.unwrap();
    assert!(outcome.returns_best && best.checkpoint.is_none());
    let loss = model.forward(batch(points_of_valid())).loss.into_scalar();
    assert!((f64::from(loss) - best.value).abs() < 1e-4, "{loss}, the best epoch had {}", best.value);
}

#[test]
fn a_run_that_is_stopped_says_what_it_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (_, outcome) = run(folder.path(), |builder| {
        builder.interrupter().stop("enough");
        builder
    });
    let file = folder.path().join("checkpoint/model-1.mpk");
    let end = RunEnd::Interrupted { reason: "enough".into(), batches: Some(1), checkpoint: Some(file) };
    assert_eq!((outcome.end, outcome.last_epoch), (end, 1));
}

/// A metric whose name is known from its first entry on.
struct Nameless;

impl Metric for Nameless {
    type Input = ();

    fn update(&mut self, (): &(), _metadata: &MetricMetadata) -> MetricEntry {
        MetricEntry::new("Own", "1", "1,1")
    }

    fn clear(&mut self) {}
}

impl Numeric for Nameless {
    fn value(&self) -> f64 {
        1.0
    }
}

fn error(change: impl FnOnce(Builder) -> Builder) -> (TrainError, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let builder = builder(folder.path())
        .metric_train_numeric(burn_train::metric::AccuracyMetric::new())
        .metric_valid_numeric(burn_train::metric::AccuracyMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(CompactRecorder::new());
    let learner = change(builder).build(Model::new(4), SgdConfig::new().init(), 0.1);
    let error = learner.try_fit(train_loader(), valid_loader()).unwrap_err();
    (error, files(folder.path()))
}

#[test]
fn a_metric_that_the_run_does_not_have_is_an_error_at_the_start() {
    let metric = |name: &str, split| EarlyStopping::new(name, Aggregate::Mean, Direction::Lowest, split, 2);
    let (unknown, written) = error(|builder| builder.early_stopping(metric("Los", Split::Valid)));
    assert_eq!(
        unknown.to_string(),
        "early stopping: there is no numeric metric `Los` of the valid phase; expected one of `Accuracy`, `Loss`, got `Los`. Add \
         it with `LearnerBuilder::metric_valid_numeric`, or correct its name"
    );
    assert!(written.is_empty(), "{written:?}");

    let best = MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Train);
    let (unknown, written) = error(|builder| builder.with_checkpointing_strategy(best));
    assert!(
        unknown
            .to_string()
            .starts_with("checkpointing strategy: there is no numeric metric `Loss` of the train phase")
    );
    assert!(written.is_empty(), "{written:?}");

    let own = |builder: Builder| builder.metric_train_numeric(Nameless);
    let (unknown, _) = error(|builder| own(builder).early_stopping(metric("Owl", Split::Train)));
    assert!(
        matches!(&unknown, TrainError::UnknownMetric { names, .. } if names == &["Accuracy", "Own"]),
        "{unknown}"
    );

    let folder = tempfile::tempdir().unwrap();
    let learner = own(builder(folder.path())).early_stopping(metric("Own", Split::Train)).build(
        Model::new(4),
        SgdConfig::new().init(),
        0.1,
    );
    learner.try_fit(train_loader(), valid_loader()).unwrap();
}

#[test]
fn a_scheduler_on_plateau_without_the_loss_of_validations_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).metric_train_numeric(LossMetric::new()).build(
        Model::new(4),
        SgdConfig::new().init(),
        ReduceOnPlateauLrSchedulerConfig::new(0.1).init(),
    );
    let error = learner.try_fit(train_loader(), valid_loader()).unwrap_err().to_string();
    assert!(
        error.starts_with("learning rate scheduler") && error.contains("`Loss` of the valid phase"),
        "{error}"
    );
}
