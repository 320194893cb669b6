//! Views of LibTorch and copies of elements.

use crate::library::{Torch, copy_to};
use crate::memory::copied;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, create, kernel};
use burn_backend::{Dims, HasSpec, Layout, Operation, Scalar, Shape, Slice, Slices, TensorSpec};
use burn_library_backend::{Kernels, result};
use tch::{TchError, Tensor};

/// A view where the elements lie so that there is one, else a copy.
#[track_caller]
pub fn reshape(x: TchTensor, shape: Shape) -> TchTensor {
    let spec = TensorSpec { shape: shape.clone(), dtype: x.dtype() };
    if x.tch().is_contiguous() {
        return kernel::view("reshape", x, spec, |x| x.f_view(&sizes(&shape)[..]));
    }
    let start = x.tch().data_ptr();
    let copy = Torch::run("reshape", x.device(), spec.clone(), || x.tch().f_reshape(sizes(&shape)));
    if copy.tch().data_ptr() != start {
        return copy;
    }
    x.viewed(spec, copy.tch().shallow_clone())
}

pub fn permute(x: TchTensor, axes: &Dims) -> TchTensor {
    let spec = result(&Operation::Layout(Layout::Permute { x: &x, axes: axes.clone() }));
    kernel::view("permute", x, spec, |x| x.f_permute(sizes(axes)))
}

pub fn expand(x: TchTensor, shape: Shape) -> TchTensor {
    let spec = TensorSpec { shape: shape.clone(), dtype: x.dtype() };
    kernel::view("expand", x, spec, |x| x.f_expand(sizes(&shape), false))
}

/// LibTorch has no strides below zero: the elements are copied.
pub fn flip(x: TchTensor, axes: &Dims) -> TchTensor {
    if axes.is_empty() {
        return x;
    }
    let spec = x.spec().clone();
    Torch::run("flip", x.device(), spec, || x.tch().f_flip(sizes(axes)))
}

pub fn slice(x: TchTensor, slices: &Slices) -> TchTensor {
    let spec = result(&Operation::Layout(Layout::Slice { x: &x, slices: slices.clone() }));
    kernel::view("slice", x, spec, |x| sliced(x, slices))
}

fn sliced(x: &Tensor, slices: &[Slice]) -> Result<Tensor, TchError> {
    slices.iter().enumerate().try_fold(x.shallow_clone(), |x, (dim, slice)| {
        let dim = dim as i64;
        if slice.is_empty() {
            return x.f_narrow(dim, 0, 0);
        }
        // A step beyond the end is as good as one to it, and may not fit.
        let step = slice.step.min(slice.end - slice.start);
        x.f_slice(dim, slice.start as i64, slice.end as i64, step as i64)
    })
}

#[track_caller]
pub fn slice_assign(x: TchTensor, slices: &Slices, value: TchTensor) -> TchTensor {
    let (spec, device) = (x.spec().clone(), x.device());
    if value.spec().shape.num_elements() == 0 {
        return x;
    }
    let write = |x: &mut Tensor| sliced(x, slices)?.f_copy_(value.tch());
    kernel::in_place("slice_assign", x, write).unwrap_or_else(|x| {
        Torch::run("slice_assign", device, spec, || {
            let copy = copied(x.tch())?;
            sliced(&copy, slices)?.f_copy_(value.tch())?;
            Ok(copy)
        })
    })
}

#[track_caller]
pub fn cat(xs: Vec<TchTensor>, dim: usize) -> TchTensor {
    let spec = result(&Operation::Layout(Layout::Cat { xs: xs.iter().collect(), dim }));
    let mut xs = xs;
    if xs.len() == 1 {
        return xs.remove(0);
    }
    let device = xs[0].device();
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), device);
    }
    Torch::run("cat", device, spec, || {
        let parts: Vec<&Tensor> =
            xs.iter().filter(|x| x.spec().shape.num_elements() > 0).map(TchTensor::tch).collect();
        match parts[..] {
            // LibTorch may give a lone part back as it is, with its buffer.
            [part] => copied(part),
            _ => Tensor::f_cat(&parts, dim as i64),
        }
    })
}

pub fn repeat_dim(x: TchTensor, dim: usize, times: usize) -> TchTensor {
    let spec = result(&Operation::Layout(Layout::RepeatDim { x: &x, dim, times }));
    if times == 1 {
        return x;
    }
    Torch::run("repeat", x.device(), spec, || {
        let repeats: Vec<i64> =
            (0..x.spec().shape.rank()).map(|d| if d == dim { times as i64 } else { 1 }).collect();
        x.tch().f_repeat(repeats)
    })
}

pub fn to_device(x: TchTensor, device: LibTorchDevice) -> TchTensor {
    if x.device() == device {
        return x;
    }
    let spec = x.spec().clone();
    Torch::create("to_device", device, spec, |inner| copy_to(x.tch(), *inner))
}
