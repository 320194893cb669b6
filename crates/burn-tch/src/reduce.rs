//! Reductions.

use crate::compare::by_order;
use crate::create;
use crate::dtype::{narrowed, stored};
use crate::library::Torch;
use crate::memory::in_order;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use burn_backend::{DType, Dims, HasSpec, Operation, ReduceOp, Reduction, Scalar};
use burn_library_backend::{Kernels, result, with_dtype};
use tch::Kind;

/// Whether sums and functions are computed in `f32`, and rounded at the end.
pub fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// The order in which LibTorch adds follows from where elements lie, so they are put in order: views have the
/// sums of their copies.
#[track_caller]
pub fn reduce(op: ReduceOp, x: TchTensor, dims: Dims) -> TchTensor {
    let (dtype, spec) =
        (x.dtype(), result(&Operation::Reduction(Reduction::Reduce { op, x: &x, dims: dims.clone() })));
    // No dimensions are all of them for LibTorch.
    if dims.is_empty() {
        return x;
    }
    if x.spec().shape.num_elements() == 0 {
        let value = match op {
            ReduceOp::Mean => Scalar::Float(f64::NAN),
            ReduceOp::Prod | ReduceOp::All => Scalar::Int(1),
            ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::Any => Scalar::Int(0),
        };
        return create::full(spec, value, x.device());
    }
    Torch::run(op.name(), x.device(), spec, || {
        // Integers have one sum.
        let ordered = || if dtype.is_float() { in_order(x.tch()) } else { Ok(x.tch().shallow_clone()) };
        let list = sizes(&dims);
        // Halves are summed in `f32`, as which they are copied: their sum may be beyond what they hold.
        let wide = if is_half(dtype) { Kind::Float } else { stored(dtype) };
        if is_half(dtype) && matches!(op, ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod) {
            drop(Torch::take(&with_dtype(&x, DType::F32), x.device()));
        }
        match op {
            ReduceOp::Sum => {
                let sum = ordered()?.f_sum_dim_intlist(&list[..], true, wide)?;
                narrowed(dtype, sum.f_to_kind(stored(dtype))?)
            }
            ReduceOp::Mean => ordered()?.f_mean_dim(&list[..], true, wide)?.f_to_kind(stored(dtype)),
            ReduceOp::Prod => {
                let first = ordered()?.f_prod_dim_int(list[0], true, wide)?;
                let product =
                    list[1..].iter().try_fold(first, |x, &dim| x.f_prod_dim_int(dim, true, wide))?;
                narrowed(dtype, product.f_to_kind(stored(dtype))?)
            }
            ReduceOp::Max => by_order(dtype, &by_order(dtype, x.tch())?.f_amax(list, true)?),
            ReduceOp::Min => by_order(dtype, &by_order(dtype, x.tch())?.f_amin(list, true)?),
            ReduceOp::Any => x.tch().f_any_dims(&list[..], true),
            ReduceOp::All => x.tch().f_all_dims(&list[..], true),
        }
    })
}
