//! Softmax and its logarithm.

use crate::library::Torch;
use crate::memory::in_order;
use crate::tensor::TchTensor;
use burn_backend::HasSpec;
use burn_library_backend::Kernels;

pub fn softmax(x: TchTensor, dim: usize) -> TchTensor {
    Torch::run("softmax", x.device(), x.spec().clone(), || in_order(x.tch())?.f_softmax(dim as i64, None))
}

pub fn log_softmax(x: TchTensor, dim: usize) -> TchTensor {
    Torch::run("log_softmax", x.device(), x.spec().clone(), || {
        in_order(x.tch())?.f_log_softmax(dim as i64, None)
    })
}
