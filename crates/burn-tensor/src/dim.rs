use crate::TensorError;
use burn_backend::Dims;

/// Dimension index: from the front, or negative from the end.
pub trait AsDim: Copy {
    fn as_isize(self) -> isize;

    /// Returns the non-negative dimension.
    ///
    /// # Errors
    /// When it does not exist.
    #[track_caller]
    fn resolve(self, operation: &'static str, shape: &[usize]) -> Result<usize, TensorError> {
        resolve(self.as_isize(), operation, shape)
    }
}

/// Resolves each of `dims` to a non-negative one. A loop, since a closure would report a line of this crate.
#[track_caller]
pub(crate) fn resolve_all<I: AsDim>(
    dims: &[I],
    operation: &'static str,
    shape: &[usize],
) -> Result<Dims, TensorError> {
    let mut front: Dims = Dims::repeat(0, dims.len());
    for (front, dim) in front.iter_mut().zip(dims) {
        *front = dim.resolve(operation, shape)?;
    }
    Ok(front)
}

#[track_caller]
#[inline(never)]
fn resolve(dim: isize, operation: &'static str, shape: &[usize]) -> Result<usize, TensorError> {
    let rank = shape.len();
    let front = if dim < 0 { dim.checked_add_unsigned(rank) } else { Some(dim) };
    match front.and_then(|dim| usize::try_from(dim).ok()) {
        Some(dim) if dim < rank => Ok(dim),
        Some(_) | None => Err(TensorError::argument(
            operation,
            format_args!("dimension {dim} does not exist in {shape:?} (rank {rank})"),
        )),
    }
}

macro_rules! as_dim {
    ($($ty:ty)*) => {$(
        impl AsDim for $ty {
            fn as_isize(self) -> isize {
                isize::try_from(self).unwrap_or(isize::MAX)
            }
        }
    )*};
}
as_dim!(i32 i64 isize usize u32 u64);
