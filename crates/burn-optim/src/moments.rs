use crate::ParamState;
use crate::formula::{Formula, FormulaValue};
use crate::gradient_norm::factor_for;
use crate::param_update::{ParamUpdate, UpdatedParam};
use burn_core::config::{ConfigError, FieldCheck};
use libm::{pow, sqrt};

/// Running moments of the gradients, shared by [`Adam`](crate::Adam) and [`AdamW`](crate::AdamW).
#[derive(Clone, Debug)]
pub struct Moments {
    pub beta_1: f64,
    pub beta_2: f64,
    pub epsilon: f64,
    pub amsgrad: bool,
    pub maximize: bool,
}

/// Checks the fields `beta_1`, `beta_2` and `epsilon` of an optimizer's config.
pub fn validate(check: FieldCheck, beta_1: f64, beta_2: f64, epsilon: f64) -> Result<(), ConfigError> {
    check.decay_rate("beta_1", beta_1)?;
    check.decay_rate("beta_2", beta_2)?;
    check.not_negative("epsilon", epsilon)
}

impl Moments {
    pub const NAMES: &[&str] = &["moment_1", "moment_2", "max_moment_2"];

    /// Checks the fields of the config that `check` names.
    pub fn validate(&self, check: FieldCheck) -> Result<(), ConfigError> {
        validate(check, self.beta_1, self.beta_2, self.epsilon)
    }

    /// Performs one step. `decay` changes parameter and gradient first.
    pub fn update(
        &self,
        step: ParamUpdate,
        state: &mut ParamState,
        decay: impl for<'f> Fn(FormulaValue<'f>, FormulaValue<'f>) -> (FormulaValue<'f>, FormulaValue<'f>),
    ) -> UpdatedParam {
        let ParamUpdate { x, grad, factor, lr, rounded_to } = step;
        let factor = factor.map(|factor| factor_for(&x, &factor));
        let t = state.count_step() as f64;
        let (correction_1, correction_2) = (1.0 - pow(self.beta_1, t), 1.0 - pow(self.beta_2, t));
        let formula = Formula::like(&x);
        let mut kept = |name| state.take(name, &x).map(|kept| formula.input(kept));
        let (mean, mean_of_squares, largest) = (kept("moment_1"), kept("moment_2"), kept("max_moment_2"));
        // The parameter first: the result is written over the first input of its size that ends here.
        let (x, mut grad) = (formula.input(x), formula.cast_input(grad));
        if let Some(factor) = factor {
            grad = grad * formula.broadcast_input(factor);
        }
        let (x, grad) = decay(x, grad.negated_if(self.maximize));
        let mean = FormulaValue::moving_mean(mean, grad, self.beta_1);
        let mean_of_squares = FormulaValue::moving_mean(mean_of_squares, grad.square(), self.beta_2);
        let largest = match largest {
            Some(largest) if self.amsgrad => largest.max(mean_of_squares),
            Some(_) | None => mean_of_squares,
        };
        let spread = largest.sqrt() * (1.0 / sqrt(correction_2)) + self.epsilon;
        let x = x - mean / spread * (lr / correction_1);
        let rounded = rounded_to.map_or(x, |dtype| x.cast(dtype));
        let [x, mean, mean_of_squares, largest, rounded] =
            formula.run([x, mean, mean_of_squares, largest, rounded]);
        state.put("moment_1", mean);
        state.put("moment_2", mean_of_squares);
        if self.amsgrad {
            state.put("max_moment_2", largest);
        }
        UpdatedParam { x, rounded: rounded_to.map(|_| rounded) }
    }
}
