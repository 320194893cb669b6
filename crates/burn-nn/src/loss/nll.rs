use super::Reduction;
use super::weights::check_weights;
use crate::display::one_line;
use crate::input::require;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor};
use burn_derive::fallible;

/// Options of [`NllLoss`].
#[derive(Config, Debug)]
pub struct NllLossConfig {
    /// Weight of each class; at least 0.
    #[config(default = "None")]
    pub weights: Option<Vec<f64>>,
    /// Target that is ignored; it need not be a class.
    #[config(default = "None")]
    pub ignore_index: Option<i64>,
}

#[fallible(config)]
impl NllLossConfig {
    /// Returns the loss, with its weights on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<NllLoss<B>, ConfigError> {
        check_weights(FieldCheck::of("NllLossConfig"), "weights", self.weights.as_deref())?;
        let weights = self.weights.as_ref().map(|weights| Tensor::from_data(weights.as_slice(), device));
        Ok(NllLoss { weights, ignore_index: self.ignore_index })
    }
}

/// Negative log-likelihood of classes: `-w[target] log_p[target]`, where the input is log-probabilities. Its
/// mean is `sum(losses) / sum(w[target])`, without the targets that are ignored. PyTorch: `torch.nn.NLLLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{NllLossConfig, Reduction};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let log_p = Tensor::<NdArray, 2>::from_data([[-1.0, -0.5], [-3.0, -0.1]], &device);
/// let targets = Tensor::<NdArray, 1, Int>::from_data([1, 0], &device);
/// let loss = NllLossConfig::new().init(&device).forward(log_p, targets, Reduction::Sum);
/// assert_eq!(loss.into_scalar(), 3.5);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct NllLoss<B: Backend> {
    /// Class weights, `[classes]`.
    pub weights: Option<Tensor<B, 1>>,
    /// Target that is ignored.
    pub ignore_index: Option<i64>,
}

/// Losses of all targets, and the weight of each one.
struct Losses<B: Backend> {
    losses: Tensor<B, 1>,
    weights: Tensor<B, 1>,
}

#[fallible(layer = "nll_loss")]
impl<B: Backend> NllLoss<B> {
    /// Computes the reduced loss, shape `[1]`, of log-probabilities `[batch, classes, ..]` and targets
    /// `[batch, ..]`. The mean is NaN when every target is ignored.
    ///
    /// # Panics
    /// The sizes differ, or a target is neither a class nor ignored.
    pub fn forward<const D: usize, const E: usize>(
        &self,
        log_p: Tensor<B, D>,
        targets: Tensor<B, E, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        let batch = targets.dims().first().copied().unwrap_or(1);
        let Losses { losses, weights } = self.losses(log_p, targets);
        match reduction {
            Reduction::Mean | Reduction::Auto => losses.sum() / weights.sum(),
            Reduction::Sum => losses.sum(),
            Reduction::BatchMean => losses.sum() / batch as f64,
        }
    }

    /// Computes the loss per target, `[batch, ..]`, without a reduction; 0 where it is ignored.
    ///
    /// # Panics
    /// The sizes differ, or a target is neither a class nor ignored.
    pub fn forward_no_reduction<const D: usize, const E: usize>(
        &self,
        log_p: Tensor<B, D>,
        targets: Tensor<B, E, Int>,
    ) -> Tensor<B, E> {
        let dims = targets.dims();
        self.losses(log_p, targets).losses.reshape(dims)
    }

    #[track_caller]
    fn losses<const D: usize, const E: usize>(
        &self,
        log_p: Tensor<B, D>,
        targets: Tensor<B, E, Int>,
    ) -> Losses<B> {
        let (dims, target_dims) = (log_p.dims(), targets.dims());
        let fits = D >= 2 && D == E + 1 && dims[0] == target_dims[0] && dims[2..] == target_dims[1..];
        require(
            fits,
            "nll_loss",
            format_args!(
                "wrong shape of the targets for the input {dims:?}; expected the shape without dimension 1, the \
             classes, got {target_dims:?}"
            ),
        );
        let classes = dims[1];
        if let Some(weights) = &self.weights {
            let [count] = weights.dims();
            require(
                count == classes,
                "nll_loss",
                format_args!(
                    "wrong number of weights for the input {dims:?}; expected [{classes}], got [{count}]"
                ),
            );
        }
        let axes: [usize; D] = core::array::from_fn(|index| match index {
            0 => 0,
            last if last == D - 1 => 1,
            middle => middle + 1,
        });
        let count = target_dims.iter().product::<usize>();
        let log_p = log_p.permute(axes).reshape([count, classes]);
        self.pick(log_p, targets.reshape([count]))
    }

    fn pick(&self, log_p: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Losses<B> {
        let [count, _] = log_p.dims();
        let ignored = self.ignore_index.map(|index| targets.clone().equal_elem(index));
        // A target that is ignored need not be a class.
        let targets = match &ignored {
            Some(ignored) => targets.mask_fill(ignored.clone(), 0),
            None => targets,
        };
        let weights = match self.weights.clone() {
            Some(weights) => weights.select(0, targets.clone()),
            None => Tensor::ones([count], (&log_p.device(), log_p.dtype())),
        };
        let losses = -log_p.gather(1, targets.reshape([count, 1])).reshape([count]) * weights.clone();
        match ignored {
            Some(ignored) => Losses {
                losses: losses.mask_fill(ignored.clone(), 0.0),
                weights: weights.mask_fill(ignored, 0.0),
            },
            None => Losses { losses, weights },
        }
    }
}

impl<B: Backend> ModuleDisplay for NllLoss<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
