//! Indices of dimensions as tensors, and other pieces that operators are composed of.

use crate::builder::Builder;
use crate::calls::Range;
use crate::error::{Outcome, fail};
use crate::value::{Expr, Tensor};
use burn_ir::DType;

/// A list, laid along one of `rank` dimensions, the others of size 1.
pub(super) fn along(b: &mut Builder, list: &Tensor, axis: usize, rank: usize) -> Outcome<Tensor> {
    let mut sizes = vec![Expr::Int(1); rank];
    let Some(size) = sizes.get_mut(axis) else { fail!("axis {axis} does not exist in rank {rank}") };
    *size = Expr::product(list.held_dims());
    if rank == 1 && list.held_dims().len() == 1 { Ok(list.clone()) } else { b.reshape(list, &sizes) }
}

/// `0, 1, .. size - 1` along one of `rank` dimensions.
pub(super) fn iota(b: &mut Builder, size: &Expr, axis: usize, rank: usize, dtype: DType) -> Outcome<Tensor> {
    let list = b.arange(Expr::Int(0), size.clone(), 1, DType::I64)?;
    let list = b.convert(&list, dtype)?;
    along(b, &list, axis, rank)
}

/// A range of one dimension.
pub(super) fn part(
    b: &mut Builder,
    x: &Tensor,
    axis: usize,
    start: impl Into<Expr>,
    end: impl Into<Expr>,
) -> Outcome<Tensor> {
    let (start, end) = (start.into(), end.into());
    if start.is(0) && end == x.held_dim(axis)? {
        return Ok(x.clone());
    }
    let mut ranges = vec![Range::full(); axis];
    ranges.push(Range::new(start, end));
    b.slice(x, &ranges)
}

/// One index of a dimension, which goes away.
pub(super) fn item(b: &mut Builder, x: &Tensor, axis: usize, index: impl Into<Expr>) -> Outcome<Tensor> {
    let index = index.into();
    let one = part(b, x, axis, index.clone(), index + 1)?;
    b.squeezed(&one, &[axis])
}

/// Each element of a dimension `times` times, one copy beside the other.
pub(super) fn repeat_interleave(b: &mut Builder, x: &Tensor, axis: usize, times: &Expr) -> Outcome<Tensor> {
    if times.is(1) {
        return Ok(x.clone());
    }
    let mut dims = x.held_dims().to_vec();
    let wide = b.unsqueeze_dims(x, &[axis + 1])?;
    dims.insert(axis + 1, times.clone());
    let wide = b.expand(&wide, &dims)?;
    dims.remove(axis + 1);
    dims[axis] = dims[axis].clone() * times.clone();
    b.reshape(&wide, &dims)
}

/// The smallest and the largest integer of an element type.
pub(super) fn integer_range(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::I32 => (i32::MIN.into(), i32::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::U64 => (0, i64::MAX),
        DType::U32 => (0, u32::MAX.into()),
        DType::U16 => (0, u16::MAX.into()),
        DType::U8 => (0, u8::MAX.into()),
        DType::Bool => (0, 1),
        DType::I64 | DType::F64 | DType::F32 | DType::F16 | DType::BF16 => (i64::MIN, i64::MAX),
    }
}
