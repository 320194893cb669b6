//! Checks of requests beyond shape inference.

use crate::wire::Failure;
use burn_backend::{Creation, TensorSpec};

/// Largest rank of a tensor: with more dimensions, headers would be larger than the elements.
const RANK: usize = 64;

fn require(ok: bool, what: impl FnOnce() -> String) -> Result<(), Failure> {
    if ok { Ok(()) } else { Err(Failure::Refused(what())) }
}

/// # Errors
/// When there are too many dimensions.
pub fn rank(spec: &TensorSpec) -> Result<(), Failure> {
    require(spec.shape.rank() <= RANK, || format!("{} dimensions are more than {RANK}", spec.shape.rank()))
}

/// # Errors
/// When no memory holds the tensor.
pub fn spec(spec: &TensorSpec) -> Result<(), Failure> {
    rank(spec)?;
    let sizes = spec.shape.iter().try_fold(spec.dtype.size(), |bytes, &size| bytes.checked_mul(size.max(1)));
    let fits = sizes.is_some_and(|bytes| isize::try_from(bytes).is_ok());
    require(fits, || format!("a tensor of shape {:?} is larger than any memory", spec.shape))
}

/// # Errors
/// When the creation has no meaning.
pub fn creation(creation: &Creation) -> Result<(), Failure> {
    spec(&creation.spec())?;
    match creation {
        Creation::Data(_) | Creation::Full { .. } => Ok(()),
        Creation::Range { spec, .. } => {
            let ranges = spec.shape.rank() == 1 && (spec.dtype.is_int() || spec.dtype.is_float());
            require(ranges, || format!("a range of {} with shape {:?}", spec.dtype, spec.shape))
        }
        Creation::Random { spec, distribution } => {
            distribution.check(spec.dtype).map_err(|error| Failure::Refused(error.to_string()))
        }
    }
}
