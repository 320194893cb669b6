//! Comparisons of two tensors, which broadcast, and of a tensor and a number.

use crate::create;
use crate::element::scalar;
use crate::library::Torch;
use crate::memory::workspace;
use crate::tensor::TchTensor;
use burn_backend::{CompareOp, DType, Elementwise, HasSpec, Operation, Scalar, Shape, TensorSpec};
use burn_library_backend::{Kernels, result};
use tch::{TchError, Tensor};

/// The bits of a `u64` are stored as those of an `i64`: with the highest turned over, their order is that of
/// the numbers.
#[track_caller]
pub fn by_order(dtype: DType, x: &Tensor) -> Result<Tensor, TchError> {
    if dtype != DType::U64 {
        return Ok(x.shallow_clone());
    }
    drop(workspace(x));
    x.f_bitwise_xor(i64::MIN)
}

#[track_caller]
pub fn compare(op: CompareOp, lhs: TchTensor, rhs: TchTensor) -> TchTensor {
    let spec = result(&Operation::Elementwise(Elementwise::Compare { op, lhs: &lhs, rhs: &rhs }));
    let dtype = lhs.dtype();
    Torch::run(op.name(), lhs.device(), spec, || {
        let (x, y) = (by_order(dtype, lhs.tch())?, by_order(dtype, rhs.tch())?);
        match op {
            CompareOp::Equal => x.f_eq_tensor(&y),
            CompareOp::NotEqual => x.f_ne_tensor(&y),
            CompareOp::Less => x.f_lt_tensor(&y),
            CompareOp::LessEqual => x.f_le_tensor(&y),
            CompareOp::Greater => x.f_gt_tensor(&y),
            CompareOp::GreaterEqual => x.f_ge_tensor(&y),
        }
    })
}

/// The number is one of the element type of the tensor.
#[track_caller]
pub fn compare_scalar(op: CompareOp, lhs: TchTensor, rhs: Scalar) -> TchTensor {
    let dtype = lhs.dtype();
    if matches!(dtype, DType::U64 | DType::Bool) {
        let rhs = create::full(TensorSpec::new(Shape::new([]), dtype), rhs, lhs.device());
        return compare(op, lhs, rhs);
    }
    let spec = TensorSpec { shape: lhs.shape(), dtype: DType::Bool };
    Torch::run(op.name(), lhs.device(), spec, || {
        let (x, y) = (lhs.tch(), scalar(rhs, dtype));
        match op {
            CompareOp::Equal => x.f_eq(y),
            CompareOp::NotEqual => x.f_ne(y),
            CompareOp::Less => x.f_lt(y),
            CompareOp::LessEqual => x.f_le(y),
            CompareOp::Greater => x.f_gt(y),
            CompareOp::GreaterEqual => x.f_ge(y),
        }
    })
}
