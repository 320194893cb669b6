use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Logistic sigmoid: `1 / (1 + e^-x)`. PyTorch: `torch.nn.Sigmoid`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Sigmoid;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([0.0], &Default::default());
/// assert_eq!(Sigmoid::new().forward(x).into_data().to_f64(), [0.5]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Sigmoid;

impl Sigmoid {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::sigmoid(x)
    }
}
