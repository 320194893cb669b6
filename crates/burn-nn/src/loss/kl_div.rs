use super::Reduction;
use crate::display::one_line;
use crate::input::check_same_shape;
use burn_core::config::Config;
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`KlDivLoss`].
#[derive(Config, Debug)]
pub struct KlDivLossConfig {
    /// Whether the targets are log-probabilities; otherwise they are probabilities.
    #[config(default = false)]
    pub log_target: bool,
}

impl KlDivLossConfig {
    /// Returns the loss.
    pub fn init(&self) -> KlDivLoss {
        KlDivLoss { log_target: self.log_target }
    }
}

/// Kullback-Leibler divergence: `target (log(target) - input)` per element, where the input is
/// log-probabilities, and 0 where the target is 0 (Kullback and Leibler 1951). PyTorch: `torch.nn.KLDivLoss`.
///
/// [`Reduction::BatchMean`], the sum divided by the batch size, is the divergence itself, and so is
/// [`Reduction::Auto`]; [`Reduction::Mean`] divides by the number of elements, as PyTorch's default does.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{KlDivLossConfig, Reduction};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let input = Tensor::<NdArray, 2>::from_data([[0.5, 0.5]], &device).log();
/// let target = Tensor::from_data([[1.0, 0.0]], &device);
/// let loss = KlDivLossConfig::new().init().forward(input, target, Reduction::BatchMean);
/// assert!((loss.into_scalar() - 2_f32.ln()).abs() < 1e-6);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct KlDivLoss {
    /// Whether the targets are log-probabilities.
    pub log_target: bool,
}

#[fallible(layer = "kl_div_loss")]
impl KlDivLoss {
    /// Computes the reduced loss, shape `[1]`, of log-probabilities and targets of the same shape,
    /// `[batch, ..]`.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        let losses = self.forward_no_reduction(input, targets);
        match reduction {
            Reduction::Auto => Reduction::BatchMean.reduce(losses),
            Reduction::Mean | Reduction::Sum | Reduction::BatchMean => reduction.reduce(losses),
        }
    }

    /// Computes the loss per element, without a reduction.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
    ) -> Tensor<B, D> {
        check_same_shape("kl_div_loss", &input.dims(), &targets.dims());
        if self.log_target {
            targets.clone().exp() * (targets - input)
        } else {
            // The logarithm of 1 stands for that of 0, so that neither the loss nor a gradient is NaN.
            let empty = targets.clone().lower_equal_elem(0.0);
            let log = targets.clone().mask_fill(empty, 1.0).log();
            targets.clone() * log - targets * input
        }
    }
}

impl ModuleDisplay for KlDivLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
