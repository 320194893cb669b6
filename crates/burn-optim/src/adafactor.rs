use crate::arithmetic::{at_least, cast, root_mean_square, square};
use crate::formula::{Formula, FormulaValue};
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, BinaryOp, DType, HasSpec, ReduceOp, Shape, TensorSpec};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;
use libm::{pow, sqrt};

/// Options of [`Adafactor`].
#[derive(Config, Debug)]
pub struct AdafactorConfig {
    /// Power of the decay rate of the second moment, `1 - t^beta_2_decay` at step `t`; at most 0.
    #[config(default = -0.8)]
    pub beta_2_decay: f64,
    /// Smallest root of the second moment, for numerical stability; the machine epsilon of the dtype if
    /// `None`, for half-precision parameters that of `f32`.
    #[config(default = "None")]
    pub epsilon_1: Option<f64>,
    /// Smallest root mean square of a parameter that its learning rate is scaled by.
    #[config(default = 1e-3)]
    pub epsilon_2: f64,
    /// Clipping threshold of the root mean square of an update; at least 1.
    #[config(default = 1.0)]
    pub clipping_threshold: f64,
    /// Decoupled weight decay: `learning rate * weight_decay * x` is subtracted from the parameter.
    #[config(default = 0.0)]
    pub weight_decay: f64,
    /// Whether to maximize the objective instead of minimizing it.
    #[config(default = false)]
    pub maximize: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl AdafactorConfig {
    /// Returns an optimizer for any module on any backend.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Adafactor>, ConfigError> {
        let check = FieldCheck::of("AdafactorConfig");
        let (decay, threshold) = (self.beta_2_decay, self.clipping_threshold);
        let expected = "a finite number of at most 0";
        check.ensure(decay.is_finite() && decay <= 0.0, "beta_2_decay", &decay, expected)?;
        if let Some(epsilon_1) = self.epsilon_1 {
            check.not_negative("epsilon_1", epsilon_1)?;
        }
        check.not_negative("epsilon_2", self.epsilon_2)?;
        check.ensure(threshold >= 1.0, "clipping_threshold", &threshold, "a number of at least 1")?;
        check.not_negative("weight_decay", self.weight_decay)?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Adafactor { config: self.clone() }).with_grad_clipping(self.grad_clipping))
    }
}

/// Adafactor: the second moments of a matrix from its row and column means, so that the state is much smaller
/// than the parameter (Shazeer and Stern 2018). PyTorch: `torch.optim.Adafactor`.
///
/// With the gradient `g` of step `t`, from 1, and `rms` the root mean square over a tensor:
///
/// - `b = t^beta_2_decay`, `a = max(epsilon_2, rms(x)) min(lr, 1 / sqrt(t))`
/// - of a vector, `v = (1 - b) v + b g^2`
/// - of a tensor with more dimensions, `r = (1 - b) r + b mean(g^2)` over the last dimension, `c` likewise
///   over the one before, and `v = r c / max(mean(r), epsilon_1)`
/// - `u = g / max(sqrt(v), epsilon_1)`
/// - `x = (1 - lr weight_decay) x - a u / max(1, rms(u) / clipping_threshold)`
#[derive(Clone, Debug)]
pub struct Adafactor {
    config: AdafactorConfig,
}

const ROWS: &str = "row_moment";
const COLUMNS: &str = "column_moment";
const ELEMENTS: &str = "moment_2";

impl UpdateRule for Adafactor {
    fn state_names() -> &'static [&'static str] {
        &[ROWS, COLUMNS, ELEMENTS]
    }

    fn state_shape(name: &str, parameter: &Shape) -> Shape {
        match (name, parameter.rank()) {
            (ROWS, rank @ 2..) => parameter.with(rank - 1, 1),
            (COLUMNS, rank @ 2..) => parameter.with(rank - 2, 1),
            _ => parameter.clone(),
        }
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let t = state.count_step() as f64;
        let config = &self.config;
        let epsilon = config.epsilon_1.unwrap_or_else(|| machine_epsilon(x.dtype()));
        let share = pow(t, config.beta_2_decay);
        let size = at_least(root_mean_square(x.clone()), config.epsilon_2);
        let update = if x.spec().shape.rank() > 1 {
            self.factored(grad, share, epsilon, state)
        } else {
            self.elementwise(grad, share, epsilon, state)
        };
        let threshold = config.clipping_threshold;
        let excess =
            at_least(crate::arithmetic::scale(root_mean_square(update.clone()), 1.0 / threshold), 1.0);
        let factor = cast(Dynamic::binary(BinaryOp::Div, size, excess), x.dtype());
        let formula = Formula::like(&x);
        let (x, update) = (formula.input(x), formula.input(update));
        let step = update * formula.broadcast_input(factor) * lr.min(1.0 / sqrt(t));
        (x * (1.0 - lr * config.weight_decay) - step).run()
    }
}

impl Adafactor {
    /// Computes the update of a vector, whose second moment has an element for each of its own.
    fn elementwise(
        &self,
        grad: DynamicTensor,
        share: f64,
        epsilon: f64,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let formula = Formula::like(&grad);
        let moment = state.take(ELEMENTS, &grad).map(|moment| formula.input(moment));
        let grad = formula.input(grad).negated_if(self.config.maximize);
        let moment = FormulaValue::moving_mean(moment, grad.square(), 1.0 - share);
        let update = grad / moment.clamp(epsilon * epsilon, None).sqrt();
        let [update, moment] = formula.run([update, moment]);
        state.put(ELEMENTS, moment);
        update
    }

    /// Computes the update of a matrix from the means of its rows and columns.
    fn factored(
        &self,
        grad: DynamicTensor,
        share: f64,
        epsilon: f64,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let rank = grad.spec().shape.rank();
        let mean = |x, dim: usize| Dynamic::reduce(ReduceOp::Mean, x, [dim].into_iter().collect());
        let squares = square(grad.clone());
        let rows = moving(state, ROWS, mean(squares.clone(), rank - 1), share);
        let columns = moving(state, COLUMNS, mean(squares, rank - 2), share);
        let all = at_least(mean(rows.clone(), rank - 2), epsilon);
        let relative = Dynamic::binary(BinaryOp::Div, rows.clone(), all);
        let formula = Formula::like(&grad);
        let grad = formula.input(grad).negated_if(self.config.maximize);
        let moment = formula.broadcast_input(relative) * formula.broadcast_input(columns.clone());
        let update = (grad / moment.clamp(epsilon * epsilon, None).sqrt()).run();
        state.put(ROWS, rows);
        state.put(COLUMNS, columns);
        update
    }
}

/// Computes `(1 - share) * old + share * new` of the state `name`.
fn moving(state: &mut ParamState, name: &str, new: DynamicTensor, share: f64) -> DynamicTensor {
    let formula = Formula::like(&new);
    let spec = TensorSpec::new(new.shape(), new.dtype());
    let old = state.take_spec(name, &spec, &Dynamic::device(&new)).map(|old| formula.input(old));
    FormulaValue::moving_mean(old, formula.input(new), 1.0 - share).run()
}

/// Returns the distance from 1 to the next number of `dtype`.
fn machine_epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F16 => 1.0 / 1024.0,
        DType::BF16 => 1.0 / 128.0,
        _ => f64::from(f32::EPSILON),
    }
}
