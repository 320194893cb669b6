use crate::{Float, Tensor, TensorError};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::{Backend, HasSpec, Shape};

/// Checks that every matrix of `result` exists: its first element is NaN where there is no result. The
/// error's reason comes from `x`, the operand matrices.
#[track_caller]
pub fn exists<B: Backend>(
    operation: &'static str,
    result: &B::Tensor,
    x: &B::Tensor,
    reason: &'static str,
) -> Result<(), TensorError> {
    let Some(index) = first_nan::<B>(result)? else { return Ok(()) };
    let shape = x.shape();
    let (batch, size) = (&shape[..shape.rank() - 2], shape[shape.rank() - 2] * shape[shape.rank() - 1]);
    let values = read::<B>(B::detach(x.clone()))?;
    let is_finite = values.iter().skip(index * size).take(size).all(|value| value.is_finite());
    let reason = if is_finite { reason } else { "has an element that is not finite" };
    Err(TensorError::argument(operation, format_args!("the matrix{} {reason}", place(batch, index))))
}

/// Returns the index of the first matrix of a batch without a result.
#[track_caller]
pub fn first_nan<B: Backend>(result: &B::Tensor) -> Result<Option<usize>, TensorError> {
    if result.spec().shape.num_elements() == 0 {
        return Ok(None);
    }
    let corners = super::size::block::<B>(&B::detach(result.clone()), 0..1, 0..1);
    Ok(read::<B>(corners)?.iter().position(|value| value.is_nan()))
}

#[track_caller]
pub fn read<B: Backend>(x: B::Tensor) -> Result<Vec<f64>, TensorError> {
    let count = x.spec().shape.num_elements();
    let list = Tensor::<B, 1, Float>::from_handle(B::reshape(x, Shape::from([count])));
    Ok(list.try_into_data()?.to_f64())
}

/// Formats the position of a matrix in its batch.
fn place(batch: &[usize], index: usize) -> String {
    let mut rest = index;
    let mut at: Vec<usize> = Vec::new();
    for &size in batch.iter().rev() {
        at.insert(0, rest % size);
        rest /= size;
    }
    match &at[..] {
        [] => String::new(),
        [at] => format!(" at batch index {at}"),
        at => format!(" at batch index {at:?}"),
    }
}
