use burn_core::record::RecordError;
use burn_ir::DataError;
use burn_tensor::TensorError;
use core::fmt;
use std::time::Duration;

/// Error of a collective, which names the rank, the operation and what to do.
///
/// An error of one rank ends the call on all ranks: those whose own arguments are right get
/// [`RankFailed`](Self::RankFailed). A wrong argument, or a tensor that cannot be read, ends one call. After
/// other errors the ranks may be at different calls, so every later call of the communicator returns the same
/// error.
///
/// ```
/// use burn::collective::{CollectiveError, Local};
///
/// let error = Local::new(0).unwrap_err();
/// assert!(matches!(error, CollectiveError::Argument { argument: "world_size", .. }));
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum CollectiveError {
    /// An argument of this rank is wrong.
    Argument {
        /// Name of the collective.
        operation: String,
        /// Rank that gave the argument.
        rank: usize,
        /// Name of the argument.
        argument: &'static str,
        /// Values that are right.
        expected: String,
        /// Value that was given.
        found: String,
    },
    /// Ranks called different collectives, or the same one with different arguments.
    Disagreement {
        /// Name of the collective that rank 0 called.
        operation: String,
        /// Lowest rank that differs from rank 0.
        rank: usize,
        /// Field in which they differ: `operation`, `dtype`, `shape`, ..
        field: String,
        /// Value of rank 0.
        expected: String,
        /// Value of `rank`.
        found: String,
    },
    /// A rank ended (its program returned or panicked) while others were in a collective.
    RankEnded {
        /// Name of the collective that waits for the rank.
        operation: String,
        /// Rank that ended.
        rank: usize,
    },
    /// Another rank has an error of its own.
    RankFailed {
        /// Name of the collective that waits for the rank.
        operation: String,
        /// Rank that failed.
        rank: usize,
        /// Error of that rank.
        message: String,
    },
    /// Ranks did not arrive within the timeout.
    Timeout {
        /// Name of the collective.
        operation: String,
        /// Rank that waited.
        rank: usize,
        /// Ranks that did not arrive.
        missing: Vec<usize>,
        /// Time that was waited.
        timeout: Duration,
    },
    /// The launcher asked this process to end (`SIGTERM`) while it was in a collective, as it does when
    /// another process died.
    Terminated {
        /// Name of the collective.
        operation: String,
        /// Rank that was asked to end.
        rank: usize,
        /// Ranks that it waited for.
        missing: Vec<usize>,
    },
    /// A tensor cannot be read, or there is no memory for a result.
    Data {
        /// Name of the collective.
        operation: String,
        /// Rank of the tensor.
        rank: usize,
        /// Error of the tensor.
        source: DataError,
    },
    /// Tensors of this rank do not fit the layer or each other.
    Tensor {
        /// Name of the layer.
        operation: String,
        /// Rank of the tensors.
        rank: usize,
        /// Error of the tensors.
        source: TensorError,
    },
    /// A record of a checkpoint does not fit, or cannot be written.
    Record {
        /// Name of the type whose state it is.
        operation: String,
        /// Rank of the record.
        rank: usize,
        /// Error of the record.
        source: Box<RecordError>,
    },
    /// An environment variable is missing or wrong.
    Environment {
        /// Name of the variable.
        variable: &'static str,
        /// Values that are right.
        expected: String,
        /// Value of the variable, if it is set.
        found: Option<String>,
    },
    /// The library of the engine, or the operating system, refused a call.
    Library {
        /// Name of the collective, or of the function that starts ranks.
        operation: String,
        /// Rank of the call.
        rank: usize,
        /// Text of the library.
        message: String,
    },
}

burn_ir::debug_as_display!(CollectiveError);

impl core::error::Error for CollectiveError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            CollectiveError::Data { source, .. } => Some(source),
            CollectiveError::Tensor { source, .. } => Some(source),
            CollectiveError::Record { source, .. } => Some(source),
            CollectiveError::Argument { .. }
            | CollectiveError::Disagreement { .. }
            | CollectiveError::RankEnded { .. }
            | CollectiveError::RankFailed { .. }
            | CollectiveError::Timeout { .. }
            | CollectiveError::Terminated { .. }
            | CollectiveError::Environment { .. }
            | CollectiveError::Library { .. } => None,
        }
    }
}

impl fmt::Display for CollectiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollectiveError::Argument { operation, rank, argument, expected, found } => write!(
                f,
                "{operation}: rank {rank} gave a wrong {argument}; expected {expected}, got {found}. Correct the argument"
            ),
            CollectiveError::Disagreement { operation, rank, field, expected, found } => write!(
                f,
                "{operation}: ranks differ in the {field}; expected {expected} as on rank 0, got {found} on rank {rank}. \
                 Call the same collectives in the same order, with equal {field}, on every rank"
            ),
            CollectiveError::RankEnded { operation, rank } => write!(
                f,
                "{operation}: rank {rank} ended before this call; expected the call on every rank, got none from rank \
                 {rank}. Look for the error of that rank, or call the collective there too"
            ),
            CollectiveError::RankFailed { operation, rank, message } => {
                write!(f, "{operation}: rank {rank} failed: {message}")
            }
            CollectiveError::Timeout { operation, rank, missing, timeout } => write!(
                f,
                "{operation}: rank {rank} waited {timeout:?} for ranks that did not arrive; expected all ranks, got none \
                 of {missing:?}. Look for what these ranks wait for, or raise the timeout by `Communicator::set_timeout`"
            ),
            CollectiveError::Terminated { operation, rank, missing } => write!(
                f,
                "{operation}: rank {rank} was asked to end (SIGTERM) while it waited; expected all ranks, got none of \
                 {missing:?}. Look for the error of the rank that ended first"
            ),
            CollectiveError::Data { operation, rank, .. } => write!(
                f,
                "{operation}: the tensor of rank {rank} cannot be moved. Use smaller tensors, or see the cause"
            ),
            CollectiveError::Tensor { operation, rank, source } => {
                write!(
                    f,
                    "{operation}: rank {rank} gave wrong tensors; {source}. Correct them on rank {rank}"
                )
            }
            CollectiveError::Record { operation, rank, source } => write!(
                f,
                "{operation}: the record of rank {rank} does not fit; {source}. Give the records of this model and optimizer"
            ),
            CollectiveError::Environment { variable, expected, found } => write!(
                f,
                "environment: variable {variable}: expected {expected}, got {}. Set the variable, or start the program by a launcher",
                found.as_deref().unwrap_or("nothing")
            ),
            CollectiveError::Library { operation, rank, message } => {
                write!(f, "{operation}: rank {rank}: {message}")
            }
        }
    }
}
