use super::require::{Result, argument, broadcast_shapes, float, indices_of, require, same_dtype};
use crate::OpErrorKind as Kind;
use crate::{DType, Factorization, Outputs, Shape, TensorSpec};
use alloc::boxed::Box;
use alloc::format;

/// Batch, rows and columns of float matrices.
fn matrices(x: &TensorSpec) -> Result<(&[usize], usize, usize)> {
    let [batch @ .., rows, cols] = &float(x)?.shape[..] else {
        return Err(Box::new(Kind::Rank { expected: 2, shape: x.shape.clone() }));
    };
    Ok((batch, *rows, *cols))
}

fn square(x: &TensorSpec) -> Result<()> {
    let (_, rows, cols) = matrices(x)?;
    require(rows == cols, || Kind::Square { shape: x.shape.clone() })
}

pub fn factorize(op: Factorization, x: &TensorSpec) -> Result<TensorSpec> {
    let (batch, rows, cols) = matrices(x)?;
    if op.needs_square() {
        square(x)?;
    }
    let size = op.result_size(rows, cols);
    argument(size.is_some(), || format!("the factors of {:?} are larger than any memory", x.shape))?;
    let (rows, cols) = size.unwrap_or_default();
    Ok(TensorSpec { shape: batch.iter().copied().chain([rows, cols]).collect(), dtype: x.dtype })
}

/// Infers the specs of an LU decomposition: the factors and the row permutation.
pub fn lu(x: &TensorSpec, index: DType) -> Result<Outputs<TensorSpec>> {
    let (batch, rows, _) = matrices(x)?;
    indices_of(rows, index)?;
    let order = TensorSpec { shape: batch.iter().copied().chain([rows]).collect(), dtype: index };
    Ok(Outputs::Two(x.clone(), order))
}

pub fn solve(a: &TensorSpec, b: &TensorSpec) -> Result<TensorSpec> {
    same_dtype(a, b)?;
    square(a)?;
    let ((a_batch, size, _), (b_batch, rows, cols)) = (matrices(a)?, matrices(b)?);
    require(size == rows, || Kind::Inner { lhs: a.shape.clone(), rhs: b.shape.clone() })?;
    let batch = broadcast_shapes(&Shape::from(a_batch), &Shape::from(b_batch))?;
    Ok(TensorSpec { shape: batch.iter().copied().chain([rows, cols]).collect(), dtype: a.dtype })
}
