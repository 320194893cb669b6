//! Elements named by indices.

use crate::element::Number;
use crate::library::Core;
use crate::memory::in_order;
use crate::tensor::CandleTensor;
use crate::{CandleDevice, cast, create, host};
use burn_backend::{
    DType, DataError, Dims, ElementConversion, HasSpec, Scalar, Shape, TensorData, TensorSpec,
};
use burn_library_backend::{Kernels, refuse_index, with_element};
use candle_core::{Result, Tensor};

/// Indices as `i64` in order, each checked to lie in dimension `dim` of `x` where that needs no wait.
/// Candle's kernels take the largest index of a type for a position outside, so narrow types are made wider.
#[track_caller]
pub fn checked(op: &'static str, indices: CandleTensor, x: &Shape, dim: usize) -> CandleTensor {
    let dtype = indices.dtype();
    let indices = cast::cast(indices, DType::I64);
    let spec = indices.spec().clone();
    if indices.device() != CandleDevice::Cpu {
        return Core::run("contiguous", indices.device(), spec, || in_order(indices.candle()));
    }
    let size = x[dim];
    let outside = host::read::<i64, _>(indices.candle(), |all| {
        all.iter().copied().find(|&index| index as u64 >= size as u64)
    });
    if let Ok(Some(index)) = outside {
        refuse_index(op, index, dtype, x, dim);
    }
    if indices.candle().is_contiguous() {
        return indices;
    }
    Core::run("contiguous", indices.device(), spec, || in_order(indices.candle()))
}

#[track_caller]
pub fn gather(x: &CandleTensor, dim: usize, indices: CandleTensor) -> CandleTensor {
    let indices = checked("gather", indices, &x.spec().shape, dim);
    gather_checked("gather", x, dim, &indices)
}

/// [`gather`] of indices of type `i64` that are known to be inside.
pub fn gather_checked(
    op: &'static str,
    x: &CandleTensor,
    dim: usize,
    indices: &CandleTensor,
) -> CandleTensor {
    let spec = TensorSpec { shape: indices.shape(), dtype: x.dtype() };
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Core::run(op, x.device(), spec, || {
        // Candle goes through both side by side, so other dimensions are cut to those of the indices.
        let other = (0..indices.spec().shape.rank()).filter(|&d| d != dim);
        let x = other.clone().try_fold(x.candle().clone(), |x, d| x.narrow(d, 0, indices.spec().shape[d]))?;
        in_order(&x)?.gather(&in_order(indices.candle())?, dim)
    })
}

#[track_caller]
pub fn select(x: CandleTensor, dim: usize, indices: CandleTensor) -> CandleTensor {
    let spec = TensorSpec { shape: x.spec().shape.with(dim, indices.spec().shape[0]), dtype: x.dtype() };
    let indices = checked("select", indices, &x.spec().shape, dim);
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Core::run("index_select", x.device(), spec, || in_order(x.candle())?.index_select(indices.candle(), dim))
}

/// Coordinates of the true elements. Candle has no kernel whose shape depends on data; they are found on the
/// host.
///
/// # Errors
/// When the device fails, or the host has no memory for the coordinates.
pub fn argwhere(mask: CandleTensor, index: DType) -> std::result::Result<CandleTensor, DataError> {
    let (shape, device) = (mask.shape(), mask.device());
    let mask = create::into_data(mask)?;
    let strides = shape.strides();
    let hits: Vec<usize> =
        mask.as_slice::<bool>()?.iter().enumerate().filter(|(_, hit)| **hit).map(|(at, _)| at).collect();
    let mut data = TensorData::zeroed(Shape::from([hits.len(), shape.rank()]), index)?;
    with_element!(index, E => {
        let out: &mut [E] = data.as_mut_slice()?;
        let all = hits.iter().flat_map(|at| (0..shape.rank()).map(move |d| (at, d)));
        for (out, (at, d)) in out.iter_mut().zip(all) {
            *out = ((at / strides[d] % shape[d]) as i64).elem();
        }
    });
    Ok(create::from_data(&data, device))
}

/// Where elements of a tensor whose indices have shape `at` are in `x`, but for the part of `dim`.
pub struct Places {
    strides: Dims,
    own: Dims,
    shape: Shape,
    dim: usize,
}

impl Places {
    pub fn new(x: &Shape, at: &Shape, dim: usize) -> Self {
        Places { strides: x.strides(), own: at.strides(), shape: at.clone(), dim }
    }

    /// The position in `x` of the element that index `index`, the `at`th in order, names.
    pub fn place(&self, at: usize, index: i64) -> usize {
        let along = |d: usize| if d == self.dim { index as usize } else { at / self.own[d] % self.shape[d] };
        (0..self.shape.rank()).map(|d| along(d) * self.strides[d]).sum()
    }
}

/// `x` in order, copied, with elements written over by `write`.
pub fn rewritten<E: Number>(x: &Tensor, write: impl FnOnce(&mut [E::Stored])) -> Result<Tensor> {
    let mut values = host::read::<E, _>(x, <[E::Stored]>::to_vec)?;
    write(&mut values);
    host::make::<E>(values, x.dims())
}

/// Whether all sizes but that of `dim` are the same.
pub fn is_side_by_side(x: &Shape, at: &Shape, dim: usize) -> bool {
    (0..x.rank()).all(|d| d == dim || x[d] == at[d])
}
