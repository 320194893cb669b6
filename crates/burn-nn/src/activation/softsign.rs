use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Softsign: `x / (1 + |x|)` (Turian et al. 2009). PyTorch: `torch.nn.Softsign`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Softsign;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([-1.0, 0.0, 3.0], &Default::default());
/// assert_eq!(Softsign::new().forward(x).into_data().to_f64(), [-0.5, 0.0, 0.75]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Softsign;

impl Softsign {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::softsign(x)
    }
}
