//! Writes to positions that are named by indices.

use crate::compare::by_order;
use crate::dtype::narrow;
use crate::index::checked;
use crate::library::Torch;
use crate::memory::copied;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, kernel, layout};
use burn_backend::{DType, HasSpec, IndexUpdate, Shape};
use burn_library_backend::Kernels;
use tch::{Kind, TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// Runs a kernel that writes to `x`, or to a copy where another tensor holds its elements.
#[track_caller]
fn written(op: &'static str, x: TchTensor, write: impl Fn(&mut Tensor) -> Result<()>) -> TchTensor {
    let (spec, device) = (x.spec().clone(), x.device());
    kernel::in_place(op, x, &write).unwrap_or_else(|x| {
        Torch::run(op, device, spec, || {
            let mut copy = copied(x.tch())?;
            write(&mut copy)?;
            Ok(copy)
        })
    })
}

#[track_caller]
pub fn scatter(
    x: TchTensor,
    dim: usize,
    indices: TchTensor,
    value: TchTensor,
    update: IndexUpdate,
) -> TchTensor {
    let (dtype, on_gpu) = (x.dtype(), x.device() != LibTorchDevice::Cpu);
    let indices = checked("scatter", indices, &x.spec().shape, dim);
    if indices.spec().shape.num_elements() == 0 {
        return x;
    }
    written("scatter", x, |x| {
        let (dim, indices) = (dim as i64, indices.tch());
        match update {
            IndexUpdate::Assign if on_gpu => return last_wins(x, dim, indices, value.tch()),
            IndexUpdate::Assign => drop(x.f_scatter_(dim, indices, value.tch())?),
            IndexUpdate::Add => drop(x.f_scatter_add_(dim, indices, value.tch())?),
            IndexUpdate::Multiply => {
                drop(x.f_internal_scatter_reduce_(dim, indices, value.tch(), "prod", true)?);
            }
            IndexUpdate::Min | IndexUpdate::Max => extremes(x, dtype, dim, indices, &value, update)?,
        }
        narrow(dtype, x)
    })
}

/// Writes the last of several values for one index, where the kernel takes any: the largest position wins,
/// whoever is first.
fn last_wins(x: &mut Tensor, dim: i64, indices: &Tensor, value: &Tensor) -> Result<()> {
    let sizes = indices.size();
    let along = |d: usize| d as i64 == dim;
    let column: Vec<i64> =
        sizes.iter().enumerate().map(|(d, &size)| if along(d) { size } else { 1 }).collect();
    let places = (Kind::Int64, x.device());
    let position =
        Tensor::f_arange(sizes[dim as usize], places)?.f_reshape(&column)?.f_expand(&sizes, false)?;
    let mut part = x.shallow_clone();
    for (d, &size) in sizes.iter().enumerate().filter(|&(d, _)| !along(d)) {
        part = part.f_narrow(d as i64, 0, size)?;
    }
    let mut last = Tensor::f_full(part.size(), -1, places)?;
    drop(last.f_internal_scatter_reduce_(dim, indices, &position, "amax", true)?);
    let found = value.f_gather(dim, &last.f_clamp_min(0)?, false)?;
    let found = found.f_where_self(&last.f_ge(0)?, &part)?;
    part.f_copy_(&found)
}

fn extremes(
    x: &mut Tensor,
    dtype: DType,
    dim: i64,
    indices: &Tensor,
    value: &TchTensor,
    update: IndexUpdate,
) -> Result<()> {
    let function = if update == IndexUpdate::Min { "amin" } else { "amax" };
    let turn =
        |x: &mut Tensor| if dtype == DType::U64 { x.f_bitwise_xor_(i64::MIN).map(drop) } else { Ok(()) };
    turn(x)?;
    drop(x.f_internal_scatter_reduce_(dim, indices, &by_order(dtype, value.tch())?, function, true)?);
    turn(x)
}

#[track_caller]
pub fn select_assign(
    x: TchTensor,
    dim: usize,
    indices: TchTensor,
    value: TchTensor,
    update: IndexUpdate,
) -> TchTensor {
    let (dtype, shape) = (x.dtype(), value.shape());
    let indices = checked("select_assign", indices, &x.spec().shape, dim);
    if shape.num_elements() == 0 {
        return x;
    }
    match update {
        IndexUpdate::Add => written("index_add", x, |x| {
            drop(x.f_index_add_(dim as i64, indices.tch(), value.tch())?);
            narrow(dtype, x)
        }),
        // `index_copy` takes any of several values for one index.
        IndexUpdate::Assign | IndexUpdate::Multiply | IndexUpdate::Min | IndexUpdate::Max => {
            scatter(x, dim, everywhere(indices, dim, shape), value, update)
        }
    }
}

/// The same list of indices along `dim` everywhere in `shape`.
fn everywhere(list: TchTensor, dim: usize, shape: Shape) -> TchTensor {
    let column: Shape = (0..shape.rank()).map(|d| if d == dim { shape[d] } else { 1 }).collect();
    layout::expand(layout::reshape(list, column), shape)
}
