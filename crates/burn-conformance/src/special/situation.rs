use crate::{Family, Situation};
use burn_backend::DType;

pub fn situation(
    family: Family,
    operation: &'static str,
    dtype: DType,
    name: impl Into<String>,
) -> Situation {
    Situation { family, operation, dtype, name: name.into() }
}

/// # Errors
/// `what`, if the two differ.
pub fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}
