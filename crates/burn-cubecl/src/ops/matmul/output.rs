use crate::launch::tensor::CubeTensor;
use burn_backend::*;

/// Allocates the output of a product.
#[track_caller]
pub fn room(lhs: &TensorSpec, rhs: &CubeTensor) -> CubeTensor {
    let spec = output_specs(&Operation::Linalg(Linalg::Matmul { lhs, rhs: rhs.spec() }))
        .unwrap_or_else(|error| panic!("{error}"))
        .one();
    CubeTensor::empty(spec, rhs.engine())
}
