use burn_core::tensor::{Backend, Int, Tensor};

/// Returns integer targets as numbers of the element type of `input`.
pub fn as_floats<B: Backend, const D: usize, const E: usize>(
    targets: Tensor<B, D, Int>,
    input: &Tensor<B, E>,
) -> Tensor<B, D> {
    targets.float().cast(input.dtype())
}
