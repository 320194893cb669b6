use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Hard swish: `x relu6(x + 3) / 6` (Howard et al. 2019). PyTorch: `torch.nn.Hardswish`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::HardSwish;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([-4.0, 0.0, 4.0], &Default::default());
/// assert_eq!(HardSwish::new().forward(x).into_data().to_f64(), [0.0, 0.0, 4.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct HardSwish;

impl HardSwish {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::hard_swish(x)
    }
}
