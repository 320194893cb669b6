use alloc::boxed::Box;
use alloc::string::{String, ToString};
use burn_backend::kernel_error::{self, KernelError};
use burn_backend::{BackwardError, DataError, OpError};
use core::fmt;
use core::panic::Location;

/// Error of a tensor operation: the cause, and the source location of the call.
///
/// Every operation has a form `try_..` that gives this error as a value; the form without `try_` panics with
/// the same message at the same line. Any of them can want more memory than there is:
/// [`OpErrorKind::Memory`](crate::ops::OpErrorKind::Memory).
///
/// ```
/// use burn::tensor::{Tensor, TensorError, backend::Backend};
/// fn sum<B: Backend>(x: Tensor<B, 2>, y: Tensor<B, 2>) -> Result<Tensor<B, 2>, TensorError> {
///     x.try_add(y)?.try_sum_dim(-1)
/// }
/// ```
#[derive(Clone, PartialEq)]
pub struct TensorError(Box<Failure>);

#[derive(Clone, PartialEq)]
struct Failure {
    cause: Cause,
    location: &'static Location<'static>,
}

#[derive(Clone, PartialEq)]
enum Cause {
    /// Shapes, dtypes or dimensions are invalid, by the inference of the operation.
    Call(OpError),
    /// An argument that never gets as far as that.
    Argument { operation: &'static str, message: String },
    /// The backward pass failed.
    Backward { operation: &'static str, error: BackwardError },
}

impl TensorError {
    /// Creates an error with `message` about the arguments of `operation`, at the caller's line.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub fn argument(operation: &'static str, message: fmt::Arguments<'_>) -> Self {
        Self::new(Cause::Argument { operation, message: message.to_string() })
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn data(operation: &'static str, error: &DataError) -> Self {
        Self::argument(operation, format_args!("{error}"))
    }

    #[track_caller]
    fn new(cause: Cause) -> Self {
        TensorError(Box::new(Failure { cause, location: Location::caller() }))
    }

    /// Returns the name of the called operation.
    pub fn operation(&self) -> &'static str {
        match &self.0.cause {
            Cause::Call(error) => error.op,
            Cause::Argument { operation, .. } | Cause::Backward { operation, .. } => operation,
        }
    }

    /// Renames the error to `operation`, at the caller's line: for operations, functions and layers that are
    /// made of others. See [`try_in_operation`](crate::ops::try_in_operation).
    ///
    /// ```
    /// use burn::tensor::{Tensor, TensorError, backend::Backend};
    /// fn residual<B: Backend>(x: Tensor<B, 2>, y: Tensor<B, 2>) -> Result<Tensor<B, 2>, TensorError> {
    ///     x.try_add(y).map_err(|error| error.in_operation("residual"))
    /// }
    /// ```
    #[cold]
    #[must_use]
    #[track_caller]
    pub fn in_operation(mut self, name: &'static str) -> Self {
        match &mut self.0.cause {
            Cause::Call(error) => error.op = name,
            Cause::Argument { operation, .. } | Cause::Backward { operation, .. } => *operation = name,
        }
        self.0.location = Location::caller();
        self
    }

    /// Wraps an error raised by a backend.
    #[track_caller]
    pub(crate) fn raised(error: KernelError) -> Self {
        let text = match error.downcast::<Raised>() {
            Ok(Raised(error)) => return error,
            Err(error) => match error.downcast::<OpError>() {
                Ok(error) => return Self::from(error),
                Err(error) => error.to_string(),
            },
        };
        Self::argument("kernel", format_args!("{text}"))
    }

    /// Returns the shape or dtype error, without the operation's name in front, when shape inference found
    /// it.
    pub fn call(&self) -> Option<&OpError> {
        match &self.0.cause {
            Cause::Call(error) => Some(error),
            Cause::Argument { .. } | Cause::Backward { .. } => None,
        }
    }

    /// Returns the error of the backward pass, if it is one.
    pub fn backward(&self) -> Option<&BackwardError> {
        match &self.0.cause {
            Cause::Backward { error, .. } => Some(error),
            Cause::Call(_) | Cause::Argument { .. } => None,
        }
    }

    /// Returns the source location of the call in the user's program.
    pub fn location(&self) -> &'static Location<'static> {
        self.0.location
    }

    /// Panics with this error; inside of an operation that gives its errors as values, ends that one with it.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub fn raise(self) -> ! {
        kernel_error::raise(Raised(self))
    }
}

impl From<OpError> for TensorError {
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn from(error: OpError) -> Self {
        Self::new(Cause::Call(error))
    }
}

impl From<BackwardError> for TensorError {
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn from(error: BackwardError) -> Self {
        Self::new(Cause::Backward { operation: "backward", error })
    }
}

impl core::error::Error for TensorError {}

/// The message without the line, which a panic adds itself.
struct Message<'a>(&'a Cause);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Cause::Call(error) => error.fmt(f),
            Cause::Argument { operation, message } => write!(f, "{operation}: {message}"),
            Cause::Backward { operation, error } => {
                let text = error.to_string();
                write!(f, "{operation}: {}", text.strip_prefix("backward: ").unwrap_or(&text))
            }
        }
    }
}

/// Panic payload of [`TensorError::raise`]; its text is the panic message.
struct Raised(TensorError);

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Message(&self.0.0.cause).fmt(f)
    }
}

impl fmt::Display for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", Message(&self.0.cause), self.0.location)
    }
}

impl fmt::Debug for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
