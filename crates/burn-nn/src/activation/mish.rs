use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Mish: `x tanh(log(1 + e^x))` (Misra 2019). PyTorch: `torch.nn.Mish`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Mish;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([0.0, 100.0], &Default::default());
/// assert_eq!(Mish::new().forward(x).into_data().to_f64(), [0.0, 100.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Mish;

impl Mish {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::mish(x)
    }
}
