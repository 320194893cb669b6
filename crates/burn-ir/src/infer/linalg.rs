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

#[cfg(feature = "test-operation")]
pub fn bilinear<T: crate::HasSpec>(args: &crate::BilinearArgs<T>) -> Result<TensorSpec> {
    let (lhs, rhs, weight) = (args.lhs.spec(), args.rhs.spec(), args.weight.spec());
    same_dtype(float(lhs)?, rhs)?;
    same_dtype(lhs, weight)?;
    let (&[rows, left], &[others, right], &[out, ..]) = (&lhs.shape[..], &rhs.shape[..], &weight.shape[..])
    else {
        return Err(Box::new(Kind::Argument("needs two matrices and a weight of rank 3".into())));
    };
    argument(rows == others, || format!("{rows} rows on the left and {others} on the right"))?;
    argument(weight.shape[..] == [out, left, right], || {
        format!("a weight of shape {:?} for {left} columns by {right}", weight.shape)
    })?;
    if let Some(bias) = args.bias.as_ref().map(crate::HasSpec::spec) {
        same_dtype(lhs, bias)?;
        argument(bias.shape[..] == [out], || format!("a bias of shape {:?} for {out} sums", bias.shape))?;
    }
    Ok(TensorSpec { shape: [rows, out].into(), dtype: lhs.dtype })
}
