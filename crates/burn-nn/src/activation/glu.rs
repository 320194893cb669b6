use crate::display::one_line;
use burn_core::config::Config;
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`Glu`].
#[derive(Config, Debug)]
pub struct GluConfig {
    /// Dimension that is split into halves; negative from the end.
    #[config(default = -1)]
    pub dim: isize,
}

impl GluConfig {
    /// Returns the layer.
    pub fn init(&self) -> Glu {
        Glu { dim: self.dim }
    }
}

/// Gated linear unit: `a sigmoid(b)`, where `a` and `b` are the halves of the input along a dimension
/// (Dauphin et al. 2016). PyTorch: `torch.nn.GLU`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::GluConfig;
/// use burn::tensor::Tensor;
///
/// let layer = GluConfig::new().init();
/// let x = Tensor::<NdArray, 1>::from_data([3.0, 8.0, 0.0, 0.0], &Default::default());
/// assert_eq!(layer.forward(x).into_data().to_f64(), [1.5, 4.0]);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct Glu {
    /// Dimension that is split into halves; negative from the end.
    pub dim: isize,
}

#[fallible(layer = "glu")]
impl Glu {
    /// Applies the layer: `[.., 2 n, ..]` to `[.., n, ..]`.
    ///
    /// # Panics
    /// `dim` does not exist or its size is odd.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::glu(x, self.dim)
    }
}

impl ModuleDisplay for Glu {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
