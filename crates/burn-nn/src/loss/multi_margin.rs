use super::Reduction;
use super::weights::check_weights;
use crate::display::one_line;
use crate::half_precision::in_f32;
use crate::input::require;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor};
use burn_derive::fallible;

/// Options of [`MultiMarginLoss`].
#[derive(Config, Debug)]
pub struct MultiMarginLossConfig {
    /// Exponent of the loss: 1 or 2.
    #[config(default = 1)]
    pub p: usize,
    /// Difference of the scores from which a class has no loss.
    #[config(default = 1.0)]
    pub margin: f64,
    /// Weight of each class; at least 0.
    #[config(default = "None")]
    pub weights: Option<Vec<f64>>,
}

#[fallible(config)]
impl MultiMarginLossConfig {
    /// Returns the loss, with its weights on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<MultiMarginLoss<B>, ConfigError> {
        let (p, margin) = (self.p, self.margin);
        let check = FieldCheck::of("MultiMarginLossConfig");
        check.ensure(p == 1 || p == 2, "p", &p, "1 or 2")?;
        check.ensure(margin.is_finite(), "margin", &margin, "a finite number")?;
        check_weights(check, "weights", self.weights.as_deref())?;
        let weights = self.weights.as_ref().map(|weights| Tensor::from_data(weights.as_slice(), device));
        Ok(MultiMarginLoss { p, margin, weights })
    }
}

/// Multi-class margin loss of scores `x` and a target class `t`:
/// `w[t] sum over classes c other than t of max(0, margin - x[t] + x[c])^p / classes` (Crammer and Singer
/// 2001). PyTorch: `torch.nn.MultiMarginLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{MultiMarginLossConfig, Reduction};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let scores = Tensor::<NdArray, 2>::from_data([[2.0, 3.0, 0.0, 1.0]], &device);
/// let target = Tensor::<NdArray, 1, Int>::from_data([0], &device);
/// let loss = MultiMarginLossConfig::new().init(&device).forward(scores, target, Reduction::Mean);
/// assert_eq!(loss.into_scalar(), 0.5);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct MultiMarginLoss<B: Backend> {
    /// Exponent of the loss.
    pub p: usize,
    /// Difference of the scores from which a class has no loss.
    pub margin: f64,
    /// Class weights, `[classes]`.
    pub weights: Option<Tensor<B, 1>>,
}

#[fallible(layer = "multi_margin_loss")]
impl<B: Backend> MultiMarginLoss<B> {
    /// Computes the reduced loss, shape `[1]`, of scores `[batch, classes]` and targets `[batch]`.
    ///
    /// # Panics
    /// The sizes differ, or a target is no class.
    pub fn forward(
        &self,
        input: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        in_f32(input, |input| reduction.reduce(self.losses(input, targets)))
    }

    /// Computes the loss per sample, `[batch]`, without a reduction.
    ///
    /// # Panics
    /// The sizes differ, or a target is no class.
    pub fn forward_no_reduction(&self, input: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Tensor<B, 1> {
        in_f32(input, |input| self.losses(input, targets))
    }
}

impl<B: Backend> MultiMarginLoss<B> {
    /// The loss per sample, in the type of its input.
    #[track_caller]
    fn losses(&self, input: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Tensor<B, 1> {
        let ([batch, classes], [count]) = (input.dims(), targets.dims());
        require(
            batch == count,
            "multi_margin_loss",
            format_args!(
                "wrong number of targets for the input {:?}; expected [{batch}], got [{count}]",
                input.dims()
            ),
        );
        if let Some(weights) = &self.weights {
            let [count] = weights.dims();
            require(
                count == classes,
                "multi_margin_loss",
                format_args!(
                    "wrong number of weights for the input {:?}; expected [{classes}], got [{count}]",
                    input.dims()
                ),
            );
        }
        let column = targets.clone().reshape([batch, 1]);
        let score = input.clone().gather(1, column.clone());
        let class = Tensor::<B, 1, Int>::arange(0..classes as i64, &input.device()).reshape([1, classes]);
        let losses = (input - score + self.margin).clamp_min(0.0);
        let losses = if self.p == 2 { losses.square() } else { losses };
        let losses = losses.mask_fill(class.equal(column), 0.0).sum_dim(1).reshape([batch]) / classes as f64;
        match self.weights.clone() {
            Some(weights) => losses * weights.select(0, targets),
            None => losses,
        }
    }
}

impl<B: Backend> ModuleDisplay for MultiMarginLoss<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
