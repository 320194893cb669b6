use super::Reduction;
use super::targets::as_floats;
use crate::display::one_line;
use crate::input::check_same_shape;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor};
use burn_derive::fallible;

/// Options of [`MarginRankingLoss`].
#[derive(Config, Debug)]
pub struct MarginRankingLossConfig {
    /// Difference of the scores from which a pair in the right order has no loss.
    #[config(default = 0.0)]
    pub margin: f64,
}

#[fallible(config)]
impl MarginRankingLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<MarginRankingLoss, ConfigError> {
        let margin = self.margin;
        let check = FieldCheck::of("MarginRankingLossConfig");
        check.ensure(margin.is_finite(), "margin", &margin, "a finite number")?;
        Ok(MarginRankingLoss { margin })
    }
}

/// Margin ranking loss of pairs of scores: `max(0, margin - target (x1 - x2))`, where the target is 1 if the
/// first score shall be larger and -1 if the second one shall. PyTorch: `torch.nn.MarginRankingLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{MarginRankingLossConfig, Reduction};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let x1 = Tensor::<NdArray, 1>::from_data([3.0, 3.0], &device);
/// let x2 = Tensor::<NdArray, 1>::from_data([1.0, 1.0], &device);
/// let target = Tensor::<NdArray, 1, Int>::from_data([1, -1], &device);
/// let loss = MarginRankingLossConfig::new().init().forward(x1, x2, target, Reduction::Sum);
/// assert_eq!(loss.into_scalar(), 2.0);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct MarginRankingLoss {
    /// Difference of the scores from which a pair in the right order has no loss.
    pub margin: f64,
}

#[fallible(layer = "margin_ranking_loss")]
impl MarginRankingLoss {
    /// Computes the reduced loss, shape `[1]`, of two inputs and targets of the same shape.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward<B: Backend, const D: usize>(
        &self,
        x1: Tensor<B, D>,
        x2: Tensor<B, D>,
        targets: Tensor<B, D, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        reduction.reduce(self.forward_no_reduction(x1, x2, targets))
    }

    /// Computes the loss per element, without a reduction.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        x1: Tensor<B, D>,
        x2: Tensor<B, D>,
        targets: Tensor<B, D, Int>,
    ) -> Tensor<B, D> {
        check_same_shape("margin_ranking_loss", &x1.dims(), &x2.dims());
        check_same_shape("margin_ranking_loss", &x1.dims(), &targets.dims());
        let targets = as_floats(targets, &x1);
        ((x2 - x1) * targets + self.margin).clamp_min(0.0)
    }
}

impl ModuleDisplay for MarginRankingLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
