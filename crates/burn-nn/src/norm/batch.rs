use crate::display::one_line;
use crate::half_precision::{common_half, rounded, widened};
use crate::input::{check_channels, require};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{
    Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param, RunningState, Training,
};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`BatchNorm`].
#[derive(Config, Debug)]
pub struct BatchNormConfig {
    /// Number of channels, which are dimension 1.
    pub num_features: usize,
    /// Added to the variance for numerical stability.
    #[config(default = 1e-5)]
    pub epsilon: f64,
    /// Momentum of the running statistics, in `[0, 1]`: the weight of the statistics of a batch.
    #[config(default = 0.1)]
    pub momentum: f64,
}

#[fallible(config)]
impl BatchNormConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<BatchNorm<B>, ConfigError> {
        let check = FieldCheck::of("BatchNormConfig");
        check.elements(&[("num_features", self.num_features)])?;
        check.not_negative("epsilon", self.epsilon)?;
        check.probability("momentum", self.momentum)?;
        let shape = [self.num_features];
        Ok(BatchNorm {
            gamma: Initializer::Ones.init(shape, device),
            beta: Initializer::Zeros.init(shape, device),
            running_mean: RunningState::new(Initializer::Zeros.init(shape, device)),
            running_var: RunningState::new(Initializer::Ones.init(shape, device)),
            momentum: self.momentum,
            epsilon: self.epsilon,
            training: Training::default(),
        })
    }
}

/// Batch normalization: `y = (x - mean) / sqrt(var + epsilon) gamma + beta`, per channel (Ioffe and Szegedy
/// 2015). PyTorch: `torch.nn.BatchNorm1d`, `BatchNorm2d` and `BatchNorm3d`.
///
/// The input is `[batch, channels]`, or `[batch, channels, ..]` with any number of further dimensions. On a
/// backend that tracks gradients, mean and variance are those of the batch, and the running statistics are
/// updated: `running = (1 - momentum) running + momentum batch`, with the unbiased variance. On any other
/// backend, and so in `module.valid()`, the running statistics are used and not updated.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::nn::{BatchNorm, BatchNormConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let norm: BatchNorm<Autodiff<NdArray>> = BatchNormConfig::new(1).with_epsilon(0.0).init(&device);
/// let y = norm.forward(Tensor::<Autodiff<NdArray>, 2>::from_data([[1.0], [3.0]], &device));
/// assert_eq!(y.into_data().to_f64(), [-1.0, 1.0]);
/// ```
#[doc(alias = "BatchNorm1d")]
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct BatchNorm<B: Backend> {
    /// Scale, `[channels]`.
    pub gamma: Param<Tensor<B, 1>>,
    /// Bias, `[channels]`.
    pub beta: Param<Tensor<B, 1>>,
    /// Running mean, `[channels]`, used in evaluation mode.
    pub running_mean: RunningState<B, 1>,
    /// Running variance, `[channels]`, used in evaluation mode.
    pub running_var: RunningState<B, 1>,
    /// Momentum of the running statistics.
    pub momentum: f64,
    /// Added to the variance for numerical stability.
    pub epsilon: f64,
    /// Whether the layer is in training mode; [`valid`](burn_core::module::AutodiffModule::valid) switches to
    /// evaluation mode.
    pub training: Training,
}

#[fallible(layer = "batch_norm")]
impl<B: Backend> BatchNorm<B> {
    /// Normalizes `[batch, channels, ..]`; the shape is unchanged.
    ///
    /// # Panics
    /// The number of channels is not `num_features`, or in training mode there is only one value per channel.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        let (dims, channels) = (x.dims(), self.gamma.dims()[0]);
        check_channels("batch_norm", &dims, channels);
        let inner = dims.iter().skip(2).product();
        let x = x.reshape([dims[0], channels, inner]);
        let y = if self.training.is_on::<B>(&x.device()) { self.train(x) } else { self.infer(x) };
        y.reshape(dims)
    }

    /// Normalizes by the statistics of the batch, in training mode.
    #[track_caller]
    fn train(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [batch, channels, inner] = x.dims();
        let count = batch * inner;
        require(
            count > 1,
            "batch_norm",
            format_args!(
                "too few values for each channel to have a variance; expected at least 2, got {count}"
            ),
        );
        // In half precision the square of a deviation could be infinite.
        let dtype = common_half(x.dtype(), self.gamma.val().dtype());
        let x = widened(x);
        let mean = over_batch(x.clone());
        let centered = x - mean.clone();
        let variance = over_batch(centered.clone().square());
        let unbiased = count as f64 / (count - 1) as f64;
        let momentum = self.momentum;
        let toward = |running: Tensor<B, 1>, batch: Tensor<B, 3>| {
            let dtype = running.dtype();
            let batch = batch.detach().reshape([channels]);
            (widened(running) * (1.0 - momentum) + batch * momentum).cast(dtype)
        };
        self.running_mean.update(|running| toward(running, mean));
        self.running_var.update(|running| toward(running, variance.clone() * unbiased));
        let [gamma, beta] =
            [&self.gamma, &self.beta].map(|param| widened(param.val()).reshape([1, channels, 1]));
        let y = centered * (gamma / (variance + self.epsilon).sqrt()) + beta;
        rounded(y, dtype)
    }

    /// Normalizes by the running statistics, in evaluation mode.
    fn infer(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let channels = x.dims()[1];
        let dtype = common_half(x.dtype(), self.gamma.val().dtype());
        let [gamma, beta] = [&self.gamma, &self.beta].map(|param| widened(param.val()));
        let [mean, variance] = [&self.running_mean, &self.running_var].map(|state| widened(state.value()));
        let scale = gamma / (variance + self.epsilon).sqrt();
        let shift = beta - mean * scale.clone();
        let y = widened(x) * scale.reshape([1, channels, 1]) + shift.reshape([1, channels, 1]);
        rounded(y, dtype)
    }
}

/// Mean per channel, `[1, channels, 1]`.
fn over_batch<B: Backend>(x: Tensor<B, 3>) -> Tensor<B, 3> {
    x.mean_dim(2).mean_dim(0)
}

impl<B: Backend> ModuleDisplay for BatchNorm<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [num_features] = self.gamma.dims();
        let content = content.add("num_features", &num_features).add("momentum", &self.momentum);
        content.add("epsilon", &self.epsilon).optional()
    }
}

#[cfg(test)]
mod tests {
    use super::{BatchNorm, BatchNormConfig};
    use burn_autodiff::Autodiff;
    use burn_core::module::{AutodiffModule, Module};
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    type B = Autodiff<NdArray>;

    #[test]
    fn running_statistics_move_in_training_only() {
        let device = Default::default();
        let norm: BatchNorm<B> = BatchNormConfig::new(1).with_momentum(0.5).init(&device);
        let x = Tensor::<B, 2>::from_data([[2.0], [6.0]], &device);
        let _y = norm.forward(x.clone());
        // Mean 4, and 8 is the variance divided by n - 1.
        let statistics = |norm: &BatchNorm<B>| {
            [norm.running_mean.value().into_scalar(), norm.running_var.value().into_scalar()]
        };
        assert_eq!(statistics(&norm), [2.0, 4.5]);
        let valid = norm.valid();
        let y = valid.forward(x.inner()).into_data().to_f64();
        let expected = (6.0 - 2.0) / (4.5 + 1e-5_f64).sqrt();
        assert!(y[0] == 0.0 && (y[1] - expected).abs() < 1e-6, "{y:?}");
        assert_eq!(valid.running_mean.value().into_scalar(), 2.0);
        assert_eq!(statistics(&norm), [2.0, 4.5]);
    }

    #[test]
    fn batch_norm_takes_any_rank() {
        let device = Default::default();
        let norm: BatchNorm<B> = BatchNormConfig::new(3).init(&device);
        assert_eq!(norm.forward(Tensor::<B, 2>::ones([4, 3], &device)).dims(), [4, 3]);
        assert_eq!(norm.forward(Tensor::<B, 3>::ones([4, 3, 5], &device)).dims(), [4, 3, 5]);
        assert_eq!(norm.forward(Tensor::<B, 5>::ones([1, 3, 2, 1, 2], &device)).dims(), [1, 3, 2, 1, 2]);
    }

    #[test]
    fn running_statistics_are_in_the_record() {
        let device = Default::default();
        let norm: BatchNorm<B> = BatchNormConfig::new(1).init(&device);
        let _y = norm.forward(Tensor::<B, 2>::from_data([[2.0], [6.0]], &device));
        let mean = norm.running_mean.value().into_scalar();
        let loaded = BatchNormConfig::new(1).init::<B>(&device).load_record(norm.into_record());
        assert_eq!(loaded.running_mean.value().into_scalar(), mean);
    }

    #[test]
    #[should_panic(
        expected = "too few values for each channel to have a variance; expected at least 2, got 1"
    )]
    fn training_on_one_value_panics() {
        let norm: BatchNorm<B> = BatchNormConfig::new(3).init(&Default::default());
        let _y = norm.forward(Tensor::<B, 2>::ones([1, 3], &Default::default()));
    }
}
