use crate::elements::collapsed::broadcast_strides;
use crate::kernels::copy;
use crate::tensor::NdTensor;
use alloc::vec::Vec;
use burn_backend::{Dims, HasSpec, Shape, Slice, TensorSpec};
use core::ops::Range;

pub fn expand(x: NdTensor, shape: Shape) -> NdTensor {
    if *x.shape() == shape {
        return x;
    }
    let (strides, offset) = (broadcast_strides(&x, &shape), x.offset());
    x.with_view(shape, &strides, offset)
}

pub fn permute(x: NdTensor, axes: &[usize]) -> NdTensor {
    let (strides, offset) = (x.strides(), x.offset());
    let shape = axes.iter().map(|&a| x.shape()[a]).collect();
    let strides: Dims = axes.iter().map(|&a| strides[a]).collect();
    x.with_view(shape, &strides, offset)
}

/// A view with the order of these dimensions reversed.
pub fn flip(x: NdTensor, axes: &[usize]) -> NdTensor {
    let (mut strides, mut offset, shape) = (x.strides(), x.offset(), x.shape().clone());
    if x.len() == 0 {
        return x;
    }
    for &d in axes {
        offset = offset.wrapping_add(strides[d].wrapping_mul(shape[d] - 1));
        strides[d] = strides[d].wrapping_neg();
    }
    x.with_view(shape, &strides, offset)
}

/// Shape, strides and offset of a slice of `x`.
fn sliced(x: &NdTensor, slices: &[Slice]) -> (Shape, Dims, usize) {
    let (mut shape, mut strides, mut offset) = (x.shape().clone(), x.strides(), x.offset());
    for (d, slice) in slices.iter().enumerate() {
        shape[d] = slice.len();
        if shape[d] > 0 {
            offset = offset.wrapping_add(slice.start.wrapping_mul(strides[d]));
        }
        strides[d] = strides[d].wrapping_mul(slice.step);
    }
    (shape, strides, offset)
}

pub fn slice(x: NdTensor, slices: &[Slice]) -> NdTensor {
    let (shape, strides, offset) = sliced(&x, slices);
    if shape == *x.shape() && slices.iter().all(|slice| slice.step == 1) {
        return x;
    }
    x.with_view(shape, &strides, offset)
}

/// Some entries along one dimension.
pub fn narrow(x: NdTensor, dim: usize, entries: Range<usize>) -> NdTensor {
    let (strides, offset) = (x.strides(), x.offset());
    let (shape, start) = (x.shape().with(dim, entries.len()), entries.start.wrapping_mul(strides[dim]));
    x.with_view(shape, &strides, offset.wrapping_add(start))
}

pub fn slice_assign(x: NdTensor, slices: &[Slice], value: &NdTensor) -> NdTensor {
    let mut x = if x.is_writable() { x } else { copy::to_contiguous(&x) };
    let (shape, strides, offset) = sliced(&x, slices);
    let own = offset.wrapping_sub(x.offset());
    copy::assign(&mut x, &shape, &strides, own, value);
    x
}

pub fn cat(xs: Vec<NdTensor>, dim: usize) -> NdTensor {
    let total = xs.iter().map(|x| x.shape()[dim]).sum();
    let shape = xs[0].shape().with(dim, total);
    let strides = shape.strides();
    let mut out = NdTensor::new(TensorSpec { shape, dtype: xs[0].spec().dtype });
    let mut start = 0;
    for x in xs {
        copy::assign(&mut out, x.shape(), &strides, start * strides[dim], &x);
        start += x.shape()[dim];
    }
    out
}

pub fn repeat_dim(x: NdTensor, dim: usize, times: usize) -> NdTensor {
    if x.shape()[dim] == 0 {
        return x;
    }
    let shape = x.shape().with(dim, x.shape()[dim] * times);
    let split = |times: usize| {
        x.shape()[..dim].iter().copied().chain([times]).chain(x.shape()[dim..].iter().copied())
    };
    let (once, often): (Shape, Shape) = (split(1).collect(), split(times).collect());
    expand(x.reshaped(once), often).into_contiguous().reshaped(shape)
}

/// Elements around `dim`: `[outer, size, inner]`.
pub fn outer_size_inner(shape: &[usize], dim: usize) -> [usize; 3] {
    [shape[..dim].iter().product(), shape[dim], shape[dim + 1..].iter().product()]
}

/// `x` with dimension `dim` moved to the end, in row-major order: one row for each lane along `dim`.
pub fn lanes(x: NdTensor, dim: usize) -> NdTensor {
    let rank = x.shape().rank();
    let axes: Dims = (0..rank).filter(|&d| d != dim).chain([dim]).collect();
    permute(x, &axes).into_contiguous()
}

/// Undoes the move of [`lanes`].
pub fn from_lanes(x: NdTensor, dim: usize) -> NdTensor {
    let rank = x.shape().rank();
    let axes: Dims = (0..dim).chain([rank - 1]).chain(dim..rank - 1).collect();
    permute(x, &axes)
}
