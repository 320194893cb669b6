use burn_core::module::Module;
use burn_core::tensor::{Backend, Tensor};

/// Flattening of all dimensions but the first: `[batch, ..]` to `[batch, features]`. PyTorch:
/// `torch.nn.Flatten`, with its defaults.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::Flatten;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<NdArray, 4>::ones([2, 3, 4, 5], &Default::default());
/// assert_eq!(Flatten::new().forward(x).dims(), [2, 60]);
/// ```
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Flatten;

impl Flatten {
    /// Returns the layer.
    pub fn new() -> Self {
        Self
    }

    /// Flattens `[batch, ..]` to `[batch, features]`.
    ///
    /// # Panics
    /// The rank is 0.
    #[track_caller]
    pub fn forward<B: Backend, const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, 2> {
        let dims = x.dims();
        assert!(D >= 1, "flatten: the input has no dimensions; expected [batch, ..]");
        x.reshape([dims[0], dims[1..].iter().product::<usize>()])
    }
}
