use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{AutodiffModule, Content, DisplaySettings, Module, ModuleDisplay, Training};
use burn_core::tensor::{AutodiffBackend, Backend, Distribution, Tensor};
use burn_derive::fallible;
use libm::sqrt;

/// The limit of SELU toward minus infinity, `-scale alpha`.
const SATURATION: f64 = -1.758_099_340_847_376_6;

/// Options of [`AlphaDropout`].
#[derive(Config, Debug)]
pub struct AlphaDropoutConfig {
    /// Dropout probability, in `[0, 1]`.
    pub prob: f64,
    /// Whether whole channels (dimension 1 of `[batch, channels, ..]`) are dropped instead of elements.
    #[config(default = false)]
    pub channels: bool,
}

#[fallible(config)]
impl AlphaDropoutConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<AlphaDropout, ConfigError> {
        FieldCheck::of("AlphaDropoutConfig").probability("prob", self.prob)?;
        Ok(AlphaDropout { prob: self.prob, channels: self.channels, training: Training::default() })
    }
}

/// Alpha dropout, for networks of [`Selu`](crate::Selu): sets elements to the limit `s = -1.7581..` of SELU
/// with probability `prob`, then applies `a x + b`, so that mean 0 and variance 1 stay (Klambauer et al.
/// 2017): `a = 1 / sqrt((1 - prob) (1 + prob s^2))` and `b = -a prob s`. PyTorch: `torch.nn.AlphaDropout`,
/// and with `channels` `torch.nn.FeatureAlphaDropout`.
///
/// Active on a backend that tracks gradients. On any other, and in `module.valid()`, it is the identity.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::nn::AlphaDropoutConfig;
/// use burn::tensor::Tensor;
///
/// let (device, dropout) = (Default::default(), AlphaDropoutConfig::new(0.2).init());
/// let x = Tensor::<Autodiff<NdArray>, 2>::zeros([8, 4], &device);
/// assert_eq!(dropout.forward(x.clone()).dims(), [8, 4]);
/// assert_eq!(dropout.forward(x.clone().inner()).into_data(), x.into_data());
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display, custom_valid)]
pub struct AlphaDropout {
    /// Dropout probability.
    pub prob: f64,
    /// Whether whole channels are dropped instead of elements.
    pub channels: bool,
    /// Whether the layer is in training mode; [`valid`](AutodiffModule::valid) switches to evaluation mode.
    pub training: Training,
}

impl AlphaDropout {
    /// Applies the layer to a tensor of any shape, or to `[batch, channels, ..]` if it drops channels; the
    /// shape is unchanged. With `prob = 1` the output is 0.
    ///
    /// # Panics
    /// The layer drops channels and the rank is below 2.
    #[track_caller]
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        if self.prob == 0.0 || !self.training.is_on::<B>(&x.device()) {
            return x;
        }
        if self.prob == 1.0 {
            return x * 0.0;
        }
        let mut dims = x.dims();
        if self.channels {
            assert!(
                D >= 2,
                "alpha_dropout: the input has no channels; expected [batch, channels, ..], got {dims:?}"
            );
            dims.iter_mut().skip(2).for_each(|size| *size = 1);
        }
        let a = 1.0 / sqrt((1.0 - self.prob) * (1.0 + self.prob * SATURATION * SATURATION));
        let b = -a * self.prob * SATURATION;
        let options = (&x.device(), x.dtype());
        let kept = Tensor::random(dims, Distribution::Bernoulli(1.0 - self.prob), options);
        // a x + b where kept, a s + b where dropped.
        let shift = (-kept.clone() + 1.0) * (a * SATURATION) + b;
        x * (kept * a) + shift
    }
}

/// Evaluation mode holds from then on, also where the inner backend tracks gradients.
impl<B: AutodiffBackend> AutodiffModule<B> for AlphaDropout {
    type InnerModule = Self;

    fn valid(&self) -> Self {
        AlphaDropout { training: Training::OFF, ..*self }
    }
}

impl ModuleDisplay for AlphaDropout {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content.add("prob", &self.prob).add("channels", &self.channels).optional()
    }
}

#[cfg(test)]
mod tests {
    use super::AlphaDropoutConfig;
    use burn_autodiff::Autodiff;
    use burn_core::tensor::{Backend, Distribution, Tensor};
    use burn_ndarray::NdArray;

    type B = Autodiff<NdArray>;

    #[test]
    fn alpha_dropout_keeps_mean_zero_and_variance_one() {
        B::seed(5);
        let x = Tensor::<B, 1>::random([100_000], Distribution::Normal(0.0, 1.0), &Default::default());
        let y = AlphaDropoutConfig::new(0.3).init().forward(x).into_data().to_f64();
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        let variance = y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64;
        assert!(
            mean.abs() < 5.0 / f64::sqrt(100_000.0) && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
    }

    #[test]
    fn alpha_dropout_of_channels_drops_all_of_a_channel() {
        B::seed(6);
        let x = Tensor::<B, 3>::ones([4, 8, 5], &Default::default()).require_grad();
        let dropout = AlphaDropoutConfig::new(0.5).with_channels(true).init();
        let y = dropout.forward(x.clone());
        let slopes = x.grad(&y.backward()).unwrap().into_data().to_f64();
        assert!(slopes.chunks(5).all(|channel| channel.iter().all(|slope| *slope == channel[0])));
        assert!(slopes.contains(&0.0) && slopes.iter().any(|slope| *slope > 0.0));
    }

    #[test]
    fn alpha_dropout_of_everything_is_zero() {
        let x = Tensor::<B, 1>::ones([3], &Default::default());
        assert_eq!(AlphaDropoutConfig::new(1.0).init().forward(x).into_data().to_f64(), [0.0; 3]);
    }
}
