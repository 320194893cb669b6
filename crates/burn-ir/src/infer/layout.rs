use super::require::{Result, argument, broadcast_shapes, dim_of, require, same_dtype};
use crate::OpErrorKind as Kind;
use crate::{Dims, HasSpec, Shape, Slice, TensorSpec};
use alloc::boxed::Box;
use alloc::format;

pub fn permute(x: &TensorSpec, axes: &Dims) -> Result<TensorSpec> {
    let rank = x.shape.rank();
    let valid = axes.len() == rank && (0..rank).all(|d| axes.contains(&d));
    argument(valid, || format!("axes {axes:?} are not a permutation of the dimensions of {:?}", x.shape))?;
    Ok(TensorSpec { shape: axes.iter().map(|&a| x.shape[a]).collect(), dtype: x.dtype })
}

pub fn reshape(x: &TensorSpec, shape: &Shape) -> Result<TensorSpec> {
    let fits = shape.checked_num_elements() == Some(x.shape.num_elements());
    require(fits, || Kind::Elements { from: x.shape.clone(), to: shape.clone() })?;
    Ok(TensorSpec { shape: shape.clone(), dtype: x.dtype })
}

pub fn expand(x: &TensorSpec, shape: &Shape) -> Result<TensorSpec> {
    let fits = x.shape.rank() <= shape.rank() && broadcast_shapes(&x.shape, shape)? == *shape;
    require(fits, || Kind::Shapes {
        what: "the first does not expand to the second",
        lhs: x.shape.clone(),
        rhs: shape.clone(),
    })?;
    Ok(TensorSpec { shape: shape.clone(), dtype: x.dtype })
}

pub fn slice(x: &TensorSpec, slices: &[Slice]) -> Result<TensorSpec> {
    let rank = x.shape.rank();
    argument(slices.len() <= rank, || {
        format!("{} ranges for {:?}, which has {rank} dimensions", slices.len(), x.shape)
    })?;
    let mut spec = x.clone();
    for (dim, slice) in slices.iter().enumerate() {
        argument(slice.step > 0, || {
            format!("the step along dimension {dim} of {:?} is 0, but has to be at least 1", x.shape)
        })?;
        require(slice.end <= x.shape[dim], || Kind::Range { dim, end: slice.end, shape: x.shape.clone() })?;
        spec.shape[dim] = slice.len();
    }
    Ok(spec)
}

pub fn cat<T: HasSpec>(xs: &[T], dim: usize) -> Result<TensorSpec> {
    let Some(first) = xs.first().map(HasSpec::spec) else {
        return Err(Box::new(Kind::Argument("needs at least one tensor".into())));
    };
    dim_of(dim, first)?;
    let mut total = 0_usize;
    for (position, x) in xs.iter().map(HasSpec::spec).enumerate() {
        same_dtype(first, x)?;
        let differs = |d: usize| d != dim && x.shape[d] != first.shape[d];
        let same_rank = x.shape.rank() == first.shape.rank();
        argument(same_rank, || {
            format!("ranks differ: {:?} of tensor 0 and {:?} of tensor {position}", first.shape, x.shape)
        })?;
        let offending = (0..first.shape.rank()).find(|&d| differs(d));
        argument(offending.is_none(), || {
            let d = offending.unwrap_or_default();
            format!(
                "shapes {:?} of tensor 0 and {:?} of tensor {position} differ at dimension {d}, which is not the \
                 joined one ({dim}): {} and {}",
                first.shape, x.shape, first.shape[d], x.shape[d]
            )
        })?;
        let sum = total.checked_add(x.shape[dim]);
        argument(sum.is_some(), || format!("the sizes along dimension {dim} add up beyond any memory"))?;
        total = sum.unwrap_or_default();
    }
    Ok(TensorSpec { shape: first.shape.with(dim, total), dtype: first.dtype })
}

pub fn repeat(x: &TensorSpec, dim: usize, times: usize) -> Result<TensorSpec> {
    let size = x.shape[dim_of(dim, x)?].checked_mul(times);
    argument(size.is_some(), || {
        format!("{times} times dimension {dim} of {:?} is larger than any memory", x.shape)
    })?;
    Ok(TensorSpec { shape: x.shape.with(dim, size.unwrap_or_default()), dtype: x.dtype })
}
