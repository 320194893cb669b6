use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Logarithm of the sigmoid: `-log(1 + e^-x)`, stable for large `|x|`. PyTorch: `torch.nn.LogSigmoid`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::LogSigmoid;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([-1000.0, 1000.0], &Default::default());
/// assert_eq!(LogSigmoid::new().forward(x).into_data().to_f64(), [-1000.0, 0.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct LogSigmoid;

impl LogSigmoid {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::log_sigmoid(x)
    }
}
