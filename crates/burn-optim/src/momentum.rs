//! Momentum of [`Sgd`](crate::Sgd).

use burn_core::config::{Config, ConfigError, FieldCheck};

/// Momentum: steps along a running sum of gradients.
///
/// ```
/// use burn::optim::{MomentumConfig, SgdConfig};
///
/// let momentum = MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: true };
/// let optimizer = SgdConfig::new().with_momentum(Some(momentum)).init();
/// # let _ = optimizer;
/// ```
#[derive(Config, Copy, Debug, PartialEq)]
pub struct MomentumConfig {
    /// Factor of the velocity at each step; at least 0.
    #[config(default = 0.9)]
    pub momentum: f64,
    /// Dampening: `1 - dampening` times the gradient is added to the velocity, except in the first step.
    #[config(default = 0.0)]
    pub dampening: f64,
    /// Whether to use Nesterov momentum (Nesterov 1983), which needs `momentum > 0` and `dampening == 0`.
    #[config(default = false)]
    pub nesterov: bool,
}

impl MomentumConfig {
    /// Checks the field `momentum` of an optimizer's config.
    pub(crate) fn validate(momentum: Option<Self>, check: FieldCheck) -> Result<(), ConfigError> {
        let Some(Self { momentum, dampening, nesterov }) = momentum else { return Ok(()) };
        check.not_negative("momentum.momentum", momentum)?;
        check.ensure(dampening.is_finite(), "momentum.dampening", &dampening, "a finite number")?;
        let fits = !nesterov || (momentum > 0.0 && dampening == 0.0);
        check.ensure(fits, "momentum.nesterov", &nesterov, "false without momentum or with dampening")
    }
}
