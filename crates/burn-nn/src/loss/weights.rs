use alloc::format;
use burn_core::config::{ConfigError, FieldCheck};

/// Refuses weights of classes that are negative, infinite or NaN.
pub fn check_weights(check: FieldCheck, weights: Option<&[f64]>) -> Result<(), ConfigError> {
    let mut weights = weights.unwrap_or_default().iter().enumerate();
    weights.try_for_each(|(class, &weight)| check.not_negative(&format!("weights[{class}]"), weight))
}
