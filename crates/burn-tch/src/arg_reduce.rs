//! Extreme values and where they are: of equals the first, and the first NaN if there is one.

use crate::compare::by_order;
use crate::library::Torch;
use crate::tensor::TchTensor;
use crate::{cast, kernel};
use burn_backend::{DType, Extremum, HasSpec, TensorSpec};
use burn_library_backend::Kernels;
use tch::{Kind, TchError, Tensor};

fn extremes(op: Extremum, x: &Tensor, dim: usize) -> Result<(Tensor, Tensor), TchError> {
    match op {
        Extremum::Max => x.f_max_dim(dim as i64, true),
        Extremum::Min => x.f_min_dim(dim as i64, true),
    }
}

#[track_caller]
pub fn reduce_with_indices(op: Extremum, x: TchTensor, dim: usize, index: DType) -> (TchTensor, TchTensor) {
    let dtype = x.dtype();
    let shape = x.spec().shape.with(dim, 1);
    let specs = [TensorSpec { shape: shape.clone(), dtype }, TensorSpec { shape, dtype: DType::I64 }];
    let (values, places) = kernel::two("extremes", x.device(), specs, || {
        let (values, places) = extremes(op, &by_order(dtype, x.tch())?, dim)?;
        Ok((by_order(dtype, &values)?, places))
    });
    (values, cast::cast(places, index))
}

#[track_caller]
pub fn arg_reduce(op: Extremum, x: TchTensor, dim: usize, index: DType) -> TchTensor {
    let dtype = x.dtype();
    let spec = TensorSpec { shape: x.spec().shape.with(dim, 1), dtype: DType::I64 };
    let places = Torch::run("arg_reduce", x.device(), spec, || {
        let ordered = by_order(dtype, x.tch())?;
        let x = if dtype == DType::Bool { ordered.f_to_kind(Kind::Uint8)? } else { ordered };
        Ok(extremes(op, &x, dim)?.1)
    });
    cast::cast(places, index)
}
