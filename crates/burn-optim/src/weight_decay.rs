use crate::formula::FormulaValue;
use burn_core::config::{Config, ConfigError, FieldCheck};

/// Weight decay as an L2 penalty: `penalty * x` is added to the gradient of `x`, which is the gradient of
/// `penalty / 2` times the sum of squares of the parameters.
#[derive(Config, Copy, Debug, PartialEq)]
pub struct WeightDecayConfig {
    /// Factor of the parameter; at least 0.
    pub penalty: f64,
}

impl WeightDecayConfig {
    /// Checks the field `weight_decay` of an optimizer's config.
    pub(crate) fn validate(weight_decay: Option<Self>, check: FieldCheck) -> Result<(), ConfigError> {
        let penalty = weight_decay.map_or(0.0, |decay| decay.penalty);
        check.not_negative("weight_decay.penalty", penalty)
    }
}

/// Returns the gradient with the L2 penalty added.
pub fn decayed<'f>(
    grad: FormulaValue<'f>,
    x: FormulaValue<'f>,
    decay: Option<WeightDecayConfig>,
) -> FormulaValue<'f> {
    match decay {
        Some(WeightDecayConfig { penalty }) => grad + x * penalty,
        None => grad,
    }
}

/// Weight decay of [`NAdam`](crate::NAdam) and [`RAdam`](crate::RAdam).
#[derive(Clone, Copy, Debug)]
pub struct Decay {
    pub penalty: Option<WeightDecayConfig>,
    /// Whether the parameter shrinks by `lr * penalty` instead, as in AdamW.
    pub decoupled: bool,
}

impl Decay {
    /// Returns the parameter and its gradient after weight decay.
    pub fn apply<'f>(
        self,
        x: FormulaValue<'f>,
        grad: FormulaValue<'f>,
        lr: f64,
    ) -> (FormulaValue<'f>, FormulaValue<'f>) {
        match self.penalty {
            Some(WeightDecayConfig { penalty }) if self.decoupled => (x * (1.0 - lr * penalty), grad),
            _ => (x, decayed(grad, x, self.penalty)),
        }
    }
}
