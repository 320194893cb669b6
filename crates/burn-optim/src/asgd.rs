use crate::averages::{self, Averages};
use crate::formula::Formula;
use crate::weight_decay::decayed;
use crate::{
    GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule, WeightDecayConfig,
};
use burn_backend::dynamic::DynamicTensor;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::AutodiffModule;
use burn_core::tensor::AutodiffBackend;
use burn_derive::fallible;

/// Options of [`Asgd`].
#[derive(Config, Debug)]
pub struct AsgdConfig {
    /// Decay term of the parameters and of the learning rate; at least 0.
    #[config(default = 1e-4)]
    pub lambda: f64,
    /// Power of the learning-rate decay; at least 0.
    #[config(default = 0.75)]
    pub alpha: f64,
    /// Step after which parameters are averaged; at least 0.
    #[config(default = 1e6)]
    pub t0: f64,
    /// L2 penalty: `penalty * x` is added to the gradient.
    #[config(default = "None")]
    pub weight_decay: Option<WeightDecayConfig>,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl AsgdConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Asgd>, ConfigError> {
        let AsgdConfig { lambda, alpha, t0, weight_decay, maximize, grad_clipping } = *self;
        let check = FieldCheck::of("AsgdConfig");
        check.not_negative("lambda", lambda)?;
        check.not_negative("alpha", alpha)?;
        check.not_negative("t0", t0)?;
        WeightDecayConfig::validate(weight_decay, check)?;
        GradientClippingConfig::validate(grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Asgd { lambda, alpha, t0, weight_decay, maximize })
            .with_grad_clipping(grad_clipping))
    }
}

/// Averaged stochastic gradient descent (Polyak and Juditsky 1992), with the learning-rate decay of Bottou (2010).
/// PyTorch: `torch.optim.ASGD`.
///
/// With the gradient `g` of step `t`, from 1, `eta_1 = lr` and `eta_(t+1) = lr / (1 + lambda lr t)^alpha`:
///
/// - `x = x (1 - lambda eta_t) - eta_t g`
/// - `a = a + mu_t (x - a)`, with `mu_1 = 1` and `mu_(t+1) = 1 / max(1, t - t0)`
///
/// The average `a` of a module is what [`averaged`](OptimizerAdaptor::averaged) returns.
#[derive(Clone, Debug)]
pub struct Asgd {
    lambda: f64,
    alpha: f64,
    t0: f64,
    weight_decay: Option<WeightDecayConfig>,
    maximize: bool,
}

impl OptimizerAdaptor<Asgd> {
    /// Returns `module` with the averaged parameters; parameters that were never stepped stay.
    ///
    /// # Panics
    /// An average has another shape than its parameter.
    #[must_use]
    #[track_caller]
    pub fn averaged<B: AutodiffBackend, M: AutodiffModule<B>>(&self, module: M) -> M {
        let states = self.stepper.states.iter();
        let averages = states.flat_map(|(id, state)| {
            let tensors = state.tensors.iter().filter(|(name, _)| *name == AVERAGE);
            tensors.map(|(_, average)| (*id, average.clone()))
        });
        averages::put::<B, M>(&averages.collect::<Averages>(), module)
    }
}

/// Name of the averaged parameter in the state.
const AVERAGE: &str = "average";

impl UpdateRule for Asgd {
    fn state_names() -> &'static [&'static str] {
        &[AVERAGE]
    }

    fn scalar_names() -> &'static [&'static str] {
        &["eta", "mu"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let (eta, mu) = (state.scalar("eta").unwrap_or(lr), state.scalar("mu").unwrap_or(1.0));
        state.set_scalar("eta", lr / libm::pow(1.0 + self.lambda * lr * t, self.alpha));
        state.set_scalar("mu", 1.0 / (t - self.t0).max(1.0));
        let formula = Formula::like(&x);
        let average = state.take(AVERAGE, &x).map(|average| formula.input(average));
        let x = formula.input(x);
        let grad = decayed(formula.input(grad).negated_if(self.maximize), x, self.weight_decay);
        let x = x * (1.0 - self.lambda * eta) - grad * eta;
        let average = match average {
            Some(average) if mu != 1.0 => average + (x - average) * mu,
            Some(_) | None => x,
        };
        let [x, average] = formula.run([x, average]);
        state.put(AVERAGE, average);
        x
    }
}
