use super::Reduction;
use crate::display::one_line;
use crate::half_precision::{pair_in_f32, widened};
use crate::input::check_same_shape;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, linalg};
use burn_derive::fallible;

/// Options of [`TripletMarginLoss`].
#[derive(Config, Debug)]
pub struct TripletMarginLossConfig {
    /// Difference of the distances from which a triplet has no loss; above 0.
    #[config(default = 1.0)]
    pub margin: f64,
    /// The `p` of the p-norm that is the distance; above 0.
    #[config(default = 2.0)]
    pub p: f64,
    /// Added to the differences for numerical stability.
    #[config(default = 1e-6)]
    pub epsilon: f64,
    /// Whether the distance from the positive to the negative counts where it is smaller than that from the
    /// anchor to the negative (Balntas et al. 2016).
    #[config(default = false)]
    pub swap: bool,
}

#[fallible(config)]
impl TripletMarginLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<TripletMarginLoss, ConfigError> {
        let TripletMarginLossConfig { margin, p, epsilon, swap } = *self;
        let check = FieldCheck::of("TripletMarginLossConfig");
        check.positive("margin", margin)?;
        check.ensure(p > 0.0, "p", &p, "a number above 0")?;
        check.not_negative("epsilon", epsilon)?;
        Ok(TripletMarginLoss { margin, p, epsilon, swap })
    }
}

/// Triplet margin loss: `max(0, |anchor - positive| - |anchor - negative| + margin)`, with the p-norm of
/// `difference + epsilon` as the distance (Schroff et al. 2015). PyTorch: `torch.nn.TripletMarginLoss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{Reduction, TripletMarginLossConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let vector = |x: f32| Tensor::<NdArray, 2>::from_data([[x, 0.0]], &device);
/// let loss = TripletMarginLossConfig::new().with_margin(2.0).with_epsilon(0.0).init();
/// let loss = loss.forward(vector(0.0), vector(3.0), vector(4.0), Reduction::Mean);
/// assert_eq!(loss.into_scalar(), 1.0);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct TripletMarginLoss {
    /// Difference of the distances from which a triplet has no loss.
    pub margin: f64,
    /// The `p` of the p-norm that is the distance.
    pub p: f64,
    /// Added to the differences for numerical stability.
    pub epsilon: f64,
    /// Whether the distance from the positive to the negative counts where it is smaller.
    pub swap: bool,
}

#[fallible(layer = "triplet_margin_loss")]
impl TripletMarginLoss {
    /// Computes the reduced loss, shape `[1]`, of vectors `[batch, dim]`.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward<B: Backend>(
        &self,
        anchor: Tensor<B, 2>,
        positive: Tensor<B, 2>,
        negative: Tensor<B, 2>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        pair_in_f32(anchor, positive, |x, y| reduction.reduce(self.losses(x, y, widened(negative))))
    }

    /// Computes the loss per triplet, `[batch]`, without a reduction.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward_no_reduction<B: Backend>(
        &self,
        anchor: Tensor<B, 2>,
        positive: Tensor<B, 2>,
        negative: Tensor<B, 2>,
    ) -> Tensor<B, 1> {
        pair_in_f32(anchor, positive, |x, y| self.losses(x, y, widened(negative)))
    }
}

impl TripletMarginLoss {
    /// The loss per triplet, in the common type of its arguments.
    #[track_caller]
    fn losses<B: Backend>(
        &self,
        anchor: Tensor<B, 2>,
        positive: Tensor<B, 2>,
        negative: Tensor<B, 2>,
    ) -> Tensor<B, 1> {
        check_same_shape("triplet_margin_loss", &anchor.dims(), &positive.dims());
        check_same_shape("triplet_margin_loss", &anchor.dims(), &negative.dims());
        let [batch, _] = anchor.dims();
        let distance = |a: Tensor<B, 2>, b: Tensor<B, 2>| {
            linalg::lp_norm(a - b + self.epsilon, self.p, 1).reshape([batch])
        };
        let near = distance(anchor.clone(), positive.clone());
        let far = distance(anchor, negative.clone());
        let far = if self.swap { far.min_pair(distance(positive, negative)) } else { far };
        (near - far + self.margin).clamp_min(0.0)
    }
}

impl ModuleDisplay for TripletMarginLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
