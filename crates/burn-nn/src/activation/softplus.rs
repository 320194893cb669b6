use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`Softplus`].
#[derive(Config, Debug)]
pub struct SoftplusConfig {
    /// Sharpness: the larger, the closer to a ReLU; positive.
    #[config(default = 1.0)]
    pub beta: f64,
    /// `x` is returned unchanged where `beta x` is above it.
    #[config(default = "None")]
    pub threshold: Option<f64>,
}

#[fallible(config)]
impl SoftplusConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Softplus, ConfigError> {
        let check = FieldCheck::of("SoftplusConfig");
        check.positive("beta", self.beta)?;
        let threshold = self.threshold;
        check.ensure(!threshold.is_some_and(f64::is_nan), "threshold", &threshold, "a number or none")?;
        Ok(Softplus { beta: self.beta, threshold: self.threshold })
    }
}

/// Softplus: `log(1 + e^(beta x)) / beta`, a smooth ReLU. PyTorch: `torch.nn.Softplus`.
///
/// It is exact for all inputs. PyTorch returns `x` where `beta x > 20`, which differs by less than
/// `2.1e-9 / beta`; `threshold: Some(20.0)` does the same.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::SoftplusConfig;
/// use burn::tensor::Tensor;
///
/// let layer = SoftplusConfig::new().with_beta(2.0).init();
/// let x = Tensor::<NdArray, 1>::from_data([0.0, 100.0], &Default::default());
/// let y = layer.forward(x).into_data().to_f64();
/// assert!((y[0] - 2_f64.ln() / 2.0).abs() < 1e-6 && y[1] == 100.0);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct Softplus {
    /// Sharpness: the larger, the closer to a ReLU; positive.
    pub beta: f64,
    /// `x` is returned unchanged where `beta x` is above it.
    pub threshold: Option<f64>,
}

impl Softplus {
    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        let y = activation::softplus(x.clone(), self.beta);
        match self.threshold {
            Some(threshold) => {
                let linear = (x.clone() * self.beta).greater_elem(threshold);
                y.mask_where(linear, x)
            }
            None => y,
        }
    }
}

impl ModuleDisplay for Softplus {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
