//! Comparisons of two tensors, which broadcast.

use crate::binary::together;
use crate::host;
use crate::library::Core;
use crate::tensor::CandleTensor;
use burn_backend::{CompareOp, DType, Elementwise, HasSpec, Operation};
use burn_library_backend::{Kernels, result};
use candle_core::op::CmpOp;

#[track_caller]
pub fn compare(op: CompareOp, lhs: CandleTensor, rhs: CandleTensor) -> CandleTensor {
    let spec = result(&Operation::Elementwise(Elementwise::Compare { op, lhs: &lhs, rhs: &rhs }));
    let shape = spec.shape.clone();
    // The bits of a `u64` are stored as those of an `i64`, whose order is another.
    if lhs.dtype() == DType::U64 {
        return Core::own(op.name(), [&lhs, &rhs], spec, |[x, y]| {
            together([&x, &y], &shape, |[x, y]| host::zip(&x, &y, |x: u64, y: u64| op.eval(x, y)))
        });
    }
    Core::run(op.name(), lhs.device(), spec, || {
        together([lhs.candle(), rhs.candle()], &shape, |[x, y]| x.cmp(&y, kernel_of(op)))
    })
}

fn kernel_of(op: CompareOp) -> CmpOp {
    match op {
        CompareOp::Equal => CmpOp::Eq,
        CompareOp::NotEqual => CmpOp::Ne,
        CompareOp::Less => CmpOp::Lt,
        CompareOp::LessEqual => CmpOp::Le,
        CompareOp::Greater => CmpOp::Gt,
        CompareOp::GreaterEqual => CmpOp::Ge,
    }
}
