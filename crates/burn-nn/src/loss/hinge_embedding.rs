use super::Reduction;
use crate::display::one_line;
use crate::input::check_same_shape;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor};
use burn_derive::fallible;

/// Options of [`HingeEmbeddingLoss`].
#[derive(Config, Debug)]
pub struct HingeEmbeddingLossConfig {
    /// Distance from which unlike pairs have no loss.
    #[config(default = 1.0)]
    pub margin: f64,
}

#[fallible(config)]
impl HingeEmbeddingLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<HingeEmbeddingLoss, ConfigError> {
        let margin = self.margin;
        let check = FieldCheck::of("HingeEmbeddingLossConfig");
        check.ensure(margin.is_finite(), "margin", &margin, "a finite number")?;
        Ok(HingeEmbeddingLoss { margin })
    }
}

/// Hinge embedding loss of distances `x`: `x` where the target is 1, `max(0, margin - x)` where it is -1.
/// PyTorch: `torch.nn.HingeEmbeddingLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{HingeEmbeddingLossConfig, Reduction};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let distance = Tensor::<NdArray, 1>::from_data([2.0, 0.25], &device);
/// let target = Tensor::<NdArray, 1, Int>::from_data([1, -1], &device);
/// let loss = HingeEmbeddingLossConfig::new().init().forward(distance, target, Reduction::Sum);
/// assert_eq!(loss.into_scalar(), 2.75);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct HingeEmbeddingLoss {
    /// Distance from which unlike pairs have no loss.
    pub margin: f64,
}

#[fallible(layer = "hinge_embedding_loss")]
impl HingeEmbeddingLoss {
    /// Computes the reduced loss, shape `[1]`, of distances and targets of the same shape.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        reduction.reduce(self.forward_no_reduction(input, targets))
    }

    /// Computes the loss per element, without a reduction.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward_no_reduction<B: Backend, const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D, Int>,
    ) -> Tensor<B, D> {
        check_same_shape("hinge_embedding_loss", &input.dims(), &targets.dims());
        let unlike = (-input.clone() + self.margin).clamp_min(0.0);
        input.mask_where(targets.equal_elem(-1), unlike)
    }
}

impl ModuleDisplay for HingeEmbeddingLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
