use burn_core::tensor::{Backend, Tensor};

/// `cap tanh(x / cap)`.
pub fn soft_cap<B: Backend, const D: usize>(x: Tensor<B, D>, cap: f64) -> Tensor<B, D> {
    (x * (1.0 / cap)).tanh() * cap
}
