//! Metrics of a learner on ranks, whose parts of a batch differ in size, against one process with all items.

use burn::backend::{Autodiff, NdArray};
use burn::collective::{Communicator, DataParallel, Local};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::InMemDataset;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::SgdConfig;
use burn::tensor::{AutodiffBackend, Backend, Int, Tensor, TensorData, activation};
use burn::train::metric::*;
use burn::train::renderer::{MetricState, MetricsRenderer, TrainingProgress};
use burn::train::{LearnerBuilder, TrainOutput, TrainStep, ValidStep};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

type F = NdArray<f64>;
type A = Autodiff<F>;

const ITEMS: usize = 25;
const BATCH: usize = 8;
const CLASSES: usize = 4;
const SIDE: usize = 8;

/// Inputs of every metric, made of the numbers of the items.
struct Items<B: Backend> {
    numbers: Vec<usize>,
    loss: Tensor<B, 1>,
}

impl<B: Backend> Items<B> {
    /// Returns numbers from -1 to 1, `width` for each item.
    fn values(&self, width: usize, frequency: f64) -> TensorData {
        let of_item = |item: &usize| {
            (0..width).map(|at| ((item * 31 + at * 7) as f64 * frequency).sin()).collect::<Vec<_>>()
        };
        let values: Vec<f64> = self.numbers.iter().flat_map(of_item).collect();
        TensorData::new(values, [self.numbers.len(), width])
    }

    fn tensor(&self, width: usize, frequency: f64) -> Tensor<B, 2> {
        Tensor::from_data(self.values(width, frequency), &Default::default())
    }

    fn image(&self, channels: usize, frequency: f64) -> Tensor<B, 4> {
        let values = self.tensor(channels * SIDE * SIDE, frequency);
        values.reshape([self.numbers.len(), channels, SIDE, SIDE])
    }

    /// Classes, of which the last is rare.
    fn classes(&self) -> Tensor<B, 1, Int> {
        let class = |item: &usize| if item % 11 == 3 { 3 } else { (item * 5 % 3) as i64 };
        let classes: Vec<i64> = self.numbers.iter().map(class).collect();
        Tensor::from_data(classes.as_slice(), &Default::default())
    }

    /// Returns a text for each item; those of some items are empty.
    fn words(&self, frequency: f64, step: usize) -> Vec<String> {
        let word = |value: f64| ["the", "cat", "sat", "down", "on", "it"][((value + 1.0) * 2.9) as usize];
        let texts = self.values(12, frequency).to_f64();
        let length = |item: &usize| item * step % 12;
        let lines = texts.chunks(12).zip(&self.numbers);
        lines
            .map(|(line, item)| line[..length(item)].iter().map(|x| word(*x)).collect::<Vec<_>>().join(" "))
            .collect()
    }
}

impl<B: Backend> Adaptor<ClassificationInput<B>> for Items<B> {
    fn adapt(&self) -> ClassificationInput<B> {
        ClassificationInput::multiclass(self.tensor(CLASSES, 0.37), self.classes())
    }
}

impl<B: Backend> Adaptor<AccuracyInput<B>> for Items<B> {
    fn adapt(&self) -> AccuracyInput<B> {
        AccuracyInput::new(self.tensor(CLASSES, 0.37), self.classes())
    }
}

impl<B: Backend> Adaptor<RegressionInput<B>> for Items<B> {
    fn adapt(&self) -> RegressionInput<B> {
        let targets = self.tensor(2, 0.11);
        RegressionInput::new(targets.clone() * 0.8 + self.tensor(2, 0.9) * 0.3, targets)
    }
}

impl<B: Backend> Adaptor<ImageInput<B>> for Items<B> {
    fn adapt(&self) -> ImageInput<B> {
        let targets = activation::sigmoid(self.image(1, 0.21));
        ImageInput::new(targets.clone() * 0.9 + self.image(1, 0.77) * 0.1, targets)
    }
}

impl<B: Backend> Adaptor<SegmentationInput<B>> for Items<B> {
    fn adapt(&self) -> SegmentationInput<B> {
        let targets = self.image(3, 0.6).argmax(1).reshape([self.numbers.len(), SIDE, SIDE]);
        SegmentationInput::new(self.image(3, 0.6) + self.image(3, 0.43), targets)
    }
}

impl<B: Backend> Adaptor<TextInput> for Items<B> {
    fn adapt(&self) -> TextInput {
        TextInput::new(self.words(0.5, 7), self.words(0.52, 5))
    }
}

impl<B: Backend> Adaptor<BleuInput> for Items<B> {
    fn adapt(&self) -> BleuInput {
        let references = self.words(0.5001, 7).into_iter().zip(self.words(0.502, 5));
        BleuInput::new(self.words(0.5, 7), references.map(|(one, other)| [one, other]))
    }
}

impl<B: Backend> Adaptor<LossInput<B>> for Items<B> {
    fn adapt(&self) -> LossInput<B> {
        LossInput::new(self.loss.clone())
    }
}

#[derive(Module, Debug)]
struct Model<B: Backend> {
    linear: Linear<B>,
}

impl<B: Backend> Model<B> {
    fn forward(&self, numbers: Vec<usize>) -> Items<B> {
        let count = numbers.len();
        let loss = self.linear.forward(Tensor::<B, 2>::ones([count, 1], &Default::default())).mean();
        Items { numbers, loss: loss.reshape([1]) }
    }
}

impl<B: AutodiffBackend> TrainStep<Vec<usize>, Items<B>> for Model<B> {
    fn step(&self, numbers: Vec<usize>) -> TrainOutput<Items<B>> {
        let items = self.forward(numbers);
        TrainOutput::from_loss(self, items.loss.clone(), items)
    }
}

impl<B: Backend> ValidStep<Vec<usize>, Items<B>> for Model<B> {
    fn step(&self, numbers: Vec<usize>) -> Items<B> {
        self.forward(numbers)
    }
}

/// Calls a macro with every metric whose value follows from items, on the backend `$backend`.
macro_rules! for_metrics {
    ($numeric:ident, $backend:ty, $to:expr) => {{
        let to = $to;
        let to = $numeric!(to, AccuracyMetric::<$backend>::new());
        let to = $numeric!(to, TopKAccuracyMetric::<$backend>::new(2));
        let to = $numeric!(to, HammingMetric::<$backend>::new());
        let to = $numeric!(to, PrecisionMetric::<$backend>::new());
        let to =
            $numeric!(to, PrecisionMetric::<$backend>::new().with_top_k(2).with_average(Average::Weighted));
        let to = $numeric!(to, RecallMetric::<$backend>::new());
        let to = $numeric!(to, FBetaMetric::<$backend>::new(1.0));
        let to = $numeric!(to, FBetaMetric::<$backend>::new(2.0).with_average(Average::Micro));
        let to = $numeric!(to, AurocMetric::<$backend>::new());
        let to = $numeric!(to, PerplexityMetric::<$backend>::new().with_pad_token(1));
        let to = $numeric!(to, MeanAbsoluteErrorMetric::<$backend>::new());
        let to = $numeric!(to, RootMeanSquareErrorMetric::<$backend>::new());
        let to = $numeric!(to, R2Metric::<$backend>::new());
        let to = $numeric!(to, PsnrMetric::<$backend>::new(1.0));
        let to = $numeric!(to, SsimMetric::<$backend>::new(1.0));
        let to = $numeric!(to, DiceMetric::<$backend>::new());
        let to = $numeric!(to, DiceMetric::<$backend>::new().with_class(1).per_image());
        let to = $numeric!(to, WerMetric::new());
        let to = $numeric!(to, CerMetric::new());
        $numeric!(to, BleuMetric::with_longest(2))
    }};
}

/// Values of metrics, by their name.
type Values = BTreeMap<String, String>;

/// Metrics of all items at once.
fn expected() -> Values {
    let numbers = (0..ITEMS).collect();
    let items = Items::<F> { numbers, loss: Tensor::zeros([1], &Default::default()) };
    let metadata = MetricMetadata::default();
    macro_rules! measure {
        ($values:ident, $metric:expr) => {{
            let (mut values, mut metric) = ($values, $metric);
            let name = metric.name().unwrap();
            let entry = metric.update(&items.adapt(), &metadata);
            assert_eq!(entry.name, name);
            values.insert(name, rounded(metric.value()));
            values
        }};
    }
    let mut values = for_metrics!(measure, F, Values::new());
    let matrix = ConfusionMatrixMetric::<F>::new().update(&items.adapt(), &metadata);
    values.insert(matrix.name, matrix.formatted);
    values
}

fn rounded(value: f64) -> String {
    assert!(value.is_finite());
    format!("{value:.9}")
}

/// Keeps the last value of every metric of both phases.
#[derive(Clone, Default)]
struct LastValues(Arc<Mutex<[Values; 2]>>);

impl LastValues {
    fn keep(&self, phase: usize, state: MetricState) {
        let (name, value) = match state {
            MetricState::Numeric(entry, value) => (entry.name, rounded(value)),
            MetricState::Generic(entry) => (entry.name, entry.formatted),
        };
        self.0.lock().unwrap()[phase].insert(name, value);
    }
}

impl MetricsRenderer for LastValues {
    fn update_train(&mut self, state: MetricState) {
        self.keep(0, state);
    }
    fn update_valid(&mut self, state: MetricState) {
        self.keep(1, state);
    }
    fn render_train(&mut self, _item: TrainingProgress) {}
    fn render_valid(&mut self, _item: TrainingProgress) {}
}

fn loader(seed: Option<u64>) -> Arc<dyn DataLoader<Vec<usize>>> {
    let builder = DataLoaderBuilder::new(|numbers: Vec<usize>| numbers).batch_size(BATCH);
    let builder = match seed {
        Some(seed) => builder.shuffle(seed),
        None => builder,
    };
    builder.build(InMemDataset::new((0..ITEMS).collect()))
}

/// Trains for an epoch, and returns the last values of both phases, and the lines of every log.
fn run(folder: &Path, group: Option<Communicator>) -> ([Values; 2], Values) {
    let shown = LastValues::default();
    let model = Model { linear: LinearConfig::new(1, 1).init::<A>(&Default::default()) };
    macro_rules! train {
        ($builder:ident, $metric:expr) => {
            $builder.metric_train_numeric($metric)
        };
    }
    macro_rules! valid {
        ($builder:ident, $metric:expr) => {
            $builder.metric_valid_numeric($metric)
        };
    }
    let builder = LearnerBuilder::new(folder)
        .renderer(shown.clone())
        .with_application_logger(None)
        .metric_train(ConfusionMatrixMetric::new())
        .metric_valid(ConfusionMatrixMetric::new())
        .num_epochs(1);
    let builder = for_metrics!(train, A, builder);
    let builder = for_metrics!(valid, F, builder);
    let mut learner = builder.build(model, SgdConfig::new().init(), 0.1);
    if let Some(group) = group {
        learner = learner.with_data_parallel(DataParallel::new(group));
    }
    learner.fit(loader(Some(5)), loader(None));
    let values = shown.0.lock().unwrap().clone();
    (values, logs(folder))
}

/// Returns the values of the batches in each log.
fn logs(folder: &Path) -> Values {
    let logs = crate::fixture::files(folder).into_iter().filter(|name| name.ends_with(".log"));
    let batches = |text: String| {
        let number = |line: &str| match line.parse::<NumericEntry>() {
            Ok(entry) => format!("{:.9},{}\n", entry.value, entry.count),
            Err(_) => format!("{line}\n"),
        };
        text.lines().map(number).collect::<String>()
    };
    logs.map(|name| (name.clone(), batches(std::fs::read_to_string(folder.join(&name)).unwrap()))).collect()
}

#[test]
fn x_503_metrics_over_ranks_are_those_of_one_process_with_all_items() {
    let expected = expected();
    assert_eq!(expected.len(), 21);
    let folder = tempfile::tempdir().unwrap();
    let (alone, expected_logs) = run(folder.path(), None);
    assert_eq!(alone, [expected.clone(), expected.clone()]);
    assert_eq!(expected_logs.len(), 2 * expected.len());
    // Three ranks have 3, 3 and 2 items of a batch; the last batch has one item, so the others have none.
    for ranks in [1, 2, 3] {
        let folder = tempfile::tempdir().unwrap();
        let results = Local::run(ranks, |group| run(folder.path(), Some(group))).unwrap();
        assert_eq!(results[0].0, [expected.clone(), expected.clone()], "{ranks} ranks");
        assert_eq!(logs(folder.path()), expected_logs, "{ranks} ranks");
    }
}
