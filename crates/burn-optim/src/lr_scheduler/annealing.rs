use burn_core::config::Config;
use core::f64::consts::PI;

/// Curve from one learning rate to another.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum AnnealStrategy {
    /// Half a cosine.
    Cosine,
    /// A straight line.
    Linear,
}

impl AnnealStrategy {
    /// Returns the learning rate at `share` of the way, in `[0, 1]`.
    pub(super) fn between(self, from: f64, to: f64, share: f64) -> f64 {
        match self {
            AnnealStrategy::Cosine => to + (from - to) * (1.0 + libm::cos(PI * share)) / 2.0,
            AnnealStrategy::Linear => from + (to - from) * share,
        }
    }
}
