//! Running reductions.

use crate::LibTorchDevice;
use crate::compare::by_order;
use crate::dtype::{narrowed, stored};
use crate::library::Torch;
use crate::memory::in_order;
use crate::reduce::is_half;
use crate::tensor::TchTensor;
use burn_backend::{CumulativeOp, HasSpec};
use burn_library_backend::Kernels;
use tch::Kind;

pub fn cumulative(op: CumulativeOp, x: TchTensor, dim: usize) -> TchTensor {
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    if spec.shape.num_elements() == 0 {
        return x;
    }
    Torch::run(op.name(), x.device(), spec, || {
        let (ordered, dim, kind) = (by_order(dtype, &in_order(x.tch())?), dim as i64, stored(dtype));
        // The kernel of GPUs rounds partial results of halves.
        let wide = if is_half(dtype) && x.device() != LibTorchDevice::Cpu { Kind::Float } else { kind };
        match op {
            CumulativeOp::Sum => narrowed(dtype, x.tch().f_cumsum(dim, wide)?.f_to_kind(kind)?),
            CumulativeOp::Prod => narrowed(dtype, x.tch().f_cumprod(dim, wide)?.f_to_kind(kind)?),
            CumulativeOp::Max => by_order(dtype, &ordered?.f_cummax(dim)?.0),
            CumulativeOp::Min => by_order(dtype, &ordered?.f_cummin(dim)?.0),
        }
    })
}
