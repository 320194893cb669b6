//! Activation functions.

use super::declare::calls;
use super::{Count, Real, Same, rules};
#[cfg(feature = "run")]
use burn_tensor::activation;

calls! {
    /// `max(x, 0)`.
    float ranked fn relu(x: Same) -> one rules::first => activation::relu(x);
    /// Sigmoid.
    float ranked fn sigmoid(x: Same) -> one rules::first => activation::sigmoid(x);
    /// Gaussian error linear unit.
    float ranked fn gelu(x: Same) -> one rules::first => activation::gelu(x);
    /// Its approximation by a hyperbolic tangent.
    float ranked fn gelu_tanh(x: Same) -> one rules::first => activation::gelu_tanh(x);
    /// `x sigmoid(x)`.
    float ranked fn silu(x: Same) -> one rules::first => activation::silu(x);
    /// `x tanh(softplus(x))`.
    float ranked fn mish(x: Same) -> one rules::first => activation::mish(x);
    /// Piecewise linear approximation of `x sigmoid(x)`.
    float ranked fn hard_swish(x: Same) -> one rules::first => activation::hard_swish(x);
    /// `x / (1 + |x|)`.
    float ranked fn softsign(x: Same) -> one rules::first => activation::softsign(x);
    /// `log(1 + e^x)`.
    float ranked fn softplus(x: Same) -> one rules::first => activation::softplus(x, 1.0);
    /// `x` above zero, `slope x` below.
    float ranked fn leaky_relu(x: Same, slope: Real) -> one rules::first => activation::leaky_relu(x, slope);
    /// Piecewise linear approximation of the sigmoid.
    float ranked fn hard_sigmoid(x: Same, alpha: Real, beta: Real) -> one rules::first
        => activation::hard_sigmoid(x, alpha, beta);
    /// Exponential linear unit.
    float ranked fn elu(x: Same, alpha: Real) -> one rules::first => activation::elu(x, alpha);
    /// Continuously differentiable exponential linear unit.
    float ranked fn celu(x: Same, alpha: Real) -> one rules::first => activation::celu(x, alpha);
    /// Softmax over a dimension.
    float ranked fn softmax(x: Same, dim: Count) -> one rules::first => activation::try_softmax(x, dim)?;
    /// Logarithm of the softmax over a dimension.
    float ranked fn log_softmax(x: Same, dim: Count) -> one rules::first => activation::try_log_softmax(x, dim)?;
}
