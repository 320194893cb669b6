use crate::cast::cast;
use crate::copy::with_width;
use crate::parallel::{self, Shared};
use crate::strided::collapse;
use crate::tensor::NdTensor;
use alloc::vec::Vec;
use burn_backend::{DType, Dims, HasSpec, IndexUpdate, Shape, TensorSpec, bf16, f16};
use bytemuck::Pod;

/// Indices as `i64` in order, each checked to lie in dimension `dim` of `x`.
///
/// # Panics
/// When one does not.
#[track_caller]
fn checked(indices: NdTensor, x: &Shape, dim: usize, op: &'static str) -> NdTensor {
    let (dtype, size) = (indices.spec().dtype, x[dim]);
    let indices = cast(indices, DType::I64).into_contiguous();
    let outside = |index: &&i64| usize::try_from(**index).map_or(true, |index| index >= size);
    if let Some(&index) = indices.slice::<i64>().iter().find(outside) {
        out_of_range(op, index, dtype, x, dim);
    }
    indices
}

#[cold]
#[track_caller]
fn out_of_range(op: &'static str, index: i64, dtype: DType, x: &Shape, dim: usize) -> ! {
    // Beyond the largest `i64` they have wrapped around.
    let index = if dtype == DType::U64 { i128::from(index as u64) } else { i128::from(index) };
    panic!("{op}: index {index} is out of range for dimension {dim} of {x:?}, which has size {}", x[dim]);
}

/// Strides of `x`, with that of `dim` apart.
fn strides_without(x: &NdTensor, dim: usize) -> (Dims, usize) {
    let mut strides = x.strides();
    let step = core::mem::replace(&mut strides[dim], 0);
    (strides, step)
}

#[track_caller]
pub fn gather(x: &NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
    let indices = checked(indices, x.shape(), dim, "gather");
    let mut out = NdTensor::new(TensorSpec { shape: indices.shape().clone(), dtype: x.spec().dtype });
    if out.len() == 0 {
        return out;
    }
    let (strides, step) = strides_without(x, dim);
    let walk = collapse(indices.shape(), [&strides, &indices.strides()]);
    let (inner, along) = (walk.inner(), walk.step(0));
    with_width!(x.spec().dtype.size(), E => {
        let (to, from) = (Shared(out.start_mut().cast::<E>()), Shared(x.start().cast::<E>().cast_mut()));
        let indices: &[i64] = indices.slice();
        parallel::for_ranges(walk.rows(), inner * 4, &|rows| {
            walk.for_rows(rows, |[x_at, at]| {
                for (i, &index) in indices[at..at + inner].iter().enumerate() {
                    let x_at = x_at.wrapping_add(along.wrapping_mul(i)).wrapping_add(step.wrapping_mul(index as usize));
                    // SAFETY: indices are below the size of their dimension, other coordinates are those of an
                    // index tensor that is no larger than `x`; each element of `out` is written once.
                    unsafe { to.get().wrapping_add(at + i).write(from.get().wrapping_add(x_at).read()) };
                }
            });
        });
    });
    out
}

/// An element as it is stored.
trait Stored: Pod {
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// The product; integers wrap.
    fn times(self, other: Self) -> Self;
    /// The smaller; NaN if one is NaN.
    fn smaller(self, other: Self) -> Self;
    /// The larger; NaN if one is NaN.
    fn larger(self, other: Self) -> Self;
}

macro_rules! stored {
    (floats: $($ty:ty),*) => {$(
        impl Stored for $ty {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self < other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other || self.is_nan() { self } else { other }
            }
        }
    )*};
    (ints: $($ty:ty),*) => {$(
        impl Stored for $ty {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}
stored!(floats: f64, f32, f16, bf16);
stored!(ints: i64, i32, i16, i8, u64, u32, u16, u8);

/// Runs an expression with `E` naming the type in which elements of a dtype are stored.
macro_rules! with_stored {
    ($dtype:expr, $E:ident => $body:expr) => {
        match $dtype {
            DType::F64 => {
                type $E = f64;
                $body
            }
            DType::F32 => {
                type $E = f32;
                $body
            }
            DType::F16 => {
                type $E = f16;
                $body
            }
            DType::BF16 => {
                type $E = bf16;
                $body
            }
            DType::I64 => {
                type $E = i64;
                $body
            }
            DType::I32 => {
                type $E = i32;
                $body
            }
            DType::I16 => {
                type $E = i16;
                $body
            }
            DType::I8 => {
                type $E = i8;
                $body
            }
            DType::U64 => {
                type $E = u64;
                $body
            }
            DType::U32 => {
                type $E = u32;
                $body
            }
            DType::U16 => {
                type $E = u16;
                $body
            }
            // Bools are bytes that are assigned only.
            DType::U8 | DType::Bool => {
                type $E = u8;
                $body
            }
        }
    };
}

#[inline(always)]
fn combine<E: Stored>(old: E, new: E, update: IndexUpdate) -> E {
    match update {
        IndexUpdate::Assign => new,
        IndexUpdate::Add => old.plus(new),
        IndexUpdate::Multiply => old.times(new),
        IndexUpdate::Min => old.smaller(new),
        IndexUpdate::Max => old.larger(new),
    }
}

#[track_caller]
pub fn scatter(
    mut x: NdTensor,
    dim: usize,
    indices: NdTensor,
    value: NdTensor,
    update: IndexUpdate,
) -> NdTensor {
    let indices = checked(indices, x.shape(), dim, "scatter");
    let value = value.into_contiguous();
    if indices.len() == 0 {
        return x;
    }
    with_stored!(x.spec().dtype, E => {
        x.make_mut::<E>();
        let (strides, step) = strides_without(&x, dim);
        let walk = collapse(indices.shape(), [&strides, &indices.strides()]);
        let (inner, along) = (walk.inner(), walk.step(0));
        let (out, values, indices) = (x.make_mut::<E>(), value.slice::<E>(), indices.slice::<i64>());
        walk.for_rows(0..walk.rows(), |[x_at, at]| {
            for i in at..at + inner {
                let out = &mut out[x_at + along * (i - at) + step * indices[i] as usize];
                *out = combine(*out, values[i], update);
            }
        });
    });
    x
}

/// Elements around `dim`: `[outer, size, inner]`.
fn around(shape: &[usize], dim: usize) -> (usize, usize, usize) {
    (shape[..dim].iter().product(), shape[dim], shape[dim + 1..].iter().product())
}

#[track_caller]
pub fn select(x: NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
    let indices = checked(indices, x.shape(), dim, "select");
    let x = x.into_contiguous();
    let (_, size, inner) = around(x.shape(), dim);
    let count = indices.len();
    let mut out = NdTensor::new(TensorSpec { shape: x.shape().with(dim, count), dtype: x.spec().dtype });
    let (indices, bytes) = (indices.slice::<i64>(), inner * x.spec().dtype.size());
    let from = x.bytes();
    parallel::for_chunks(out.bytes_mut(), bytes, bytes / 4 + 8, &|k, slice| {
        let at = (k / count * size + indices[k % count] as usize) * bytes;
        slice.copy_from_slice(&from[at..at + bytes]);
    });
    out
}

#[track_caller]
pub fn select_assign(
    mut x: NdTensor,
    dim: usize,
    indices: NdTensor,
    value: NdTensor,
    update: IndexUpdate,
) -> NdTensor {
    let indices = checked(indices, x.shape(), dim, "select_assign");
    let value = value.into_contiguous();
    let (outer, size, inner) = around(x.shape(), dim);
    let indices = indices.slice::<i64>();
    with_stored!(x.spec().dtype, E => {
        let (out, values) = (x.make_mut::<E>(), value.slice::<E>());
        // Threads own whole parts of `x`, so that values for one place are taken in order.
        parallel::for_chunks(out, (size * inner).max(1), indices.len() * inner, &|o, part| {
            if o >= outer {
                return;
            }
            for (k, &index) in indices.iter().enumerate() {
                let from = &values[(o * indices.len() + k) * inner..][..inner];
                let to = &mut part[index as usize * inner..][..inner];
                to.iter_mut().zip(from).for_each(|(to, &from)| *to = combine(*to, from, update));
            }
        });
    });
    x
}

/// Coordinates of the true elements, `[count, rank]`.
pub fn argwhere(mask: NdTensor, index: DType) -> NdTensor {
    let mask = mask.into_contiguous();
    let (shape, strides) = (mask.shape().clone(), mask.shape().strides());
    let hits: Vec<usize> =
        mask.slice::<u8>().iter().enumerate().filter(|(_, hit)| **hit != 0).map(|(at, _)| at).collect();
    let spec = TensorSpec::new([hits.len(), shape.rank()], DType::I64);
    let found = NdTensor::with::<i64>(spec, |out| {
        for (row, at) in out.chunks_exact_mut(shape.rank().max(1)).zip(hits) {
            row.iter_mut().enumerate().for_each(|(d, out)| *out = (at / strides[d] % shape[d]) as i64);
        }
    });
    cast(found, index)
}
