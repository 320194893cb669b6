use crate::arithmetic::add_scaled;
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::Config;

/// Pulls parameters toward zero: `penalty` times the parameter is added to its gradient, which is the gradient of
/// `penalty / 2` times the sum of squares.
#[derive(Config, Copy, Debug, PartialEq)]
pub struct WeightDecayConfig {
    /// The factor.
    pub penalty: f64,
}

/// The gradient with what a decay adds.
pub fn decayed(grad: DynamicTensor, x: &DynamicTensor, decay: Option<WeightDecayConfig>) -> DynamicTensor {
    match decay {
        Some(WeightDecayConfig { penalty }) => add_scaled(grad, x.clone(), penalty),
        None => grad,
    }
}
