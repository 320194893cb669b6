use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor};

/// Identity: returns its input, where a layer is optional. PyTorch: `torch.nn.Identity`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Identity;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 1>::from_data([-1.0, 2.0], &Default::default());
/// assert_eq!(Identity::new().forward(x).into_data().to_f64(), [-1.0, 2.0]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Identity;

impl Identity {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Applies the layer to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        x
    }
}
