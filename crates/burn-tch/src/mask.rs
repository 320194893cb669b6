//! Choices by a mask.

use crate::binary::scalar;
use crate::kernel;
use crate::library::Torch;
use crate::tensor::TchTensor;
use burn_backend::{HasSpec, Operation, Scalar};
use burn_foreign::{Kernels, result};

#[track_caller]
pub fn mask_where(mask: TchTensor, on: TchTensor, off: TchTensor) -> TchTensor {
    let spec = result(&Operation::MaskWhere { mask: &mask, on: &on, off: &off });
    Torch::run("where", on.device(), spec, || on.tch().f_where_self(mask.tch(), off.tch()))
}

#[track_caller]
pub fn mask_fill(x: TchTensor, mask: TchTensor, value: Scalar) -> TchTensor {
    let spec = result(&Operation::MaskFill { x: &x, mask: &mask, value });
    let number = || scalar(value, spec.dtype);
    let x = if x.spec().shape == spec.shape {
        match kernel::in_place("masked_fill", x, |x| x.f_masked_fill_(mask.tch(), number())) {
            Ok(result) => return result,
            Err(x) => x,
        }
    } else {
        x
    };
    Torch::run("masked_fill", x.device(), spec.clone(), || x.tch().f_masked_fill(mask.tch(), number()))
}
