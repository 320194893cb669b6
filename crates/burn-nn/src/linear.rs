use crate::display::one_line;
use crate::input::check_last_dim;
use crate::lora::Lora;
use crate::size_limits::check_weight;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::{Backend, Tensor, module};
use burn_derive::fallible;

/// Options of [`Linear`].
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Initializer, Linear, LinearConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let config = LinearConfig::new(3, 2).with_bias(false).with_initializer(Initializer::Ones);
/// let linear: Linear<NdArray> = config.init(&device);
/// let y = linear.forward(Tensor::<NdArray, 2>::from_data([[1.0, 2.0, 3.0]], &device));
/// assert_eq!(y.into_data().to_f64(), [6.0, 6.0]);
/// ```
#[derive(Config, Debug)]
pub struct LinearConfig {
    /// Size of the last dimension of the input.
    pub d_input: usize,
    /// Size of the last dimension of the output.
    pub d_output: usize,
    /// Whether the layer has a learnable bias.
    #[config(default = true)]
    pub bias: bool,
    /// Initializer of weight and bias; `fan_in` is `d_input` and `fan_out` is `d_output` for both.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl LinearConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A size is 0 or a field of the initializer is out of its range; the error names the field and its
    /// value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Linear<B>, ConfigError> {
        let LinearConfig { d_input, d_output, bias, initializer } = self;
        let check = FieldCheck::of("LinearConfig");
        check_weight(check, &[("d_input", *d_input), ("d_output", *d_output)], initializer)?;
        let bias = bias.then(|| initializer.init_with([*d_output], Some(*d_input), Some(*d_output), device));
        Ok(Linear::new(initializer.init([*d_input, *d_output], device), bias))
    }
}

/// Linear layer: `y = x weight + bias`, from `[.., d_input]` to `[.., d_output]`.
///
/// PyTorch: `torch.nn.Linear`, whose weight is the transpose of this one. Weight and bias are initialized
/// uniformly in `[-r, r)` with `r = 1 / sqrt(d_input)`, as in PyTorch.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let linear: Linear<NdArray> = LinearConfig::new(4, 2).init(&device);
/// let y = linear.forward(Tensor::<NdArray, 3>::ones([8, 5, 4], &device));
/// assert_eq!(y.dims(), [8, 5, 2]);
/// assert_eq!(linear.to_string(), "Linear {d_input: 4, d_output: 2, bias: true, params: 10}");
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Linear<B: Backend> {
    /// Weight, `[d_input, d_output]`.
    pub weight: Param<Tensor<B, 2>>,
    /// Bias, `[d_output]`.
    pub bias: Option<Param<Tensor<B, 1>>>,
    /// Slot for a low-rank adapter, which [`LoraConfig::apply`](crate::lora::LoraConfig::apply) fills.
    #[module(record_in = weight)]
    pub lora: Lora<B>,
}

#[fallible(layer = "linear")]
impl<B: Backend> Linear<B> {
    /// Returns the layer with these parameters: weight `[d_input, d_output]` and bias `[d_output]`.
    pub fn new(weight: Param<Tensor<B, 2>>, bias: Option<Param<Tensor<B, 1>>>) -> Self {
        Linear { weight, bias, lora: Lora::default() }
    }

    /// Applies the layer: `[.., d_input]` to `[.., d_output]`.
    ///
    /// # Panics
    /// The last dimension is not `d_input`.
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        check_last_dim("linear", &x.dims(), self.weight.dims()[0]);
        self.lora.adapted(x, |x| module::linear(x, self.weight.val(), self.bias.as_ref().map(Param::val)))
    }
}

impl<B: Backend> ModuleDisplay for Linear<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_input, d_output] = self.weight.dims();
        let content =
            content.add("d_input", &d_input).add("d_output", &d_output).add("bias", &self.bias.is_some());
        match self.lora.adapter() {
            Some(adapter) => content.add("lora_rank", &adapter.a.dims()[1]).optional(),
            None => content.optional(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Linear, LinearConfig};
    use crate::Initializer;
    use burn_core::module::Module;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn linear_of_ones_sums_its_input_and_adds_the_bias() {
        let device = Default::default();
        let config = LinearConfig::new(3, 2).with_initializer(Initializer::Constant { value: 2.0 });
        let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0, 3.0], [-1.0, 0.0, 0.5]], &device);
        let y = config.init(&device).forward(x.clone()).into_data().to_f64();
        assert_eq!(y, [14.0, 14.0, 1.0, 1.0]);
        let y = config.with_bias(false).init(&device).forward(x).into_data().to_f64();
        assert_eq!(y, [12.0, 12.0, -1.0, -1.0]);
    }

    #[test]
    fn linear_starts_in_the_range_of_pytorch() {
        let linear: Linear<NdArray> = LinearConfig::new(25, 400).init(&Default::default());
        let bias = linear.bias.as_ref().map(|bias| bias.val().into_data().to_f64()).unwrap();
        for values in [linear.weight.val().into_data().to_f64(), bias] {
            // Uniform in ±1/5: the standard deviation is 0.2 / sqrt(3).
            assert!(values.iter().all(|value| value.abs() <= 0.2));
            let variance = values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64;
            assert!((variance.sqrt() - 0.1155).abs() < 0.01, "{variance}");
        }
        assert_eq!(linear.num_params(), 25 * 400 + 400);
    }

    #[test]
    #[should_panic(expected = "linear: wrong last dimension of the input; expected [.., 3], got [2, 4]")]
    fn linear_of_another_size_panics() {
        let device = Default::default();
        let linear: Linear<NdArray> = LinearConfig::new(3, 2).init(&device);
        let _y = linear.forward(Tensor::<NdArray, 2>::zeros([2, 4], &device));
    }
}
