use crate::callback::add_test_results;
use crate::logger::{FileMetricLogger, LogError, MetricLogger};
use crate::metric::{Adaptor, Metric, Numeric};
use crate::renderer::{Interrupter, MetricState, MetricsRenderer, default_renderer};
use crate::training::{GenericSlot, MetricSlot, NumericSlot, Phase, Position};
use crate::{Split, TrainError, ValidStep};
use burn_dataset::dataloader::DataLoader;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Builds an [`Evaluator`]: metrics on a test split, which neither training nor the choice of a checkpoint
/// has seen.
///
/// `V` is what the validation step of the model gives. Every batch is logged below `test/epoch-1` of the
/// artifact folder.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::data::dataloader::DataLoaderBuilder;
/// use burn::data::dataset::InMemDataset;
/// use burn::module::Module;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Tensor, backend::Backend};
/// use burn::train::metric::{LossMetric, MeanAbsoluteErrorMetric};
/// use burn::train::{EvaluatorBuilder, RegressionOutput, ValidStep};
///
/// #[derive(Module, Debug)]
/// struct Model<B: Backend> {
///     linear: Linear<B>,
/// }
///
/// impl<B: Backend> ValidStep<Tensor<B, 2>, RegressionOutput<B>> for Model<B> {
///     fn step(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
///         let (output, targets) = (self.linear.forward(inputs.clone()), inputs * 3.0);
///         RegressionOutput::new((output.clone() - targets.clone()).square().mean(), output, targets)
///     }
/// }
///
/// fn batch(items: Vec<f32>) -> Tensor<NdArray, 2> {
///     let rows = items.len();
///     Tensor::<NdArray, 1>::from_data(items.as_slice(), &Default::default()).reshape([rows, 1])
/// }
///
/// # let artifacts = tempfile::tempdir().unwrap();
/// # let artifact_dir = artifacts.path();
/// let model = Model { linear: LinearConfig::new(1, 1).init::<NdArray>(&Default::default()) };
/// let test = DataLoaderBuilder::new(batch).batch_size(8).build(InMemDataset::new(vec![0.5, 1.0]));
/// let summary = EvaluatorBuilder::new(artifact_dir)
///     .metric_numeric(LossMetric::new())
///     .metric_numeric(MeanAbsoluteErrorMetric::new())
///     .build(model)
///     .eval(test);
/// assert!(summary.value("Mean Absolute Error").unwrap().is_finite());
/// println!("{summary}");
/// ```
pub struct EvaluatorBuilder<V> {
    artifacts: PathBuf,
    metrics: Vec<Box<dyn MetricSlot<V>>>,
    renderer: Option<Box<dyn MetricsRenderer>>,
    logger: Box<dyn MetricLogger>,
    interrupter: Interrupter,
    /// The page that gets the results.
    page: Option<PathBuf>,
}

/// Looks at a model with metrics on a test split: made by an [`EvaluatorBuilder`].
pub struct Evaluator<M, V> {
    model: M,
    options: EvaluatorBuilder<V>,
}

/// The metrics of a test split; a table with [`Display`](fmt::Display).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluationSummary {
    /// Name and text of every metric, and its value where it is a number.
    pub metrics: Vec<(String, String, Option<f64>)>,
    /// Number of items.
    pub items: usize,
}

impl<V> EvaluatorBuilder<V> {
    /// Starts without metrics; files go to a folder, which may be there or not.
    pub fn new(artifact_dir: impl AsRef<Path>) -> Self {
        let artifacts = artifact_dir.as_ref().to_path_buf();
        let logger = Box::new(FileMetricLogger::new(artifacts.join("test")));
        Self {
            artifacts,
            metrics: Vec::new(),
            renderer: None,
            logger,
            interrupter: Interrupter::new(),
            page: None,
        }
    }

    /// Adds a metric that is reported as text.
    pub fn metric<Me: Metric + 'static>(mut self, metric: Me) -> Self
    where
        V: Adaptor<Me::Input>,
    {
        if metric.is_available() {
            self.metrics.push(Box::new(GenericSlot(metric)));
        }
        self
    }

    /// Adds a metric that is a number.
    pub fn metric_numeric<Me: Metric + Numeric + 'static>(mut self, metric: Me) -> Self
    where
        V: Adaptor<Me::Input>,
    {
        if metric.is_available() {
            self.metrics.push(Box::new(NumericSlot(metric)));
        }
        self
    }

    /// Shows the progress in another way than with a dashboard on a terminal and lines elsewhere.
    pub fn renderer(mut self, renderer: impl MetricsRenderer + 'static) -> Self {
        self.renderer = Some(Box::new(renderer));
        self
    }

    /// Keeps what the metrics say elsewhere than in files.
    pub fn metric_logger(mut self, logger: impl MetricLogger + 'static) -> Self {
        self.logger = Box::new(logger);
        self
    }

    /// Adds the results to `report.html` in the artifact folder, which
    /// [`HtmlReport`](crate::callback::HtmlReport) wrote while the model was trained.
    pub fn html_report(mut self) -> Self {
        self.page = Some(self.artifacts.join("report.html"));
        self
    }

    /// Builds the evaluator of a model, which is one without gradients, as `model.valid()` is.
    pub fn build<M, J>(self, model: M) -> Evaluator<M, V>
    where
        M: ValidStep<J, V>,
    {
        Evaluator { model, options: self }
    }
}

impl<M, V> Evaluator<M, V> {
    /// Runs all batches of a loader through the model, and returns what the metrics say.
    ///
    /// # Panics
    /// If it fails; [`try_eval`](Self::try_eval) returns the error.
    #[track_caller]
    pub fn eval<J>(self, test: Arc<dyn DataLoader<J>>) -> EvaluationSummary
    where
        M: ValidStep<J, V>,
    {
        match self.try_eval(test) {
            Ok(summary) => summary,
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs all batches of a loader through the model, as [`eval`](Self::eval) does.
    ///
    /// # Errors
    /// If a batch cannot be made or there is none, or a metric log cannot be written. A metric that is NaN is
    /// reported as such.
    pub fn try_eval<J>(self, test: Arc<dyn DataLoader<J>>) -> Result<EvaluationSummary, TrainError>
    where
        M: ValidStep<J, V>,
    {
        let Self { model, options } = self;
        let EvaluatorBuilder { artifacts, metrics, renderer, logger, interrupter, page } = options;
        let mut report = Report::begin(&artifacts, renderer, logger, interrupter)?;
        let mut phase = Phase::new(Split::Test, &*test, metrics);
        phase.start(1, 0)?;
        let mut states = Vec::new();
        while let Some((batch, progress)) = phase.next(1)? {
            let item = model.step(batch);
            let at = report.position();
            phase.measure(&item, (&at, progress, None), &mut states);
            report.add(&at, progress.progress, &mut states)?;
            if report.interrupter.should_stop() {
                break;
            }
        }
        phase.end();
        let summary = report.finish()?;
        if let Some(page) = page {
            let metrics = summary.metrics.iter().map(|(name, text, _)| (name.clone(), text.clone()));
            let items = ("Items".to_string(), summary.items.to_string());
            add_test_results(&page, &[items].into_iter().chain(metrics).collect::<Vec<_>>())?;
        }
        Ok(summary)
    }
}

/// Displays, logs and returns the metrics of an evaluation, without types.
struct Report {
    renderer: Box<dyn MetricsRenderer>,
    logger: Box<dyn MetricLogger>,
    interrupter: Interrupter,
    summary: EvaluationSummary,
    iteration: usize,
}

impl Report {
    fn begin(
        artifacts: &Path,
        renderer: Option<Box<dyn MetricsRenderer>>,
        mut logger: Box<dyn MetricLogger>,
        interrupter: Interrupter,
    ) -> Result<Self, TrainError> {
        let io = |source| LogError::Io { path: artifacts.to_path_buf(), source };
        std::fs::create_dir_all(artifacts).map_err(io)?;
        logger.start_epoch(1, 0)?;
        let renderer = renderer.unwrap_or_else(|| default_renderer(&interrupter));
        let summary = EvaluationSummary::default();
        Ok(Self { renderer, logger, interrupter, summary, iteration: 0 })
    }

    fn position(&mut self) -> Position {
        self.iteration += 1;
        Position { split: Split::Test, epoch: 1, epoch_total: 1, iteration: self.iteration, seed: 0 }
    }

    fn add(
        &mut self,
        at: &Position,
        progress: burn_dataset::dataloader::Progress,
        states: &mut Vec<MetricState>,
    ) -> Result<(), TrainError> {
        self.summary.items = progress.items_processed;
        self.summary.metrics.clear();
        for state in states.drain(..) {
            let entry = state.entry();
            self.logger.log(1, entry)?;
            let value = match &state {
                MetricState::Numeric(_, value) => Some(*value),
                MetricState::Generic(_) => None,
            };
            self.summary.metrics.push((entry.name.clone(), entry.formatted.clone(), value));
            self.renderer.update_test(state);
        }
        self.renderer.render_test(at.progress(progress));
        Ok(())
    }

    fn finish(mut self) -> Result<EvaluationSummary, TrainError> {
        self.logger.end_epoch(1)?;
        if let Err(error) = self.renderer.on_train_end(None) {
            tracing::warn!("the renderer could not end: {error}");
        }
        match self.iteration {
            0 => Err(TrainError::NoBatches { split: Split::Test, epoch: 1 }),
            _ => Ok(self.summary),
        }
    }
}

impl EvaluationSummary {
    /// Returns the value of a numeric metric.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.0 == name)?.2
    }
}

impl fmt::Display for EvaluationSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.metrics.iter().map(|metric| metric.0.chars().count()).max().unwrap_or(0);
        writeln!(f, "Test items: {}", self.items)?;
        self.metrics.iter().try_for_each(|(name, text, _)| writeln!(f, "{name:<width$}  {text}"))
    }
}

impl<V> fmt::Debug for EvaluatorBuilder<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvaluatorBuilder").field("artifact_dir", &self.artifacts).finish_non_exhaustive()
    }
}

impl<M: fmt::Debug, V> fmt::Debug for Evaluator<M, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator").field("model", &self.model).finish_non_exhaustive()
    }
}
