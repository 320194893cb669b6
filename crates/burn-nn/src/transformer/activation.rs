use burn_core::config::Config;
use burn_core::tensor::{Backend, Tensor, activation};

/// Activation function of a feed-forward network. PyTorch: the option `activation` of the layers of a
/// transformer.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum FeedForwardActivation {
    /// `max(x, 0)`.
    Relu,
    /// `x (1 + erf(x / sqrt(2))) / 2`.
    Gelu,
    /// `x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`, the approximation in GPT-2. PyTorch:
    /// `torch.nn.functional.gelu(approximate="tanh")`.
    GeluTanh,
    /// `x sigmoid(x)`; in a gated network this is SwiGLU.
    Silu,
    /// `sigmoid(x)`; in a gated network this is GLU.
    Sigmoid,
}

impl FeedForwardActivation {
    /// Applies the function to a tensor of any shape; the shape is unchanged.
    pub fn forward<B: Backend, const D: usize>(self, x: Tensor<B, D>) -> Tensor<B, D> {
        match self {
            FeedForwardActivation::Relu => activation::relu(x),
            FeedForwardActivation::Gelu => activation::gelu(x),
            FeedForwardActivation::GeluTanh => activation::gelu_tanh(x),
            FeedForwardActivation::Silu => activation::silu(x),
            FeedForwardActivation::Sigmoid => activation::sigmoid(x),
        }
    }
}
