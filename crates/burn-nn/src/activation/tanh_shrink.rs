use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor, activation};

/// Tanh shrinkage: `x - tanh(x)`. PyTorch: `torch.nn.Tanhshrink`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::TanhShrink;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([0.0, 100.0], &Default::default());
/// assert_eq!(TanhShrink::new().forward(x).into_data().to_f64(), [0.0, 99.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct TanhShrink;

impl TanhShrink {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        activation::tanh_shrink(x)
    }
}
