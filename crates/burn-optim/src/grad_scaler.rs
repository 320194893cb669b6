use crate::arithmetic::{add, cast, is_half, read_scalar, reduce_all, scale, with_rank};
use crate::{GradientsParams, LearningRate, Optimizer};
use burn_backend::dynamic::Dynamic;
use burn_backend::{DType, HasSpec, ReduceOp};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::AutodiffModule;
use burn_core::tensor::{AutodiffBackend, Backend, Tensor};
use burn_derive::{Record, fallible};

/// Options of [`GradScaler`].
#[derive(Config, Debug)]
pub struct GradScalerConfig {
    /// Scale of the loss in the first step; positive.
    #[config(default = 65536.0)]
    pub initial_scale: f64,
    /// Factor of the scale after `growth_interval` steps without overflow; above 1.
    #[config(default = 2.0)]
    pub growth_factor: f64,
    /// Factor of the scale after an overflow, in `(0, 1)`.
    #[config(default = 0.5)]
    pub backoff_factor: f64,
    /// Number of steps without overflow after which the scale grows; at least 1.
    #[config(default = 2000)]
    pub growth_interval: usize,
}

#[fallible(config)]
impl GradScalerConfig {
    /// Returns the scaler, before its first step.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<GradScaler, ConfigError> {
        let (growth, backoff) = (self.growth_factor, self.backoff_factor);
        let check = FieldCheck::of("GradScalerConfig");
        check.positive("initial_scale", self.initial_scale)?;
        let grows = growth.is_finite() && growth > 1.0;
        check.ensure(grows, "growth_factor", &growth, "a finite number above 1")?;
        check.ensure(backoff > 0.0 && backoff < 1.0, "backoff_factor", &backoff, "a number in (0, 1)")?;
        check.at_least("growth_interval", self.growth_interval, 1)?;
        Ok(GradScaler { config: self.clone(), state: GradScalerRecord::new(self.initial_scale) })
    }
}

/// Gradient scaler for training in half precision (Micikevicius et al. 2017). PyTorch: `torch.amp.GradScaler`.
///
/// Gradients below 6e-8 are 0 in `f16`. The scaler multiplies the loss, so that they are not, and divides the gradients
/// before the step. A step whose gradients are infinite or NaN is skipped and the scale becomes smaller; it grows again
/// after a number of steps without overflow. `bf16` has the range of `f32` and needs no scaling.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::module::Param;
/// use burn::optim::{GradScalerConfig, GradientsParams, SgdConfig};
/// use burn::tensor::Tensor;
///
/// let mut x: Param<Tensor<Autodiff<NdArray>, 1>> = Param::from_data([2.0], &Default::default());
/// let mut scaler = GradScalerConfig::new().init();
/// let mut sgd = SgdConfig::new().init();
///
/// let loss = scaler.scale(x.val().sum());
/// let grads = GradientsParams::from_grads(loss.backward(), &x);
/// x = scaler.step(&mut sgd, 0.5, x, grads);
/// assert_eq!(x.val().into_data().to_f64(), [1.5]);
///
/// // An overflow: nothing changes but the scale.
/// let loss = scaler.scale(x.val().sum() * f32::INFINITY);
/// let grads = GradientsParams::from_grads(loss.backward(), &x);
/// x = scaler.step(&mut sgd, 0.5, x, grads);
/// assert_eq!(x.val().into_data().to_f64(), [1.5]);
/// assert_eq!((scaler.current_scale(), scaler.skipped_steps()), (32768.0, 1));
/// ```
#[derive(Clone, Debug)]
pub struct GradScaler {
    config: GradScalerConfig,
    state: GradScalerRecord,
}

/// State of a [`GradScaler`].
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub struct GradScalerRecord {
    scale: f64,
    /// Steps without overflow since the scale last changed.
    growth_tracker: usize,
    skipped_steps: usize,
}

impl GradScalerRecord {
    fn new(scale: f64) -> Self {
        GradScalerRecord { scale, growth_tracker: 0, skipped_steps: 0 }
    }
}

impl GradScaler {
    /// Returns the loss times the scale, for the backward pass.
    #[must_use]
    pub fn scale<B: Backend, const D: usize>(&self, loss: Tensor<B, D>) -> Tensor<B, D> {
        loss * self.state.scale
    }

    /// Divides the gradients by the scale, and returns whether all of them are finite. Waits for the device.
    ///
    /// Half-precision gradients become `f32`: divided, they may be too small for `f16`.
    ///
    /// It is a part of [`step`](Self::step), for loops that clip gradients or step several optimizers:
    ///
    /// ```
    /// # use burn::backend::{Autodiff, NdArray};
    /// # use burn::module::Param;
    /// # use burn::optim::{GradScalerConfig, GradientsParams, Optimizer, SgdConfig};
    /// # use burn::tensor::Tensor;
    /// # let mut x: Param<Tensor<Autodiff<NdArray>, 1>> = Param::from_data([2.0], &Default::default());
    /// # let (mut scaler, mut sgd) = (GradScalerConfig::new().init(), SgdConfig::new().init());
    /// # let mut grads = GradientsParams::from_grads(scaler.scale(x.val().sum()).backward(), &x);
    /// let is_finite = scaler.unscale(&mut grads);
    /// if is_finite {
    ///     let _norm = grads.clip_by_global_norm(1.0);
    ///     x = sgd.step(0.5, x, grads);
    /// }
    /// scaler.update(is_finite);
    /// ```
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[track_caller]
    pub fn unscale(&self, grads: &mut GradientsParams) -> bool {
        let inverse = 1.0 / self.state.scale;
        grads.map(|_, grad| {
            let grad = if is_half(grad.dtype()) { cast(grad, DType::F32) } else { grad };
            scale(grad, inverse)
        });
        // 0 times infinity is NaN, and a sum of zeros cannot overflow.
        let zeros =
            grads.iter().map(|grad| with_rank(reduce_all(ReduceOp::Sum, scale(grad.clone(), 0.0)), 1));
        let sum = zeros.reduce(|sum, zero| {
            let zero = Dynamic::to_device(zero, &Dynamic::device(&sum));
            let zero = cast(zero, sum.dtype());
            add::<Dynamic>(sum, zero)
        });
        sum.is_none_or(|sum| !read_scalar(sum).is_nan())
    }

    /// Adapts the scale after a step whose gradients were finite, or not.
    pub fn update(&mut self, is_finite: bool) {
        let (config, state) = (&self.config, &mut self.state);
        if !is_finite {
            state.scale *= config.backoff_factor;
            state.growth_tracker = 0;
            state.skipped_steps += 1;
            return;
        }
        state.growth_tracker += 1;
        if state.growth_tracker >= config.growth_interval {
            let grown = state.scale * config.growth_factor;
            // The loss is scaled in `f32` or less.
            state.scale = if grown <= f64::from(f32::MAX) { grown } else { state.scale };
            state.growth_tracker = 0;
        }
    }

    /// Divides the gradients by the scale and steps the optimizer, unless a gradient is infinite or NaN; then adapts the
    /// scale. Waits for the device.
    ///
    /// # Panics
    /// The device failed, or this thread cannot wait for it.
    #[must_use]
    #[track_caller]
    pub fn step<B, M, O>(
        &mut self,
        optimizer: &mut O,
        lr: LearningRate,
        module: M,
        mut grads: GradientsParams,
    ) -> M
    where
        B: AutodiffBackend,
        M: AutodiffModule<B>,
        O: Optimizer<M, B>,
    {
        let is_finite = self.unscale(&mut grads);
        self.update(is_finite);
        if is_finite { optimizer.step(lr, module, grads) } else { module }
    }

    /// Returns the scale of the next step.
    pub fn current_scale(&self) -> f64 {
        self.state.scale
    }

    /// Returns the number of steps that were skipped because of an overflow.
    pub fn skipped_steps(&self) -> usize {
        self.state.skipped_steps
    }

    /// Returns the state.
    pub fn to_record(&self) -> GradScalerRecord {
        self.state
    }

    /// Returns this scaler with the state of `record`.
    #[must_use]
    pub fn load_record(mut self, record: GradScalerRecord) -> Self {
        self.state = record;
        self
    }
}
