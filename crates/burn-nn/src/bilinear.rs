use crate::Initializer;
use crate::display::one_line;
use crate::input::{check_last_dim, require};
use crate::size_limits::check_weight;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay, Param};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Options of [`Bilinear`].
#[derive(Config, Debug)]
pub struct BilinearConfig {
    /// Size of the last dimension of the first input.
    pub d_input1: usize,
    /// Size of the last dimension of the second input.
    pub d_input2: usize,
    /// Size of the last dimension of the output.
    pub d_output: usize,
    /// Whether the layer has a learnable bias.
    #[config(default = true)]
    pub bias: bool,
    /// Initializer of weight and bias; `fan_in` is `d_input1` and `fan_out` is `d_output` for both.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl BilinearConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A size is 0 or a field of the initializer is out of its range; the error names the field and its
    /// value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Bilinear<B>, ConfigError> {
        let BilinearConfig { d_input1, d_input2, d_output, bias, initializer } = self;
        let check = FieldCheck::of("BilinearConfig");
        let sizes = [("d_output", *d_output), ("d_input1", *d_input1), ("d_input2", *d_input2)];
        check_weight(check, &sizes, initializer)?;
        let fans = (Some(*d_input1), Some(*d_output));
        Ok(Bilinear {
            weight: initializer.init_with([*d_output, *d_input1, *d_input2], fans.0, fans.1, device),
            bias: bias.then(|| initializer.init_with([*d_output], fans.0, fans.1, device)),
        })
    }
}

/// Bilinear layer: `y[k] = x1^T weight[k] x2 + bias[k]`, from `[.., d_input1]` and `[.., d_input2]` to
/// `[.., d_output]`. PyTorch: `torch.nn.Bilinear`.
///
/// Weight and bias are initialized uniformly in `[-r, r)` with `r = 1 / sqrt(d_input1)`, as in PyTorch.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Bilinear, BilinearConfig, Initializer};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let config = BilinearConfig::new(2, 3, 1).with_bias(false).with_initializer(Initializer::Ones);
/// let layer: Bilinear<NdArray> = config.init(&device);
/// let x1 = Tensor::<NdArray, 2>::from_data([[1.0, 2.0]], &device);
/// let x2 = Tensor::<NdArray, 2>::from_data([[1.0, 1.0, 2.0]], &device);
/// // With a weight of ones it is the product of the sums.
/// assert_eq!(layer.forward(x1, x2).into_data().to_f64(), [12.0]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Bilinear<B: Backend> {
    /// Weight, `[d_output, d_input1, d_input2]`.
    pub weight: Param<Tensor<B, 3>>,
    /// Bias, `[d_output]`.
    pub bias: Option<Param<Tensor<B, 1>>>,
}

#[fallible(layer = "bilinear")]
impl<B: Backend> Bilinear<B> {
    /// Applies the layer: `[.., d_input1]` and `[.., d_input2]` to `[.., d_output]`.
    ///
    /// # Panics
    /// The last dimensions are not `d_input1` and `d_input2`, or the others differ.
    pub fn forward<const D: usize>(&self, x1: Tensor<B, D>, x2: Tensor<B, D>) -> Tensor<B, D> {
        let [d_output, d_input1, d_input2] = self.weight.dims();
        let (dims1, dims2) = (x1.dims(), x2.dims());
        check_last_dim("bilinear", &dims1, d_input1);
        check_last_dim("bilinear", &dims2, d_input2);
        let batch = &dims1[..D - 1];
        require(
            *batch == dims2[..D - 1],
            "bilinear",
            format_args!(
                "the inputs differ before the last dimension; expected {batch:?} as in {dims1:?}, got {dims2:?}"
            ),
        );
        let rows = batch.iter().product::<usize>();
        // [rows, d_input1] and [d_input1, d_output d_input2], then one product with x2 per row.
        let weight = self.weight.val().swap_dims(0, 1).reshape([d_input1, d_output * d_input2]);
        let halfway = x1.reshape([rows, d_input1]).matmul(weight).reshape([rows, d_output, d_input2]);
        let y = halfway.matmul(x2.reshape([rows, d_input2, 1])).reshape([rows, d_output]);
        let y = match &self.bias {
            Some(bias) => y + bias.val().unsqueeze(),
            None => y,
        };
        let mut dims = dims1;
        dims[D - 1] = d_output;
        y.reshape(dims)
    }
}

impl<B: Backend> ModuleDisplay for Bilinear<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_output, d_input1, d_input2] = self.weight.dims();
        let content =
            content.add("d_input1", &d_input1).add("d_input2", &d_input2).add("d_output", &d_output);
        content.add("bias", &self.bias.is_some()).optional()
    }
}
