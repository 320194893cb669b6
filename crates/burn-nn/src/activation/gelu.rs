use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Gaussian error linear unit: `x (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel 2016). PyTorch:
/// `torch.nn.GELU`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Gelu;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([0.0, 100.0], &Default::default());
/// assert_eq!(Gelu::new().forward(x).into_data().to_f64(), [0.0, 100.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Gelu;

impl Gelu {
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::gelu(x)
    }
}
