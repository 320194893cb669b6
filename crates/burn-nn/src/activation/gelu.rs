use crate::display::one_line;
use burn_core::config::Config;
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};

/// Formula of [`Gelu`].
#[derive(Config, Copy, Debug, Default, PartialEq, Eq)]
pub enum GeluApproximation {
    /// Exact: `x (1 + erf(x / sqrt(2))) / 2`.
    #[default]
    None,
    /// `x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`, as in BERT and GPT-2.
    Tanh,
}

/// Options of [`Gelu`].
#[derive(Config, Debug)]
pub struct GeluConfig {
    /// Formula: exact, or an approximation.
    #[config(default = "GeluApproximation::None")]
    pub approximation: GeluApproximation,
}

impl GeluConfig {
    /// Returns the layer.
    pub fn init(&self) -> Gelu {
        Gelu { approximation: Ignored(self.approximation) }
    }
}

/// Gaussian error linear unit: `x (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel 2016). PyTorch:
/// `torch.nn.GELU`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Gelu, GeluApproximation, GeluConfig};
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([0.0, 100.0], &Default::default());
/// assert_eq!(Gelu::new().forward(x.clone()).into_data().to_f64(), [0.0, 100.0]);
/// let gelu = GeluConfig::new().with_approximation(GeluApproximation::Tanh).init();
/// assert_eq!(gelu.forward(x).into_data().to_f64(), [0.0, 100.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
#[module(custom_display)]
pub struct Gelu {
    /// Formula: exact, or an approximation.
    pub approximation: Ignored<GeluApproximation>,
}

impl Gelu {
    /// Returns the exact layer; [`GeluConfig`] has the approximation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        match *self.approximation {
            GeluApproximation::None => activation::gelu(x),
            GeluApproximation::Tanh => activation::gelu_tanh(x),
        }
    }
}

impl ModuleDisplay for Gelu {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        match *self.approximation {
            GeluApproximation::None => content.optional(),
            GeluApproximation::Tanh => content.add("approximation", "Tanh").optional(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gelu, GeluApproximation, GeluConfig};
    use alloc::string::ToString;

    #[test]
    fn gelu_prints_its_approximation() {
        assert_eq!(Gelu::new().to_string(), "Gelu");
        let gelu = GeluConfig::new().with_approximation(GeluApproximation::Tanh).init();
        assert_eq!(gelu.to_string(), "Gelu {approximation: Tanh}");
    }
}
