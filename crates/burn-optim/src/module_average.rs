use crate::averages::{self, Averages};
use crate::collect;
use crate::module_average_record::ModuleAverageRecord;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::AutodiffModule;
use burn_core::record::RecordError;
use burn_core::tensor::AutodiffBackend;
use burn_derive::fallible;

/// Exponential moving average of the parameters of a module. PyTorch:
/// `torch.optim.swa_utils.AveragedModel` with `get_ema_avg_fn`.
///
/// The first update copies the parameters `x`; each later one computes `a = decay a + (1 - decay) x`.
#[doc(alias = "AveragedModel")]
#[derive(Config, Debug)]
pub struct EmaConfig {
    /// Decay rate of the average, in `[0, 1]`.
    #[config(default = 0.999)]
    pub decay: f64,
    /// Whether the decay of update `n`, from 0, is at most `(1 + n) / (10 + n)`, so that the average soon
    /// leaves the initial parameters.
    #[config(default = false)]
    pub warm_up: bool,
    /// Whether to average floats that get no gradient too, such as the running mean of a batch norm.
    /// Otherwise they stay those of the module that the average is put into.
    #[config(default = false)]
    pub use_buffers: bool,
}

/// Stochastic weight averaging (Izmailov et al. 2018): the mean of the parameters over all updates. PyTorch:
/// `torch.optim.swa_utils.AveragedModel`.
///
/// It is updated once an epoch in the last part of the training, with a learning rate that is constant
/// ([`SwaLrSchedulerConfig`](crate::lr_scheduler::SwaLrSchedulerConfig)) or cyclic. The running statistics of
/// batch norms are not those of the averaged parameters: run the training set through the averaged module
/// once.
#[doc(alias = "AveragedModel")]
#[derive(Config, Debug)]
pub struct SwaConfig {
    /// Whether to average floats that get no gradient too, such as the running mean of a batch norm.
    #[config(default = false)]
    pub use_buffers: bool,
}

#[fallible(config)]
impl EmaConfig {
    /// Returns the average, before its first update.
    ///
    /// # Errors
    /// The decay is outside of `[0, 1]`.
    pub fn try_init(&self) -> Result<ModuleAverage, ConfigError> {
        FieldCheck::of("EmaConfig").probability("decay", self.decay)?;
        let weighting = Weighting::Exponential { decay: self.decay, warm_up: self.warm_up };
        Ok(ModuleAverage::new(weighting, self.use_buffers))
    }
}

impl SwaConfig {
    /// Returns the average, before its first update.
    pub fn init(&self) -> ModuleAverage {
        ModuleAverage::new(Weighting::Equal, self.use_buffers)
    }
}

#[derive(Clone, Copy, Debug)]
enum Weighting {
    Exponential { decay: f64, warm_up: bool },
    Equal,
}

impl Weighting {
    /// Returns the share of the average before update `n`, from 1: update 0 copies.
    fn decay(self, n: u64) -> f64 {
        let n = n as f64;
        match self {
            Weighting::Exponential { decay, warm_up: true } => decay.min((1.0 + n) / (10.0 + n)),
            Weighting::Exponential { decay, warm_up: false } => decay,
            Weighting::Equal => n / (n + 1.0),
        }
    }
}

/// Average of the parameters of a module over the steps of its training, by [`EmaConfig`] or [`SwaConfig`].
///
/// Averages of half-precision parameters are `f32`. The averages are on the device of their parameter.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::module::{AutodiffModule, Param};
/// use burn::optim::EmaConfig;
/// use burn::tensor::Tensor;
///
/// type B = Autodiff<NdArray>;
/// let device = Default::default();
/// let mut x: Param<Tensor<B, 1>> = Param::from_data([0.0], &device);
/// let mut ema = EmaConfig::new().with_decay(0.75).init();
/// for value in [0.0, 1.0, 1.0] {
///     x = x.map(|_| Tensor::from_data([value], &device));
///     ema.update(&x);
/// }
/// // 0.75 (0.75 * 0 + 0.25 * 1) + 0.25 * 1
/// let averaged = ema.average(x).valid();
/// assert_eq!(averaged.val().into_data().to_f64(), [0.4375]);
/// ```
#[derive(Clone, Debug)]
pub struct ModuleAverage {
    weighting: Weighting,
    use_buffers: bool,
    updates: u64,
    averages: Averages,
}

impl ModuleAverage {
    fn new(weighting: Weighting, use_buffers: bool) -> Self {
        ModuleAverage { weighting, use_buffers, updates: 0, averages: Averages::new() }
    }

    /// Adds the parameters of `module` to the average.
    pub fn update<B: AutodiffBackend, M: AutodiffModule<B>>(&mut self, module: &M) {
        let decay = self.weighting.decay(self.updates);
        averages::update::<B, M>(&mut self.averages, module, decay, self.use_buffers);
        self.updates += 1;
    }

    /// Returns `module` with the averaged parameters; parameters without an average stay.
    ///
    /// The module that is trained stays as it is where a clone of it is given, which shares its tensors.
    ///
    /// # Panics
    /// An average has another shape than its parameter.
    #[must_use]
    #[track_caller]
    pub fn average<B: AutodiffBackend, M: AutodiffModule<B>>(&self, module: M) -> M {
        averages::put::<B, M>(&self.averages, module)
    }

    /// Returns the number of updates.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Returns the averages and the number of updates. It shares the tensors until they are changed.
    pub fn to_record(&self) -> ModuleAverageRecord {
        ModuleAverageRecord { updates: self.updates, averages: self.averages.clone() }
    }

    /// Returns this average with the state of `record`.
    #[must_use]
    pub fn load_record(mut self, record: ModuleAverageRecord) -> Self {
        (self.updates, self.averages) = (record.updates, record.averages);
        self
    }

    /// Returns this average with the state of `record`, after comparing its shapes with those of `module`,
    /// whose own record is loaded first: it has the identifiers of the parameters.
    ///
    /// # Errors
    /// The shape of a parameter differs from that of its average, and the error lists the paths of all of
    /// them; or the record has averages of other parameters only.
    pub fn try_load_record<B: AutodiffBackend, M: AutodiffModule<B>>(
        self,
        record: ModuleAverageRecord,
        module: &M,
    ) -> Result<Self, RecordError> {
        record.check(&collect::parameters(module)).map(|()| self.load_record(record))
    }
}
