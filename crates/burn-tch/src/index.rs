//! Elements named by indices.

use crate::library::Torch;
use crate::memory::in_order;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, cast, create, host};
use burn_backend::{DType, DataError, HasSpec, Scalar, Shape, TensorSpec};
use burn_library_backend::{Kernels, Library, refuse_index};

/// Indices as `i64`, each checked to lie in dimension `dim` of `x` on the host; elsewhere, where that would
/// wait for the device and an index outside would end its use, they are brought inside.
#[track_caller]
pub fn checked(op: &'static str, indices: TchTensor, x: &Shape, dim: usize) -> TchTensor {
    let (dtype, size) = (indices.dtype(), x[dim]);
    let indices = cast::cast(indices, DType::I64);
    if indices.device() != LibTorchDevice::Cpu {
        let (spec, last) = (indices.spec().clone(), size.max(1) as i64 - 1);
        return Torch::run("clamp", indices.device(), spec, || indices.tch().f_clamp(0, last));
    }
    let outside = host::read::<i64, _>(indices.tch(), |all| {
        all.iter().copied().find(|&index| index as u64 >= size as u64)
    });
    if let Ok(Some(index)) = outside {
        refuse_index(op, index, dtype, x, dim);
    }
    indices
}

#[track_caller]
pub fn gather(x: &TchTensor, dim: usize, indices: TchTensor) -> TchTensor {
    let spec = TensorSpec { shape: indices.shape(), dtype: x.dtype() };
    let indices = checked("gather", indices, &x.spec().shape, dim);
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Torch::run("gather", x.device(), spec, || x.tch().f_gather(dim as i64, indices.tch(), false))
}

#[track_caller]
pub fn select(x: TchTensor, dim: usize, indices: TchTensor) -> TchTensor {
    let spec = TensorSpec { shape: x.spec().shape.with(dim, indices.spec().shape[0]), dtype: x.dtype() };
    let indices = checked("select", indices, &x.spec().shape, dim);
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Torch::run("index_select", x.device(), spec, || {
        // Elements that lie otherwise are copied in order there.
        in_order(x.tch())?.f_index_select(dim as i64, indices.tch())
    })
}

/// Coordinates of the true elements.
///
/// # Errors
/// When the device fails.
#[track_caller]
pub fn argwhere(mask: TchTensor, index: DType) -> Result<TchTensor, DataError> {
    let (rank, device) = (mask.spec().shape.rank(), mask.device());
    let failed =
        |error: tch::TchError| DataError::Device(format!("LibTorch on {device}: {}", Torch::cause(&error)));
    let count =
        mask.tch().f_count_nonzero(None).and_then(|count| count.f_int64_value(&[])).map_err(failed)?;
    let spec = TensorSpec::new([count as usize, rank], DType::I64);
    let places = Torch::run("nonzero", device, spec, || mask.tch().f_nonzero());
    Ok(cast::cast(places, index))
}
