use super::Reduction;
use crate::display::one_line;
use crate::half_precision::pair_in_f32;
use crate::input::check_same_shape;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor};
use burn_derive::fallible;

/// Options of [`CosineEmbeddingLoss`].
#[derive(Config, Debug)]
pub struct CosineEmbeddingLossConfig {
    /// Cosine similarity up to which unlike pairs have no loss, in `[-1, 1]`.
    #[config(default = 0.0)]
    pub margin: f64,
}

#[fallible(config)]
impl CosineEmbeddingLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<CosineEmbeddingLoss, ConfigError> {
        let margin = self.margin;
        let check = FieldCheck::of("CosineEmbeddingLossConfig");
        check.ensure((-1.0..=1.0).contains(&margin), "margin", &margin, "a number in [-1, 1]")?;
        Ok(CosineEmbeddingLoss { margin })
    }
}

/// Cosine embedding loss of pairs of vectors: `1 - cos(x1, x2)` where the target is 1,
/// `max(0, cos(x1, x2) - margin)` where it is -1, and 0 where it is another number. PyTorch:
/// `torch.nn.CosineEmbeddingLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{CosineEmbeddingLossConfig, Reduction};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let x1 = Tensor::<NdArray, 2>::from_data([[2.0, 0.0], [1.0, 0.0]], &device);
/// let x2 = Tensor::<NdArray, 2>::from_data([[0.0, 3.0], [5.0, 0.0]], &device);
/// let target = Tensor::<NdArray, 1, Int>::from_data([1, -1], &device);
/// let loss = CosineEmbeddingLossConfig::new().init().forward(x1, x2, target, Reduction::Mean);
/// assert!((loss.into_scalar() - 1.0).abs() < 1e-6);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct CosineEmbeddingLoss {
    /// Cosine similarity up to which unlike pairs have no loss.
    pub margin: f64,
}

#[fallible(layer = "cosine_embedding_loss")]
impl CosineEmbeddingLoss {
    /// Computes the reduced loss, shape `[1]`, of vectors `[batch, dim]` and targets `[batch]`.
    ///
    /// # Panics
    /// The shapes do not fit.
    pub fn forward<B: Backend>(
        &self,
        x1: Tensor<B, 2>,
        x2: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        pair_in_f32(x1, x2, |x1, x2| reduction.reduce(self.losses(x1, x2, targets)))
    }

    /// Computes the loss per pair, `[batch]`, without a reduction.
    ///
    /// # Panics
    /// The shapes do not fit.
    pub fn forward_no_reduction<B: Backend>(
        &self,
        x1: Tensor<B, 2>,
        x2: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
    ) -> Tensor<B, 1> {
        pair_in_f32(x1, x2, |x1, x2| self.losses(x1, x2, targets))
    }
}

impl CosineEmbeddingLoss {
    /// The loss per pair, in the type of its arguments.
    #[track_caller]
    fn losses<B: Backend>(
        &self,
        x1: Tensor<B, 2>,
        x2: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
    ) -> Tensor<B, 1> {
        check_same_shape("cosine_embedding_loss", &x1.dims(), &x2.dims());
        check_same_shape("cosine_embedding_loss", &x1.dims()[..1], &targets.dims());
        let [batch, _] = x1.dims();
        // PyTorch's: gradients of a vector of zeros are finite.
        let squared = |x: Tensor<B, 2>| x.square().sum_dim(1) + 1e-12;
        let lengths = (squared(x1.clone()) * squared(x2.clone())).sqrt();
        let cosine = ((x1 * x2).sum_dim(1) / lengths).reshape([batch]);
        let unlike = (cosine.clone() - self.margin).clamp_min(0.0);
        let like = -cosine + 1.0;
        like.mask_fill(targets.clone().not_equal_elem(1), 0.0)
            + unlike.mask_fill(targets.not_equal_elem(-1), 0.0)
    }
}

impl ModuleDisplay for CosineEmbeddingLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
