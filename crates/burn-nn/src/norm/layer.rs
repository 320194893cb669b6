use crate::display::one_line;
use crate::input::check_last_dim;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::module::layer_norm;
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`LayerNorm`].
#[derive(Config, Debug)]
pub struct LayerNormConfig {
    /// Size of the last dimension.
    pub d_model: usize,
    /// Added to the variance for numerical stability.
    #[config(default = 1e-5)]
    pub epsilon: f64,
    /// Whether the layer has a learnable bias.
    #[config(default = true)]
    pub bias: bool,
}

#[fallible(config)]
impl LayerNormConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<LayerNorm<B>, ConfigError> {
        let check = FieldCheck::of("LayerNormConfig");
        check.elements(&[("d_model", self.d_model)])?;
        check.not_negative("epsilon", self.epsilon)?;
        Ok(LayerNorm {
            gamma: Initializer::Ones.init([self.d_model], device),
            beta: self.bias.then(|| Initializer::Zeros.init([self.d_model], device)),
            epsilon: self.epsilon,
        })
    }
}

/// Layer normalization: `y = (x - mean) / sqrt(var + epsilon) gamma + beta` over the last dimension (Ba et
/// al. 2016). PyTorch: `torch.nn.LayerNorm`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{LayerNorm, LayerNormConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let norm: LayerNorm<NdArray> = LayerNormConfig::new(2).with_epsilon(0.0).init(&device);
/// let y = norm.forward(Tensor::<NdArray, 2>::from_data([[1.0, 3.0], [5.0, 1.0]], &device));
/// assert_eq!(y.into_data().to_f64(), [-1.0, 1.0, 1.0, -1.0]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct LayerNorm<B: Backend> {
    /// Scale, `[d_model]`.
    pub gamma: Param<Tensor<B, 1>>,
    /// Bias, `[d_model]`.
    pub beta: Option<Param<Tensor<B, 1>>>,
    /// Added to the variance for numerical stability.
    pub epsilon: f64,
}

#[fallible(layer = "layer_norm")]
impl<B: Backend> LayerNorm<B> {
    /// Normalizes `[.., d_model]`; the shape is unchanged.
    ///
    /// # Panics
    /// The last dimension is not `d_model`.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        check_last_dim("layer_norm", &x.dims(), self.gamma.dims()[0]);
        layer_norm(x, Some(self.gamma.val()), self.beta.as_ref().map(Param::val), self.epsilon)
    }
}

impl<B: Backend> ModuleDisplay for LayerNorm<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_model] = self.gamma.dims();
        content.add("d_model", &d_model).add("epsilon", &self.epsilon).optional()
    }
}

#[cfg(test)]
mod tests {
    use super::{LayerNorm, LayerNormConfig};
    use alloc::string::ToString;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn layer_norm_prints_its_size() {
        let norm: LayerNorm<NdArray> = LayerNormConfig::new(8).init(&Default::default());
        assert_eq!(norm.to_string(), "LayerNorm {d_model: 8, epsilon: 0.00001, params: 16}");
    }

    #[test]
    #[should_panic(expected = "layer_norm: wrong last dimension of the input; expected [.., 8], got [2, 1]")]
    fn layer_norm_of_another_size_panics() {
        let norm: LayerNorm<NdArray> = LayerNormConfig::new(8).init(&Default::default());
        let _y = norm.forward(Tensor::<NdArray, 2>::ones([2, 1], &Default::default()));
    }
}
