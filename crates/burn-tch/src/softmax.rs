//! Softmax and its logarithm.

use crate::kernel;
use crate::memory::in_order;
use crate::tensor::TchTensor;
use burn_backend::HasSpec;

pub fn softmax(x: TchTensor, dim: usize) -> TchTensor {
    kernel::torch("softmax", x.device(), x.spec().clone(), || in_order(x.tch())?.f_softmax(dim as i64, None))
}

pub fn log_softmax(x: TchTensor, dim: usize) -> TchTensor {
    kernel::torch("log_softmax", x.device(), x.spec().clone(), || {
        in_order(x.tch())?.f_log_softmax(dim as i64, None)
    })
}
