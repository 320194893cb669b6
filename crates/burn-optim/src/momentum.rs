//! Momentum of [`Sgd`](crate::Sgd).

use burn_core::config::Config;

/// Steps along a moving sum of gradients rather than the gradient alone.
///
/// ```
/// use burn_optim::{MomentumConfig, SgdConfig};
///
/// let momentum = MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: true };
/// let optimizer = SgdConfig::new().with_momentum(Some(momentum)).init();
/// # let _ = optimizer;
/// ```
#[derive(Config, Copy, Debug, PartialEq)]
pub struct MomentumConfig {
    /// The share of the sum that stays at each step.
    #[config(default = 0.9)]
    pub momentum: f64,
    /// The share of the gradient that is left out of the sum, except in the first step.
    #[config(default = 0.0)]
    pub dampening: f64,
    /// Whether to look ahead (Nesterov 1983).
    #[config(default = false)]
    pub nesterov: bool,
}
