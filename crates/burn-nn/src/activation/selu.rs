use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Scaled exponential linear unit: `scale x` where positive, `scale alpha (e^x - 1)` elsewhere, with
/// `scale = 1.0507..` and `alpha = 1.6732..` (Klambauer et al. 2017). PyTorch: `torch.nn.SELU`.
///
/// Mean 0 and variance 1 are a fixed point of a network of these units whose weights have mean 0 and variance
/// `1 / fan_in`; see [`AlphaDropout`](crate::AlphaDropout).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Selu;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([0.0, 1.0], &Default::default());
/// let y = Selu::new().forward(x).into_data().to_f64();
/// assert!(y[0] == 0.0 && (y[1] - 1.0507009873554805).abs() < 1e-6);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Selu;

impl Selu {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::selu(x)
    }
}
