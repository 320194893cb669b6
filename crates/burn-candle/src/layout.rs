//! Views and copies of elements.

use crate::binary::broadcast;
use crate::kernel;
use crate::library::Core;
use crate::memory::in_order;
use crate::tensor::CandleTensor;
use burn_backend::{Dims, HasSpec, Layout, Operation, Shape, Slice, Slices, TensorSpec};
use burn_library_backend::{Kernels, result};
use candle_core::{Device, Result, Tensor};

/// Candle counts the steps along a dimension in `f32`, which holds whole numbers up to here.
const COUNTED: usize = 1 << 24;

#[track_caller]
pub fn reshape(x: CandleTensor, shape: Shape) -> CandleTensor {
    let spec = TensorSpec { shape: shape.clone(), dtype: x.dtype() };
    if x.candle().is_contiguous() {
        return kernel::view("reshape", x, spec, |x| x.reshape(&shape[..]));
    }
    Core::run("reshape", x.device(), spec, || x.candle().reshape(&shape[..]))
}

pub fn permute(x: CandleTensor, axes: &Dims) -> CandleTensor {
    let spec = result(&Operation::Layout(Layout::Permute { x: &x, axes: axes.clone() }));
    kernel::view("permute", x, spec, |x| x.permute(axes.to_vec()))
}

pub fn expand(x: CandleTensor, shape: Shape) -> CandleTensor {
    let spec = TensorSpec { shape: shape.clone(), dtype: x.dtype() };
    kernel::view("expand", x, spec, |x| broadcast(x, &shape))
}

/// Candle has no strides below zero: the elements are copied.
pub fn flip(x: CandleTensor, axes: &Dims) -> CandleTensor {
    if x.spec().shape.num_elements() == 0 || axes.is_empty() {
        return x;
    }
    let spec = x.spec().clone();
    Core::run("flip", x.device(), spec, || in_order(x.candle())?.flip(axes))
}

pub fn slice(x: CandleTensor, slices: &Slices) -> CandleTensor {
    let spec = result(&Operation::Layout(Layout::Slice { x: &x, slices: slices.clone() }));
    let is_view =
        slices.iter().all(|slice| slice.step == 1 || slice.end.saturating_sub(slice.start) < COUNTED);
    if is_view {
        return kernel::view("slice", x, spec, |x| sliced(x, slices));
    }
    Core::run("slice", x.device(), spec, || sliced(x.candle(), slices))
}

fn sliced(x: &Tensor, slices: &[Slice]) -> Result<Tensor> {
    slices.iter().enumerate().try_fold(x.clone(), |x, (dim, slice)| {
        if slice.is_empty() {
            return x.narrow(dim, 0, 0);
        }
        let x = x.narrow(dim, slice.start, slice.end - slice.start)?;
        match slice.step {
            1 => Ok(x),
            _ if slice.len() == 1 => x.narrow(dim, 0, 1),
            step if slice.end - slice.start < COUNTED => x.unfold(dim, 1, step)?.squeeze(x.rank()),
            step => {
                let places: Vec<i64> = (0..slice.len()).map(|i| (i * step) as i64).collect();
                in_order(&x)?.index_select(&Tensor::new(&places[..], x.device())?, dim)
            }
        }
    })
}

#[track_caller]
pub fn slice_assign(x: CandleTensor, slices: &Slices, value: CandleTensor) -> CandleTensor {
    let spec = x.spec().clone();
    if value.spec().shape.num_elements() == 0 {
        return x;
    }
    if let Some(dim) = whole_but_one(&spec.shape, slices) {
        let start = slices[dim].start;
        if x.is_unique() && x.candle().is_contiguous() {
            return kernel::view("slice_set", x, spec, |x| set(x, dim, start, value.candle()));
        }
        return Core::run("slice_set", x.device(), spec, || {
            set(&x.candle().force_contiguous()?, dim, start, value.candle())
        });
    }
    // Along the first dimension that is cut, the parts before, inside and after are put together again.
    Core::run("slice_assign", x.device(), spec, || assigned(x.candle(), slices, 0, value.candle()))
}

/// The only dimension that is not taken whole, if there is at most one and it is taken without gaps.
fn whole_but_one(shape: &Shape, slices: &[Slice]) -> Option<usize> {
    let is_whole = |d: usize| slices[d].step == 1 && slices[d].start == 0 && slices[d].end == shape[d];
    let mut cut = (0..slices.len()).filter(|&d| !is_whole(d));
    let dim = cut.next().or_else(|| (!slices.is_empty()).then_some(0))?;
    (cut.next().is_none() && slices[dim].step == 1).then_some(dim)
}

/// Candle's kernel that writes into a buffer; no other tensor holds that of `x`.
fn set(x: &Tensor, dim: usize, start: usize, value: &Tensor) -> Result<Tensor> {
    // A tensor that shares its buffer with `x` would be written while it is read.
    x.slice_set(&in_order(value)?, dim, start)?;
    Ok(x.clone())
}

/// `x` with `value` in the slice of the dimensions from `dim` on; those before are taken whole.
fn assigned(x: &Tensor, slices: &[Slice], dim: usize, value: &Tensor) -> Result<Tensor> {
    let Some(slice) = slices.get(dim) else { return Ok(value.clone()) };
    let size = x.dim(dim)?;
    if slice.start == 0 && slice.end == size && slice.step == 1 {
        return assigned(x, slices, dim + 1, value);
    }
    let mut parts = Vec::new();
    let mut push = |part: Tensor| {
        if part.elem_count() > 0 {
            parts.push(part);
        }
    };
    push(x.narrow(dim, 0, slice.start)?);
    if slice.step == 1 {
        push(assigned(&x.narrow(dim, slice.start, slice.end - slice.start)?, slices, dim + 1, value)?);
        push(x.narrow(dim, slice.end, size - slice.end)?);
    } else {
        let mut end = slice.start;
        for (i, at) in (slice.start..slice.end).step_by(slice.step).enumerate() {
            push(x.narrow(dim, end, at - end)?);
            push(assigned(&x.narrow(dim, at, 1)?, slices, dim + 1, &value.narrow(dim, i, 1)?)?);
            end = at + 1;
        }
        push(x.narrow(dim, end, size - end)?);
    }
    joined(&parts, dim)
}

/// Candle's `cat`, which would give a lone part back as it is, with its buffer.
fn joined<T: AsRef<Tensor>>(parts: &[T], dim: usize) -> Result<Tensor> {
    match parts {
        [part] => part.as_ref().force_contiguous(),
        parts => Tensor::cat(parts, dim),
    }
}

#[track_caller]
pub fn cat(xs: Vec<CandleTensor>, dim: usize) -> CandleTensor {
    let spec = result(&Operation::Layout(Layout::Cat { xs: xs.iter().collect(), dim }));
    let mut xs = xs;
    if xs.len() == 1 {
        return xs.remove(0);
    }
    let shape = spec.shape.clone();
    Core::run("cat", xs[0].device(), spec, || {
        let parts: Vec<&Tensor> =
            xs.iter().map(CandleTensor::candle).filter(|x| x.elem_count() > 0).collect();
        match parts[..] {
            [] => Tensor::zeros(&shape[..], xs[0].candle().dtype(), xs[0].candle().device()),
            _ => joined(&parts, dim),
        }
    })
}

pub fn to_device(x: CandleTensor, device: crate::CandleDevice) -> CandleTensor {
    if x.device() == device {
        return x;
    }
    let spec = x.spec().clone();
    Core::create("to_device", device, spec, |device| {
        // Candle moves a whole buffer, and from one device to another of another kind by way of the host.
        in_order(x.candle())?.to_device(&Device::Cpu)?.to_device(device)
    })
}
