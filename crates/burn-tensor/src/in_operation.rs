use crate::TensorError;
use burn_backend::{Backend, kernel_error, module_scope};

/// Calls `call` as one operation, which its errors are named after: an error in it, also one that a panicking
/// form such as [`Tensor::add`](crate::Tensor::add) would panic with, is reported as one of `operation` at
/// the caller's line.
///
/// Layers and functions that are made of operations name themselves with it; where they are nested, the
/// outermost name is reported. Other panics pass through, and so does everything where panics abort. User
/// code should not run in it, so that its errors are reported at their own lines.
///
/// ```
/// use burn::tensor::ops::try_in_operation;
/// use burn::tensor::{Tensor, TensorError, backend::Backend};
///
/// /// `[batch, features]` and `[features]`.
/// #[track_caller]
/// fn scaled<B: Backend>(x: Tensor<B, 2>, scale: Tensor<B, 1>) -> Result<Tensor<B, 2>, TensorError> {
///     // `scaled: shapes [2, 3] and [1, 4] do not broadcast: ..` at the line of who calls `scaled`.
///     try_in_operation("scaled", || x.try_mul(scale.unsqueeze()))
/// }
/// ```
///
/// # Errors
/// Those of `call`.
#[track_caller]
pub fn try_in_operation<T>(
    operation: &'static str,
    call: impl FnOnce() -> Result<T, TensorError>,
) -> Result<T, TensorError> {
    let mut call = Some(call);
    value_or_error(operation, &mut |value| match call.take()?() {
        Ok(result) => {
            *value = Some(result);
            None
        }
        Err(error) => Some(error),
    })
}

/// Runs a call that writes its value or returns its error. Programs compile it once for a type of results,
/// not for each operation; the value is written in place, since a tensor is ten words.
#[track_caller]
#[inline(never)]
fn value_or_error<T>(
    operation: &'static str,
    call: &mut dyn FnMut(&mut Option<T>) -> Option<TensorError>,
) -> Result<T, TensorError> {
    let mut value = None;
    match run(operation, &mut || call(&mut value)) {
        Some(error) => Err(error),
        None => Ok(value.expect("a call gives a value or an error")),
    }
}

/// [`try_in_operation`] for what is written with the panicking forms.
///
/// # Panics
/// With the error that `call` would panic with, as one of `operation`, at the caller's line.
#[track_caller]
pub fn in_operation<T>(operation: &'static str, call: impl FnOnce() -> T) -> T {
    expect_in_operation(operation, || Ok(call()))
}

/// [`try_in_operation`] that panics with the error, at the caller's line.
#[track_caller]
pub(crate) fn expect_in_operation<T>(
    operation: &'static str,
    call: impl FnOnce() -> Result<T, TensorError>,
) -> T {
    match try_in_operation(operation, call) {
        Ok(value) => value,
        Err(error) => error.raise(),
    }
}

/// [`try_in_operation`] of a call that gives one tensor: programs compile it once for a backend.
#[track_caller]
pub(crate) fn tensor_or_error<B: Backend>(
    operation: &'static str,
    call: &mut dyn FnMut() -> B::Tensor,
) -> Result<B::Tensor, TensorError> {
    value_or_error(operation, &mut |value| {
        *value = Some(call());
        None
    })
}

/// Runs the call. Not generic: programs would compile it for each operation.
#[track_caller]
#[inline(never)]
fn run(operation: &'static str, call: &mut dyn FnMut() -> Option<TensorError>) -> Option<TensorError> {
    let _scope = module_scope::layer(operation);
    let mut error = None;
    let caught = kernel_error::catch(&mut || error = call());
    // No closure: it would hide the caller.
    match (caught, error) {
        (Ok(()), None) => None,
        (Ok(()), Some(error)) => Some(error.in_operation(operation)),
        (Err(error), _) => Some(TensorError::raised(error).in_operation(operation)),
    }
}
