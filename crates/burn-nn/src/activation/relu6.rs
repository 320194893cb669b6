use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Rectified linear unit with a maximum of 6: `min(max(x, 0), 6)` (Krizhevsky 2010). PyTorch:
/// `torch.nn.ReLU6`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Relu6;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([-1.0, 2.0, 7.0], &Default::default());
/// assert_eq!(Relu6::new().forward(x).into_data().to_f64(), [0.0, 2.0, 6.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Relu6;

impl Relu6 {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::relu6(x)
    }
}
