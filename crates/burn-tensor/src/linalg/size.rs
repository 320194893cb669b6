//! Sizes of matrices, and their parts.

use crate::check::ensure;
use crate::{Tensor, TensorError, TensorKind};
use burn_backend::ops::transpose;
use burn_backend::{Backend, DType, HasSpec, Shape, Slice, Slices};
use core::ops::Range;

/// Returns the rows and columns of the last two dimensions.
#[track_caller]
pub fn matrices(operation: &'static str, shape: &[usize]) -> Result<(usize, usize), TensorError> {
    let rank = shape.len();
    ensure!(rank >= 2, operation, "needs matrices, at least rank 2, found {shape:?} (rank {rank})");
    Ok((shape[rank - 2], shape[rank - 1]))
}

/// Returns the rows of square matrices.
#[track_caller]
pub fn square(operation: &'static str, shape: &[usize]) -> Result<usize, TensorError> {
    let (rows, cols) = matrices(operation, shape)?;
    ensure!(
        rows == cols,
        operation,
        "needs square matrices, found {shape:?}: {rows} rows and {cols} columns"
    );
    Ok(rows)
}

/// Wraps `handle` as a tensor of rank `E`, which must be that of its shape.
#[track_caller]
pub fn ranked<B: Backend, const E: usize, K: TensorKind>(
    operation: &'static str,
    handle: B::Tensor,
) -> Result<Tensor<B, E, K>, TensorError> {
    let shape = &handle.spec().shape;
    ensure!(
        shape.rank() == E,
        operation,
        "a result of shape {shape:?} was asked for as a tensor of rank {E}"
    );
    Ok(Tensor::from_handle(handle))
}

/// Returns one number for each matrix of a batch: of the shape of the batch, or with a 1 after it where rank
/// `E` asks for that.
#[track_caller]
pub fn numbers<B: Backend, const E: usize, K: TensorKind>(
    operation: &'static str,
    handle: B::Tensor,
    batch: &[usize],
) -> Result<Tensor<B, E, K>, TensorError> {
    let rank = batch.len();
    ensure!(
        E == rank || E == rank + 1,
        operation,
        "one number for each matrix of {batch:?} has rank {rank}, or {} with a dimension of 1 behind, not {E}",
        rank + 1
    );
    let shape: Shape = batch.iter().copied().chain((E > rank).then_some(1)).collect();
    Ok(Tensor::from_handle(B::reshape(handle, shape)))
}

/// Returns a block of these rows and columns.
pub fn block<B: Backend>(x: &B::Tensor, rows: Range<usize>, cols: Range<usize>) -> B::Tensor {
    let shape = &x.spec().shape;
    let rank = shape.rank();
    let mut slices: Slices = shape.iter().map(|&size| Slice::from(0..size)).collect();
    slices[rank - 2] = rows.into();
    slices[rank - 1] = cols.into();
    B::slice(x.clone(), slices)
}

/// Returns these rows of each matrix.
pub fn rows<B: Backend>(x: &B::Tensor, rows: Range<usize>) -> B::Tensor {
    let cols = x.spec().shape[x.spec().shape.rank() - 1];
    block::<B>(x, rows, 0..cols)
}

/// Returns a single row of each matrix, as a list.
pub fn row<B: Backend>(x: &B::Tensor, row: usize) -> B::Tensor {
    let part = rows::<B>(x, row..row + 1);
    let shape = part.shape();
    let list = shape[..shape.rank() - 2].iter().chain(&shape[shape.rank() - 1..]).copied().collect();
    B::reshape(part, list)
}

/// Returns these rows, as columns.
pub fn columns_of<B: Backend>(x: &B::Tensor, range: Range<usize>) -> B::Tensor {
    transpose::<B>(rows::<B>(x, range))
}

/// Returns the distance of 1 from the next larger number.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => f64::from(f32::EPSILON),
        DType::F16 => f64::from(burn_backend::f16::EPSILON),
        DType::BF16 => f64::from(burn_backend::bf16::EPSILON),
        DType::F64 | DType::I64 | DType::I32 | DType::I16 | DType::I8 => f64::EPSILON,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => f64::EPSILON,
    }
}
