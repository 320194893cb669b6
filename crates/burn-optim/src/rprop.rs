use crate::formula::Formula;
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, CompareOp, HasSpec, Scalar};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;

/// Options of [`Rprop`].
#[derive(Config, Debug)]
pub struct RpropConfig {
    /// Factor of the step size of an element whose gradient changes its sign, in `(0, 1)`.
    #[config(default = 0.5)]
    pub eta_minus: f64,
    /// Factor of the step size of an element whose gradient keeps its sign; above 1.
    #[config(default = 1.2)]
    pub eta_plus: f64,
    /// Smallest step size; at least 0.
    #[config(default = 1e-6)]
    pub min_step_size: f64,
    /// Largest step size; at least `min_step_size`.
    #[config(default = 50.0)]
    pub max_step_size: f64,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl RpropConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Rprop>, ConfigError> {
        let RpropConfig { eta_minus, eta_plus, min_step_size, max_step_size, .. } = *self;
        let check = FieldCheck::of("RpropConfig");
        let (shrinks, grows) = (eta_minus > 0.0 && eta_minus < 1.0, eta_plus > 1.0 && eta_plus.is_finite());
        check.ensure(shrinks, "eta_minus", &eta_minus, "a number in (0, 1)")?;
        check.ensure(grows, "eta_plus", &eta_plus, "a finite number above 1")?;
        check.not_negative("min_step_size", min_step_size)?;
        let fits = max_step_size.is_finite() && max_step_size >= min_step_size;
        check.ensure(fits, "max_step_size", &max_step_size, "a finite number of at least `min_step_size`")?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        let rule = Rprop {
            etas: (eta_minus, eta_plus),
            step_sizes: (min_step_size, max_step_size),
            maximize: self.maximize,
        };
        Ok(OptimizerAdaptor::new(rule).with_grad_clipping(self.grad_clipping))
    }
}

/// Rprop: resilient backpropagation, a step size per element that follows the signs of its gradients
/// (Riedmiller and Braun 1993); for full batches. PyTorch: `torch.optim.Rprop`.
///
/// The learning rate of the first step is the initial step size; later ones are not used. With the gradient
/// `g` and the one before, `h`:
///
/// - `s = s eta_plus` where `g h > 0`, `s eta_minus` where `g h < 0`, clamped to the range of step sizes
/// - `g = 0` where `g h < 0`, `x = x - s sign(g)`
#[derive(Clone, Debug)]
pub struct Rprop {
    etas: (f64, f64),
    step_sizes: (f64, f64),
    maximize: bool,
}

impl UpdateRule for Rprop {
    fn state_names() -> &'static [&'static str] {
        &["previous_gradient", "step_size"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        state.count_step();
        let ((shrink, grow), (min, max)) = (self.etas, self.step_sizes);
        let formula = Formula::like(&x);
        let sizes = state.take("step_size", &x);
        let sizes =
            sizes.unwrap_or_else(|| Dynamic::full(x.spec().clone(), Scalar::Float(lr), &Dynamic::device(&x)));
        let sizes = formula.input(sizes);
        let previous = state.take("previous_gradient", &x).map(|previous| formula.input(previous));
        let x = formula.input(x);
        let grad = formula.input(grad).negated_if(self.maximize);
        let (sizes, grad) = match previous {
            Some(previous) => {
                let agreement = (grad * previous).sign();
                let opposite = agreement.compare(CompareOp::Less, 0.0);
                let same = agreement.compare(CompareOp::Greater, 0.0);
                // 1 where one of the gradients is 0.
                let factor = (agreement * 0.0 + 1.0).fill_where(same, grow).fill_where(opposite, shrink);
                ((sizes * factor).clamp(min, Some(max)), grad.fill_where(opposite, 0.0))
            }
            None => (sizes.clamp(min, Some(max)), grad),
        };
        let [x, sizes, grad] = formula.run([x - grad.sign() * sizes, sizes, grad]);
        state.put("step_size", sizes);
        state.put("previous_gradient", grad);
        x
    }
}
