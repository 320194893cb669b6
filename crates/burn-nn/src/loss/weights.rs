use alloc::format;
use burn_core::config::{ConfigError, FieldCheck};

/// Refuses class weights that are negative, infinite or NaN.
pub fn check_weights(check: FieldCheck, field: &str, weights: Option<&[f64]>) -> Result<(), ConfigError> {
    let mut weights = weights.unwrap_or_default().iter().enumerate();
    weights.try_for_each(|(class, &weight)| check.not_negative(&format!("{field}[{class}]"), weight))
}
