//! Running reductions.

use crate::compare::by_order;
use crate::dtype::stored;
use crate::kernel;
use crate::memory::in_order;
use crate::tensor::TchTensor;
use crate::unary::narrowed;
use burn_backend::{CumulativeOp, HasSpec};

pub fn cumulative(op: CumulativeOp, x: TchTensor, dim: usize) -> TchTensor {
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    if spec.shape.num_elements() == 0 {
        return x;
    }
    kernel::torch(op.name(), x.device(), spec, || {
        let (ordered, dim, kind) = (by_order(dtype, &in_order(x.tch())?), dim as i64, stored(dtype));
        match op {
            CumulativeOp::Sum => narrowed(dtype, x.tch().f_cumsum(dim, kind)?),
            CumulativeOp::Prod => narrowed(dtype, x.tch().f_cumprod(dim, kind)?),
            CumulativeOp::Max => by_order(dtype, &ordered?.f_cummax(dim)?.0),
            CumulativeOp::Min => by_order(dtype, &ordered?.f_cummin(dim)?.0),
        }
    })
}
