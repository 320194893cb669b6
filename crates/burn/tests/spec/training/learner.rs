//! Training: the learner, metrics, renderers, checkpoints and the artifact folder.

use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::InMemDataset;
use burn::lr_scheduler::LinearLrSchedulerConfig;
use burn::module::{AutodiffModule, Param};
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::SgdConfig;
use burn::prelude::*;
use burn::record::{
    CompactRecorder, FullPrecisionSettings, NamedMpkFileRecorder, NamedMpkGzFileRecorder, Recorder,
};
use burn::tensor::backend::AutodiffBackend;
use burn::train::checkpoint::{
    ComposedCheckpointingStrategy, KeepLastNCheckpoints, MetricCheckpointingStrategy,
};
use burn::train::history::{Aggregate, Direction, LearnerSummary};
use burn::train::logger::{ApplicationLoggerInstaller, InMemoryMetricLogger};
use burn::train::metric::*;
use burn::train::renderer::{MetricState, MetricsRenderer, PlainRenderer, TrainingProgress};
use burn::train::{
    ClassificationOutput, LearnerBuilder, RegressionOutput, Split, TrainOutput, TrainStep, ValidStep,
};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) type TrainBackend = Autodiff<NdArray>;
pub(crate) type Batch<B> = (Tensor<B, 2>, Tensor<B, 2>);
pub(crate) type Builder =
    LearnerBuilder<TrainBackend, RegressionOutput<TrainBackend>, RegressionOutput<NdArray>>;

/// A line through points of `y = 2 x + 1`.
#[derive(Module, Debug)]
pub(crate) struct Line<B: Backend> {
    linear: Linear<B>,
}

impl<B: Backend> Line<B> {
    pub(crate) fn new() -> Self {
        Line { linear: LinearConfig::new(1, 1).init(&Default::default()) }
    }

    /// A line of the right slope through zero: its bias has the same gradient for all points.
    pub(crate) fn through_zero() -> Self {
        let mut line = Line::new();
        line.linear.weight = Param::from_data([[2.0]], &Default::default());
        line.linear.bias = Some(Param::from_data([0.0], &Default::default()));
        line
    }

    fn forward_regression(&self, (inputs, targets): Batch<B>) -> RegressionOutput<B> {
        let output = self.linear.forward(inputs);
        let loss = MseLoss::new().forward(output.clone(), targets.clone(), Reduction::Mean);
        RegressionOutput::new(loss, output, targets)
    }

    pub(crate) fn at(&self, x: f32) -> f64 {
        let output = self.linear.forward(Tensor::<B, 2>::from_data([[x]], &Default::default()));
        output.into_data().to_f64()[0]
    }
}

impl<B: AutodiffBackend> TrainStep<Batch<B>, RegressionOutput<B>> for Line<B> {
    fn step(&self, batch: Batch<B>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward_regression(batch);
        TrainOutput::new(self, item.loss.backward(), item)
    }
}

impl<B: Backend> ValidStep<Batch<B>, RegressionOutput<B>> for Line<B> {
    fn step(&self, batch: Batch<B>) -> RegressionOutput<B> {
        self.forward_regression(batch)
    }
}

pub(crate) fn batch<B: Backend>(items: Vec<f32>) -> Batch<B> {
    let rows = items.len();
    let inputs = Tensor::<B, 1>::from_data(items.as_slice(), &Default::default()).reshape([rows, 1]);
    (inputs.clone(), inputs * 2.0 + 1.0)
}

/// Four batches of eight.
pub(crate) fn loader<B: Backend>() -> Arc<dyn DataLoader<Batch<B>>> {
    let points = (0..32).map(|i| i as f32 / 16.0 - 1.0).collect();
    DataLoaderBuilder::new(batch::<B>).batch_size(8).shuffle(3).build(InMemDataset::new(points))
}

pub(crate) struct Silent;

impl MetricsRenderer for Silent {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, _item: TrainingProgress) {}
    fn render_valid(&mut self, _item: TrainingProgress) {}
}

pub(crate) fn builder(folder: &Path) -> Builder {
    LearnerBuilder::new(folder).renderer(Silent).with_application_logger(None)
}

fn fit(builder: Builder) -> Line<NdArray> {
    let learner = builder.build(Line::new(), SgdConfig::new().init(), 0.2);
    learner.fit(loader(), loader()).valid()
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn metadata() -> MetricMetadata {
    MetricMetadata::default()
}

fn classes(scores: [[f32; 3]; 4], targets: [i64; 4]) -> AccuracyInput<NdArray> {
    let device = Default::default();
    AccuracyInput::new(Tensor::from_data(scores, &device), Tensor::from_data(targets, &device))
}

const SCORES: [[f32; 3]; 4] = [[0.1, 0.2, 0.7], [0.1, 0.2, 0.7], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]];

#[test]
fn tr_001_a_builder_takes_the_artifact_folder() {
    let folder = tempfile::tempdir().unwrap();
    fit(builder(&folder.path().join("run")).metric_train_numeric(LossMetric::new()));
    assert_eq!(names(&folder.path().join("run")), ["train"]);
}

#[test]
fn tr_002_metrics_of_both_sides_may_be_texts() {
    let folder = tempfile::tempdir().unwrap();
    let (train, valid) = (InMemoryMetricLogger::new(), InMemoryMetricLogger::new());
    fit(builder(folder.path())
        .metric_train(LossMetric::new())
        .metric_valid(LossMetric::new())
        .metric_loggers(train.clone(), valid.clone()));
    assert_eq!((train.lines(1, "Loss").len(), valid.lines(1, "Loss").len()), (4, 4));
}

/// Keeps what the summary says.
#[derive(Clone, Default)]
struct Keeping {
    summary: Arc<Mutex<Option<LearnerSummary>>>,
    numbers: Arc<Mutex<Vec<f64>>>,
}

impl MetricsRenderer for Keeping {
    fn update_train(&mut self, state: MetricState) {
        if let MetricState::Numeric(_, value) = state {
            self.numbers.lock().unwrap().push(value);
        }
    }
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, _item: TrainingProgress) {}
    fn render_valid(&mut self, _item: TrainingProgress) {}
    fn on_train_end(&mut self, summary: Option<&LearnerSummary>) -> Result<(), Box<dyn Error>> {
        *self.summary.lock().unwrap() = summary.cloned();
        Ok(())
    }
}

#[test]
fn tr_003_numeric_metrics_are_plotted() {
    let folder = tempfile::tempdir().unwrap();
    let keeping = Keeping::default();
    fit(builder(folder.path()).metric_train_numeric(LossMetric::new()).renderer(keeping.clone()));
    let numbers = keeping.numbers.lock().unwrap();
    assert_eq!(numbers.len(), 4);
    assert!(numbers.iter().all(|number| number.is_finite()));
}

#[test]
fn tr_004_a_recorder_keeps_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    fit(builder(folder.path()).with_file_checkpointer(CompactRecorder::new()));
    let expected = ["model-1.mpk", "optim-1.mpk", "scheduler-1.mpk", "state-1.json"];
    assert_eq!(names(&folder.path().join("checkpoint")), expected);
}

#[test]
fn tr_005_a_learner_trains_on_the_devices_that_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let device = Default::default();
    for devices in [vec![device], vec![device, device]] {
        let learner =
            builder(folder.path()).devices(devices).build(Line::new(), SgdConfig::new().init(), 0.2);
        assert_eq!(learner.fit(loader(), loader()).devices(), [device]);
    }
}

#[test]
fn tr_006_epochs_are_counted_from_one() {
    let folder = tempfile::tempdir().unwrap();
    fit(builder(folder.path()).metric_valid_numeric(LossMetric::new()).num_epochs(3));
    assert_eq!(names(&folder.path().join("valid")), ["epoch-1", "epoch-2", "epoch-3"]);
}

#[test]
fn tr_007_the_summary_has_the_lowest_and_highest_values() {
    let folder = tempfile::tempdir().unwrap();
    let keeping = Keeping::default();
    fit(builder(folder.path())
        .metric_valid_numeric(LossMetric::new())
        .renderer(keeping.clone())
        .summary()
        .num_epochs(5));
    let summary = keeping.summary.lock().unwrap().take().unwrap();
    let loss = &summary.metrics[0];
    assert_eq!((loss.split, loss.name.as_str()), (Split::Valid, "Loss"));
    assert_eq!((loss.max.epoch, loss.min.epoch), (1, 5));
    assert!(summary.to_string().contains("| Valid | Loss "), "{summary}");
}

#[test]
fn tr_008_gradients_of_several_batches_make_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let rates = InMemoryMetricLogger::new();
    let scheduler = LinearLrSchedulerConfig::new(0.4, 0.0, 4).init();
    let learner = builder(folder.path())
        .metric_train_numeric(LearningRateMetric::new())
        .metric_loggers(rates.clone(), InMemoryMetricLogger::new())
        .grads_accumulation(2)
        .build(Line::new(), SgdConfig::new().init(), scheduler);
    learner.fit(loader(), loader());
    let lines = rates.lines(1, "Learning Rate");
    assert_eq!((lines[1].as_str(), lines[2].as_str()), ("0.4,1", "0.4,1"));
    assert_eq!(lines[3].parse::<NumericEntry>().unwrap().value, 0.4 * 0.75);
}

#[test]
fn tr_009_a_resumed_run_goes_on_bit_for_bit() {
    let run = |folder: &Path, change: fn(Builder) -> Builder| {
        let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
        let optim = SgdConfig::new()
            .with_momentum(Some(burn::optim::MomentumConfig {
                momentum: 0.9,
                dampening: 0.0,
                nesterov: false,
            }))
            .init();
        let scheduler = LinearLrSchedulerConfig::new(0.1, 0.0, 20).init();
        let learner =
            change(builder(folder).with_file_checkpointer(recorder)).build(Line::new(), optim, scheduler);
        let line = learner.fit(loader(), loader()).valid();
        [line.at(0.3).to_bits(), line.at(-0.7).to_bits()]
    };
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), |builder| builder.num_epochs(1));
    let whole = run(folder.path(), |builder| builder.checkpoint(1).num_epochs(4));
    run(folder.path(), |builder| builder.checkpoint(3).num_epochs(3));
    let resumed = run(folder.path(), |builder| builder.checkpoint(3).num_epochs(4));
    assert_eq!(whole, resumed);
}

#[test]
fn tr_010_a_renderer_of_the_users_own_is_told_every_batch() {
    struct Counting(Arc<Mutex<Vec<(usize, usize)>>>);
    impl MetricsRenderer for Counting {
        fn update_train(&mut self, _state: MetricState) {}
        fn update_valid(&mut self, _state: MetricState) {}
        fn render_train(&mut self, item: TrainingProgress) {
            self.0.lock().unwrap().push((item.epoch, item.progress.items_processed));
        }
        fn render_valid(&mut self, _item: TrainingProgress) {}
    }
    let folder = tempfile::tempdir().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    fit(builder(folder.path()).renderer(Counting(seen.clone())));
    assert_eq!(*seen.lock().unwrap(), [(1, 8), (1, 16), (1, 24), (1, 32)]);
}

#[test]
fn tr_011_metric_logs_are_files_unless_told_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    fit(builder(folder.path()).metric_train_numeric(LossMetric::new()));
    let text = fs::read_to_string(folder.path().join("train/epoch-1/Loss.log")).unwrap();
    assert_eq!(text.lines().filter(|line| line.ends_with(",8")).count(), 4, "batches of eight items: {text}");
}

#[test]
fn tr_012_the_log_of_the_program_is_installed_by_the_learner() {
    struct Installing(Arc<AtomicBool>);
    impl ApplicationLoggerInstaller for Installing {
        fn install(&self) -> Result<(), String> {
            self.0.store(true, Ordering::Relaxed);
            Err("a log that fails does not fail the run".to_string())
        }
    }
    let (folder, installed) = (tempfile::tempdir().unwrap(), Arc::new(AtomicBool::new(false)));
    fit(builder(folder.path()).with_application_logger(Some(Box::new(Installing(installed.clone())))));
    assert!(installed.load(Ordering::Relaxed));
}

#[test]
fn tr_013_a_learner_is_built_of_model_optimizer_and_rate() {
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).build(Line::new(), SgdConfig::new().init(), 0.2);
    assert!(!learner.interrupter().should_stop());
}

#[test]
fn tr_014_fit_returns_the_trained_model() {
    let folder = tempfile::tempdir().unwrap();
    let line = fit(builder(folder.path()).num_epochs(60));
    assert!((line.at(0.5) - 2.0).abs() < 1e-2, "{}", line.at(0.5));
}

#[test]
fn tr_015_steps_are_traits_of_the_model() {
    let line = Line::<TrainBackend>::new();
    let output: TrainOutput<RegressionOutput<TrainBackend>> = TrainStep::step(&line, batch(vec![0.5]));
    let valid: RegressionOutput<NdArray> = ValidStep::step(&line.valid(), batch(vec![0.5]));
    assert_eq!(output.item.loss.into_data().to_f64(), valid.loss.into_data().to_f64());
}

#[test]
fn tr_016_the_output_of_a_step_has_the_gradients_of_the_model() {
    let line = Line::<TrainBackend>::new();
    let item = line.forward_regression(batch(vec![1.0]));
    let residual = item.output.clone().into_data().to_f64()[0] - 3.0;
    let output = TrainOutput::new(&line, item.loss.backward(), item);
    let grad: Tensor<NdArray, 2> = output.grads.get(line.linear.weight.id()).unwrap();
    assert!((grad.into_data().to_f64()[0] - 2.0 * residual).abs() < 1e-5);
}

#[test]
fn tr_017_outputs_have_public_fields() {
    let device = Default::default();
    let output = ClassificationOutput::<NdArray>::new(
        Tensor::from_data([0.5], &device),
        Tensor::from_data([[0.2, 0.8]], &device),
        Tensor::from_data([1], &device),
    );
    assert_eq!((output.loss.dims(), output.output.dims(), output.targets.dims()), ([1], [1, 2], [1]));
    let RegressionOutput { loss, output, targets } =
        Line::<NdArray>::new().forward_regression(batch(vec![0.5]));
    assert_eq!((loss.dims(), output.dims(), targets.dims()), ([1], [1, 1], [1, 1]));
}

#[test]
fn tr_018_adaptors_make_the_input_of_metrics() {
    struct Words(Vec<&'static str>);
    impl Adaptor<usize> for Words {
        fn adapt(&self) -> usize {
            self.0.len()
        }
    }
    let count: usize = Words(vec!["a", "b"]).adapt();
    assert_eq!(count, 2);
}

/// Counts batches.
#[derive(Default)]
struct BatchesMetric {
    state: NumericMetricState,
}

impl Metric for BatchesMetric {
    type Input = ();

    fn update(&mut self, _item: &Self::Input, metadata: &MetricMetadata) -> MetricEntry {
        self.state.reset();
        self.state.update(metadata.iteration as f64, 1, FormatOptions::new("Batches").precision(2))
    }

    fn clear(&mut self) {
        self.state.reset();
    }
}

impl Numeric for BatchesMetric {
    fn value(&self) -> f64 {
        self.state.value()
    }
}

#[test]
fn tr_019_a_metric_of_the_users_own_sees_every_batch() {
    let folder = tempfile::tempdir().unwrap();
    let log = InMemoryMetricLogger::new();
    fit(builder(folder.path())
        .metric_train(BatchesMetric::default())
        .metric_loggers(log.clone(), InMemoryMetricLogger::new()));
    assert_eq!(log.lines(1, "Batches"), ["1,1", "2,1", "3,1", "4,1"]);
}

#[test]
fn tr_020_a_numeric_metric_has_a_value() {
    let folder = tempfile::tempdir().unwrap();
    let keeping = Keeping::default();
    fit(builder(folder.path()).metric_train_numeric(BatchesMetric::default()).renderer(keeping.clone()));
    assert_eq!(*keeping.numbers.lock().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn tr_021_numeric_state_is_a_weighted_mean() {
    let mut state = NumericMetricState::default();
    state.update(1.0, 1, FormatOptions::new("Loss").precision(2));
    let entry = state.update(4.0, 2, FormatOptions::new("Loss").precision(2));
    assert_eq!((entry.name.as_str(), entry.formatted.as_str(), state.value()), ("Loss", "3.00", 3.0));
    state.reset();
    assert!(state.value().is_nan());
}

#[test]
fn tr_022_accuracy_is_in_percent() {
    let mut metric = AccuracyMetric::<NdArray>::new();
    metric.update(&classes(SCORES, [2, 1, 2, 0]), &metadata());
    assert_eq!(metric.value(), 75.0);
}

#[test]
fn tr_023_top_k_accuracy_looks_at_the_k_highest() {
    let value = |k| {
        let mut metric = TopKAccuracyMetric::<NdArray>::new(k);
        metric.update(&classes(SCORES, [0, 1, 2, 2]), &metadata());
        metric.value()
    };
    assert_eq!([1, 2, 3].map(value), [25.0, 50.0, 100.0]);
}

#[test]
fn tr_024_loss_is_a_mean_over_batches() {
    let mut metric = LossMetric::<NdArray>::new();
    for loss in [1.0, 2.0] {
        metric.update(&LossInput::new(Tensor::from_data([loss], &Default::default())), &metadata());
    }
    assert_eq!(metric.value(), 1.5);
}

#[test]
fn tr_026_the_learning_rate_is_a_metric() {
    let mut metric = LearningRateMetric::new();
    metric.update(&(), &MetricMetadata { lr: Some(0.25), ..metadata() });
    assert_eq!(metric.value(), 0.25);
}

#[test]
fn tr_027_the_artifact_folder_has_the_golden_names() {
    let folder = tempfile::tempdir().unwrap();
    let learner = LearnerBuilder::new(folder.path())
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .with_file_checkpointer(NamedMpkGzFileRecorder::<FullPrecisionSettings>::new())
        .renderer(Silent)
        .build(Line::<TrainBackend>::new(), SgdConfig::new().init(), 0.2);
    learner.fit(loader(), loader());
    assert_eq!(names(folder.path()), ["checkpoint", "experiment.log", "train", "valid"]);
    let checkpoint = ["model-1.mpk.gz", "optim-1.mpk.gz", "scheduler-1.mpk.gz", "state-1.json"];
    assert_eq!(names(&folder.path().join("checkpoint")), checkpoint);
    for side in ["train", "valid"] {
        assert_eq!(names(&folder.path().join(side)), ["epoch-1"]);
        assert_eq!(names(&folder.path().join(side).join("epoch-1")), ["Loss.log"]);
    }
}

#[test]
fn tr_028_the_strategy_says_which_checkpoints_are_kept() {
    let kept = |change: fn(Builder) -> Builder| {
        let folder = tempfile::tempdir().unwrap();
        let builder = builder(folder.path()).metric_valid_numeric(LossMetric::new()).num_epochs(4);
        fit(change(builder.with_file_checkpointer(CompactRecorder::new())));
        let mut names = names(&folder.path().join("checkpoint"));
        names.retain(|name| name.starts_with("model"));
        names
    };
    assert_eq!(kept(|builder| builder), ["model-3.mpk", "model-4.mpk"]);
    let last = |builder: Builder| builder.with_checkpointing_strategy(KeepLastNCheckpoints::new(1));
    assert_eq!(kept(last), ["model-4.mpk"]);
    let worst_and_last = |builder: Builder| {
        let worst =
            MetricCheckpointingStrategy::new("Loss", Aggregate::Mean, Direction::Highest, Split::Valid);
        let both = ComposedCheckpointingStrategy::new().with(worst).with(KeepLastNCheckpoints::new(1));
        builder.with_checkpointing_strategy(both)
    };
    assert_eq!(kept(worst_and_last), ["model-1.mpk", "model-4.mpk"]);
}

#[test]
fn tr_030_lines_are_written_where_there_is_no_terminal() {
    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Output {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (folder, output) = (tempfile::tempdir().unwrap(), Output::default());
    fit(builder(folder.path())
        .metric_valid_numeric(LossMetric::new())
        .renderer(PlainRenderer::to(output.clone()))
        .num_epochs(2));
    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("epoch 1/2 train 32/32 | ") && lines[0].ends_with(" items/s"), "{text}");
    assert!(lines[3].starts_with("epoch 2/2 valid 32/32 | Loss 0."), "{text}");
}

#[test]
fn tr_031_the_artifact_folder_may_be_there_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().join("a/b");
    for _ in 0..2 {
        fit(builder(&artifacts).with_file_checkpointer(CompactRecorder::new()));
        assert!(artifacts.join("checkpoint/model-1.mpk").is_file());
    }
    fs::remove_dir_all(&artifacts).unwrap();
    fs::create_dir_all(&artifacts).unwrap();
    fit(builder(&artifacts));
}

#[test]
fn tr_032_the_trained_model_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let line = fit(builder(folder.path()));
    let dir = folder.path().display();
    line.save_file(format!("{dir}/model"), &CompactRecorder::new()).unwrap();
    assert!(folder.path().join("model.mpk").is_file());
}

#[derive(Config, Debug)]
struct LineConfig {
    #[config(default = 1)]
    inputs: usize,
}

#[test]
fn tr_033_inference_needs_the_config_and_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display();
    LineConfig::new().save(format!("{dir}/config.json")).unwrap();
    let trained = fit(builder(folder.path()).num_epochs(60));
    trained.clone().save_file(format!("{dir}/model"), &CompactRecorder::new()).unwrap();

    let device = Default::default();
    let config = LineConfig::load(format!("{dir}/config.json")).unwrap();
    let record = CompactRecorder::new().load(format!("{dir}/model").into(), &device).unwrap();
    let linear = LinearConfig::new(config.inputs, 1).init(&device);
    let line = Line::<NdArray> { linear }.load_record(record);
    assert!((line.at(0.5) - trained.at(0.5)).abs() < 1e-2);
}

#[test]
fn tr_035_an_accuracy_helper_serves_custom_loops() {
    fn accuracy<B: Backend>(output: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> f64 {
        let mut metric = AccuracyMetric::new();
        metric.update(&AccuracyInput::new(output, targets), &MetricMetadata::default());
        metric.value()
    }
    let AccuracyInput { outputs, targets } = classes(SCORES, [2, 2, 0, 1]);
    assert_eq!(accuracy(outputs, targets), 50.0);
}
