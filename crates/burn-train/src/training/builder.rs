use super::checkpoint_parts::CheckpointParts;
use super::learner::Learner;
use super::metric_slot::{GenericSlot, MetricSlot, NumericSlot};
use super::nan_policy::NanPolicy;
use super::options::{Options, Resume};
use super::step::{TrainStep, ValidStep};
use super::training_loop::Loggers;
use super::tree_file::Recorded;
use crate::EarlyStoppingStrategy;
use crate::callback::{HtmlReport, JsonLines, TensorBoard, TrainingCallback};
use crate::checkpoint::CheckpointingStrategy;
use crate::logger::{ApplicationLoggerInstaller, MetricLogger};
use crate::metric::{Adaptor, Metric, Numeric};
use crate::renderer::{Interrupter, MetricsRenderer};
use burn_core::module::AutodiffModule;
use burn_core::record::FileRecorder;
use burn_core::tensor::AutodiffBackend;
use burn_optim::lr_scheduler::LrScheduler;
use burn_optim::{GradScalerConfig, GradientClippingConfig, Optimizer};
use std::fmt;
use std::path::Path;

/// Builds a [`Learner`]; every option may be left out.
///
/// `T` and `V`, what the training and the validation step give, follow from the model.
///
/// The run writes below its artifact folder, which may be there or not:
///
/// ```text
/// experiment.log                                      events of the program
/// checkpoint/model-1.mpk  optim-1.mpk  scheduler-1.mpk  state-1.json
/// train/epoch-1/Loss.log                              one line `value,count` per batch
/// valid/epoch-1/Loss.log
/// ```
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::data::dataloader::DataLoaderBuilder;
/// use burn::data::dataset::InMemDataset;
/// use burn::module::{AutodiffModule, Module};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::SgdConfig;
/// use burn::record::CompactRecorder;
/// use burn::tensor::{AutodiffBackend, Backend, Tensor};
/// use burn::train::metric::LossMetric;
/// use burn::train::{LearnerBuilder, RegressionOutput, TrainOutput, TrainStep, ValidStep};
///
/// #[derive(Module, Debug)]
/// struct Model<B: Backend> {
///     linear: Linear<B>,
/// }
///
/// impl<B: Backend> Model<B> {
///     fn forward(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
///         let targets = inputs.clone() * 3.0 + 1.0;
///         let output = self.linear.forward(inputs);
///         RegressionOutput::new((output.clone() - targets.clone()).square().mean(), output, targets)
///     }
/// }
///
/// impl<B: AutodiffBackend> TrainStep<Tensor<B, 2>, RegressionOutput<B>> for Model<B> {
///     fn step(&self, inputs: Tensor<B, 2>) -> TrainOutput<RegressionOutput<B>> {
///         let item = self.forward(inputs);
///         TrainOutput::new(self, item.loss.backward(), item)
///     }
/// }
///
/// impl<B: Backend> ValidStep<Tensor<B, 2>, RegressionOutput<B>> for Model<B> {
///     fn step(&self, inputs: Tensor<B, 2>) -> RegressionOutput<B> {
///         self.forward(inputs)
///     }
/// }
///
/// type B = Autodiff<NdArray>;
///
/// fn batch<B: Backend>(items: Vec<f32>) -> Tensor<B, 2> {
///     let rows = items.len();
///     Tensor::<B, 1>::from_data(items.as_slice(), &Default::default()).reshape([rows, 1])
/// }
///
/// # let artifacts = tempfile::tempdir().unwrap();
/// # let artifact_dir = artifacts.path();
/// let dataset = || InMemDataset::new((0..64).map(|i| i as f32 / 64.0).collect());
/// let device = Default::default();
/// let learner = LearnerBuilder::new(artifact_dir)
///     .metric_train_numeric(LossMetric::new())
///     .metric_valid_numeric(LossMetric::new())
///     .with_file_checkpointer(CompactRecorder::new())
///     .devices(vec![device])
///     .num_epochs(20)
///     .summary()
///     .build(Model { linear: LinearConfig::new(1, 1).init::<B>(&device) }, SgdConfig::new().init(), 0.3);
///
/// let model = learner.fit(
///     DataLoaderBuilder::new(batch::<B>).batch_size(8).shuffle(42).build(dataset()),
///     DataLoaderBuilder::new(batch::<NdArray>).batch_size(8).build(dataset()),
/// );
/// let loss = model.valid().forward(batch(vec![0.25, 0.5])).loss.into_scalar();
/// assert!(loss < 1e-3, "{loss}");
/// ```
pub struct LearnerBuilder<B: AutodiffBackend, T, V> {
    train: Vec<Box<dyn MetricSlot<T>>>,
    valid: Vec<Box<dyn MetricSlot<V>>>,
    devices: Vec<B::Device>,
    options: Options,
}

impl<B: AutodiffBackend, T, V> LearnerBuilder<B, T, V> {
    /// Starts with one epoch without metrics and checkpoints, whose files go to a folder.
    pub fn new(artifact_dir: impl AsRef<Path>) -> Self {
        let options = Options::new(artifact_dir.as_ref());
        Self { train: Vec::new(), valid: Vec::new(), devices: Vec::new(), options }
    }

    /// Adds a metric of the training phase that is reported as text.
    pub fn metric_train<Me: Metric + 'static>(mut self, metric: Me) -> Self
    where
        T: Adaptor<Me::Input>,
    {
        if metric.is_available() {
            self.train.push(Box::new(GenericSlot(metric)));
        }
        self
    }

    /// Adds a metric of the validation phase that is reported as text.
    pub fn metric_valid<Me: Metric + 'static>(mut self, metric: Me) -> Self
    where
        V: Adaptor<Me::Input>,
    {
        if metric.is_available() {
            self.valid.push(Box::new(GenericSlot(metric)));
        }
        self
    }

    /// Adds a metric of the training phase that is plotted and summed up.
    pub fn metric_train_numeric<Me: Metric + Numeric + 'static>(mut self, metric: Me) -> Self
    where
        T: Adaptor<Me::Input>,
    {
        if metric.is_available() {
            self.train.push(Box::new(NumericSlot(metric)));
        }
        self
    }

    /// Adds a metric of the validation phase that is plotted and summed up.
    pub fn metric_valid_numeric<Me: Metric + Numeric + 'static>(mut self, metric: Me) -> Self
    where
        V: Adaptor<Me::Input>,
    {
        if metric.is_available() {
            self.valid.push(Box::new(NumericSlot(metric)));
        }
        self
    }

    /// Saves model, optimizer and scheduler after every epoch, in files of the format of `recorder`.
    ///
    /// Checkpoints keep every bit of the tensors, whatever the precision of `recorder`, so that a run
    /// that is resumed goes on as if it had not been stopped;
    /// [`with_rounding_file_checkpointer`](Self::with_rounding_file_checkpointer) rounds to it.
    pub fn with_file_checkpointer<FR: FileRecorder<B> + 'static>(mut self, recorder: FR) -> Self {
        self.options.recorder = Some(Box::new(Recorded::<B, FR>::exact(recorder)));
        self
    }

    /// Saves checkpoints in the precision of `recorder`: half the size with
    /// [`CompactRecorder`](burn_core::record::CompactRecorder), and a run that is resumed goes on with
    /// rounded parameters and moments, on another way than one that was not stopped.
    pub fn with_rounding_file_checkpointer<FR: FileRecorder<B> + 'static>(mut self, recorder: FR) -> Self {
        self.options.recorder = Some(Box::new(Recorded::<B, FR>::rounding(recorder)));
        self
    }

    /// Writes checkpoints in a thread of its own, while training goes on.
    ///
    /// A checkpoint holds the state at the end of its epoch, which is copied to the host before the run goes
    /// on; one is written at a time, so that there is memory for one copy. An error of writing ends the run
    /// at the next checkpoint or at the end.
    pub fn with_background_checkpoints(mut self) -> Self {
        self.options.saves_in_background = true;
        self
    }

    /// Sets what happens where gradients, metrics or checkpoints are NaN; by default the run ends.
    pub fn nan_policy(mut self, policy: NanPolicy) -> Self {
        self.options.nan = policy;
        self
    }

    /// Ends the run early, such as after some epochs without a better loss. See
    /// [`EarlyStopping`](crate::EarlyStopping).
    pub fn early_stopping(mut self, strategy: impl EarlyStoppingStrategy + 'static) -> Self {
        self.options.early_stopping = Some(Box::new(strategy));
        self
    }

    /// Adds something that is called at the start and end of the run and of epochs, and after every batch.
    pub fn callback(mut self, callback: impl TrainingCallback + 'static) -> Self {
        self.options.watchers.0.push(Box::new(callback));
        self
    }

    /// Writes a line of JSON for every batch and epoch to `metrics.jsonl` in the artifact folder. See
    /// [`JsonLines`].
    pub fn json_lines(self) -> Self {
        self.callback(JsonLines::new())
    }

    /// Writes event files for TensorBoard below `tensorboard` in the artifact folder. See [`TensorBoard`].
    pub fn tensorboard(self) -> Self {
        self.callback(TensorBoard::new())
    }

    /// Writes a page with the curves after every epoch, `report.html` in the artifact folder. See
    /// [`HtmlReport`].
    pub fn html_report(self) -> Self {
        self.callback(HtmlReport::new())
    }

    /// Clips the gradients of every step of the optimizer, after they are accumulated and averaged over
    /// devices.
    pub fn grad_clipping(mut self, clipping: GradientClippingConfig) -> Self {
        self.options.clipping = Some(clipping);
        self
    }

    /// Scales the loss of every batch and divides the gradients again, so that small gradients are not 0 in
    /// `f16` (Micikevicius et al. 2017).
    ///
    /// Steps whose gradients overflow are skipped, and the scale becomes smaller. The backend is one of mixed
    /// precision, `Autodiff<Amp<Cuda, Half>>`, and the training step makes its output with
    /// [`TrainOutput::from_loss`](crate::TrainOutput::from_loss). `bf16`, the type of `Amp<Cuda>`, has the
    /// range of `f32` and needs no scaling.
    ///
    /// # Panics
    /// If a field of `config` is out of its range.
    #[track_caller]
    pub fn mixed_precision(mut self, config: GradScalerConfig) -> Self {
        self.options.scaler = Some(config.init());
        self
    }

    /// Sets which checkpoints are kept; the last two by default.
    pub fn with_checkpointing_strategy(mut self, strategy: impl CheckpointingStrategy + 'static) -> Self {
        self.options.strategy = Box::new(strategy);
        self
    }

    /// Trains on these devices: [`fit`](Learner::fit) moves the model to the first of them, and with several
    /// trains data parallel.
    pub fn devices(mut self, devices: Vec<B::Device>) -> Self {
        self.devices = devices;
        self
    }

    /// Sets the number of epochs, those before a resumed checkpoint included.
    pub fn num_epochs(mut self, num_epochs: usize) -> Self {
        self.options.epochs = num_epochs;
        self
    }

    /// Shows a table of the lowest and highest value of every numeric metric at the end.
    pub fn summary(mut self) -> Self {
        self.options.summary = true;
        self
    }

    /// Sums the gradients of so many batches for one step of the optimizer and of the scheduler.
    ///
    /// Gradients that are left at the end of an epoch make a step too. The loss is usually a mean over its
    /// batch: divide the learning rate by the number.
    ///
    /// # Panics
    /// If `batches` is zero.
    #[track_caller]
    pub fn grads_accumulation(mut self, batches: usize) -> Self {
        assert!(batches > 0, "a step needs the gradients of one batch at least");
        self.options.accumulation = batches;
        self
    }

    /// Goes on after the checkpoint of an epoch: with its model, optimizer, scheduler, random
    /// numbers and order of the data.
    ///
    /// If the epoch was stopped in its middle, the run goes on in it. That there is such a
    /// checkpoint is an error of the run, if it is not so.
    pub fn checkpoint(mut self, epoch: usize) -> Self {
        self.options.resume = Resume::Epoch(epoch);
        self
    }

    /// Goes on after the newest checkpoint that is whole, or begins anew if there is none.
    pub fn resume(mut self) -> Self {
        self.options.resume = Resume::Newest;
        self
    }

    /// Shows the run in another way than with a dashboard on a terminal and lines elsewhere.
    pub fn renderer(mut self, renderer: impl MetricsRenderer + 'static) -> Self {
        self.options.renderer = Some(Box::new(renderer));
        self
    }

    /// Lets the dashboard stay open at the end until the user closes it.
    pub fn keep_dashboard_open(mut self) -> Self {
        self.options.stays_open = true;
        self
    }

    /// Keeps what the metrics say elsewhere than in files.
    pub fn metric_loggers(
        mut self,
        train: impl MetricLogger + 'static,
        valid: impl MetricLogger + 'static,
    ) -> Self {
        self.options.loggers = Loggers { train: Box::new(train), valid: Box::new(valid) };
        self
    }

    /// Sets what receives the events of the program: by default `experiment.log`, with
    /// `None` nothing.
    pub fn with_application_logger(mut self, logger: Option<Box<dyn ApplicationLoggerInstaller>>) -> Self {
        self.options.application_logger = logger;
        self
    }

    /// Returns what stops the run from elsewhere.
    pub fn interrupter(&self) -> Interrupter {
        self.options.interrupter.clone()
    }

    /// Builds the learner of a model, with an optimizer and a learning rate or a scheduler of it.
    ///
    /// `I` and `J`, the batches of the training and of the validation step, follow from the model too, unless
    /// it has several steps with one output.
    pub fn build<M, O, S, I, J>(self, model: M, optim: O, lr_scheduler: S) -> Learner<B, T, V, M, O, S>
    where
        M: AutodiffModule<B> + TrainStep<I, T>,
        M::InnerModule: ValidStep<J, V>,
        O: Optimizer<M, B>,
        S: LrScheduler,
    {
        let parts = CheckpointParts { model, optim, scheduler: lr_scheduler, average: None, best: None };
        let Self { train, valid, devices, options } = self;
        Learner { parts, train, valid, devices, options, ranks: None }
    }
}

impl<B: AutodiffBackend, T, V> fmt::Debug for LearnerBuilder<B, T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LearnerBuilder")
            .field("artifact_dir", &self.options.artifacts)
            .field("num_epochs", &self.options.epochs)
            .finish_non_exhaustive()
    }
}
