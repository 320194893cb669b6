use crate::display::one_line;
use crate::input::check_last_dim;
use crate::size_limits::check_weight;
use crate::{Initializer, Linear, LinearConfig};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, activation};
use burn_derive::fallible;

/// Options of [`SwiGlu`].
#[derive(Config, Debug)]
pub struct SwiGluConfig {
    /// Size of the last dimension of the input.
    pub d_input: usize,
    /// Size of the last dimension of the output.
    pub d_output: usize,
    /// Whether both linear layers have a learnable bias.
    #[config(default = false)]
    pub bias: bool,
    /// Initializer of the weights and biases.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl SwiGluConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<SwiGlu<B>, ConfigError> {
        let check = FieldCheck::of("SwiGluConfig");
        check_weight(check, &[("d_input", self.d_input), ("d_output", self.d_output)], &self.initializer)?;
        let linear = LinearConfig::new(self.d_input, self.d_output)
            .with_bias(self.bias)
            .with_initializer(self.initializer.clone());
        Ok(SwiGlu { linear_inner: linear.try_init(device)?, linear_outer: linear.try_init(device)? })
    }
}

/// SwiGLU activation: `silu(x inner) * (x outer)`, where one linear projection gates the other (Shazeer
/// 2020).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{SwiGlu, SwiGluConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let layer: SwiGlu<NdArray> = SwiGluConfig::new(4, 8).init(&device);
/// assert_eq!(layer.forward(Tensor::<NdArray, 3>::ones([2, 3, 4], &device)).dims(), [2, 3, 8]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct SwiGlu<B: Backend> {
    /// Linear layer of the gate.
    pub linear_inner: Linear<B>,
    /// Linear layer of the gated value.
    pub linear_outer: Linear<B>,
}

#[fallible(layer = "swiglu")]
impl<B: Backend> SwiGlu<B> {
    /// Applies the layer: `[.., d_input]` to `[.., d_output]`.
    ///
    /// # Panics
    /// The last dimension is not `d_input`.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        check_last_dim("swiglu", &x.dims(), self.linear_inner.weight.dims()[0]);
        let gate = activation::silu(self.linear_inner.forward(x.clone()));
        gate * self.linear_outer.forward(x)
    }
}

impl<B: Backend> ModuleDisplay for SwiGlu<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_input, d_output] = self.linear_inner.weight.dims();
        let bias = self.linear_inner.bias.is_some();
        content.add("d_input", &d_input).add("d_output", &d_output).add("bias", &bias).optional()
    }
}

#[cfg(test)]
mod tests {
    use super::{SwiGlu, SwiGluConfig};
    use crate::Initializer;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn swiglu_is_silu_times_the_other_product() {
        let device = Default::default();
        let config = SwiGluConfig::new(2, 1).with_initializer(Initializer::Ones);
        let layer: SwiGlu<NdArray> = config.init(&device);
        let y = layer.forward(Tensor::<NdArray, 2>::from_data([[1.0, 2.0]], &device)).into_scalar();
        // Both products are 3.
        assert!((y - 9.0 / (1.0 + (-3.0_f32).exp())).abs() < 1e-5, "{y}");
    }
}
