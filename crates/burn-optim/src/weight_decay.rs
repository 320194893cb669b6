use crate::formula::Value;
use burn_core::config::Config;

/// Pulls parameters toward zero: `penalty` times the parameter is added to its gradient, which is the gradient of
/// `penalty / 2` times the sum of squares.
#[derive(Config, Copy, Debug, PartialEq)]
pub struct WeightDecayConfig {
    /// The factor.
    pub penalty: f64,
}

/// The gradient with what a decay adds.
pub fn decayed<'f>(grad: Value<'f>, x: Value<'f>, decay: Option<WeightDecayConfig>) -> Value<'f> {
    match decay {
        Some(WeightDecayConfig { penalty }) => grad + x * penalty,
        None => grad,
    }
}
