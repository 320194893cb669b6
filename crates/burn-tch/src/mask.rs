//! Choices by a mask.

use crate::element::{Number, scalar};
use crate::library::Torch;
use crate::memory::copied;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, host, kernel};
use burn_backend::{Elementwise, HasSpec, Operation, Scalar};
use burn_library_backend::{Kernels, result, with_element};

#[track_caller]
pub fn mask_where(mask: TchTensor, on: TchTensor, off: TchTensor) -> TchTensor {
    let spec = result(&Operation::Elementwise(Elementwise::MaskWhere { mask: &mask, on: &on, off: &off }));
    Torch::run("where", on.device(), spec, || on.tch().f_where_self(mask.tch(), off.tch()))
}

#[track_caller]
pub fn mask_fill(x: TchTensor, mask: TchTensor, value: Scalar) -> TchTensor {
    let spec = result(&Operation::Elementwise(Elementwise::MaskFill { x: &x, mask: &mask, value }));
    let number = || scalar(value, spec.dtype);
    // LibTorch's kernel looks at one element after the other.
    let in_order = |x: &TchTensor| x.spec().shape == spec.shape && x.tch().is_contiguous();
    if x.device() == LibTorchDevice::Cpu && in_order(&x) && in_order(&mask) {
        return with_element!(spec.dtype, E => filled::<E>(x, &mask, value.elem()));
    }
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

/// Fills by a kernel of this crate, in place where nothing else holds the elements.
#[track_caller]
fn filled<E: Number>(x: TchTensor, mask: &TchTensor, value: E) -> TchTensor {
    let spec = x.spec().clone();
    match kernel::own_in_place("mask_fill", x, |x| host::fill::<E>(x, mask.tch(), value)) {
        Ok(result) => result,
        Err(x) => Torch::own("mask_fill", [&x], spec, |[x]| {
            let mut copy = copied(&x)?;
            host::fill::<E>(&mut copy, mask.tch(), value)?;
            Ok(copy)
        }),
    }
}
