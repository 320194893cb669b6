use crate::arithmetic::{at_least, cast, with_rank};
use crate::formula::{Formula, FormulaValue};
use crate::gradient_norm::GradientNorm;
use crate::{GradientClippingConfig, LearningRate, OptimizerAdaptor, ParamState, UpdateRule};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{DType, HasSpec, TypedCalls, ops};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_derive::fallible;
use libm::sqrt;

/// Learning rate adjustment of [`Muon`] for a matrix with `A` rows and `B` columns.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum MuonLrAdjustment {
    /// `sqrt(max(1, A / B))`, as Jordan et al. (2024).
    Original,
    /// `0.2 sqrt(max(A, B))`: updates are as large as those of [`AdamW`](crate::AdamW), and so are learning
    /// rate and weight decay (Liu et al. 2025).
    MatchRmsAdamW,
}

/// Options of [`Muon`].
#[derive(Config, Debug)]
pub struct MuonConfig {
    /// Decay rate of the moving average of gradients, in `[0, 1)`.
    #[config(default = 0.95)]
    pub momentum: f64,
    /// Whether to use Nesterov momentum: the update interpolates between the gradient and the average.
    #[config(default = true)]
    pub nesterov: bool,
    /// Decoupled weight decay: `learning rate * weight_decay * x` is subtracted from the parameter.
    #[config(default = 0.1)]
    pub weight_decay: f64,
    /// Coefficients `a`, `b`, `c` of the Newton-Schulz iteration `x = a x + b (x x^T) x + c (x x^T)^2 x`.
    #[config(default = "[3.4445, -4.775, 2.0315]")]
    pub ns_coefficients: [f64; 3],
    /// Number of Newton-Schulz iterations; less than 100.
    #[config(default = 5)]
    pub ns_steps: usize,
    /// Smallest norm that an update is divided by, for numerical stability.
    #[config(default = 1e-7)]
    pub epsilon: f64,
    /// Learning rate adjustment by the shape of the matrix.
    #[config(default = "MuonLrAdjustment::Original")]
    pub lr_adjustment: MuonLrAdjustment,
    /// Whether the Newton-Schulz iteration computes in `bf16`, as PyTorch's always does, instead of in the
    /// dtype of the parameter: faster on GPUs with units for it, and with three digits.
    #[config(default = false)]
    pub ns_bf16: bool,
    /// Gradient clipping, applied before the update.
    #[config(default = "None")]
    pub grad_clipping: Option<GradientClippingConfig>,
}

#[fallible(config)]
impl MuonConfig {
    /// Returns an optimizer for any module on any backend. The gradients that it gets must be those of
    /// matrices: see [`Muon`].
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<OptimizerAdaptor<Muon>, ConfigError> {
        let check = FieldCheck::of("MuonConfig");
        check.decay_rate("momentum", self.momentum)?;
        check.not_negative("weight_decay", self.weight_decay)?;
        let are_finite = self.ns_coefficients.iter().all(|coefficient| coefficient.is_finite());
        check.ensure(are_finite, "ns_coefficients", &self.ns_coefficients, "finite numbers")?;
        check.ensure(self.ns_steps < 100, "ns_steps", &self.ns_steps, "less than 100")?;
        check.not_negative("epsilon", self.epsilon)?;
        GradientClippingConfig::validate(self.grad_clipping, check)?;
        Ok(OptimizerAdaptor::new(Muon { config: self.clone() }).with_grad_clipping(self.grad_clipping))
    }
}

/// Muon: momentum whose update is orthogonalized by Newton-Schulz iterations (Jordan et al. 2024). PyTorch:
/// `torch.optim.Muon`.
///
/// It is for the matrices of the hidden layers. Biases, norms, embeddings and the last layer are given to
/// another optimizer, with [`ParameterGroups`](crate::ParameterGroups). With the gradient `g` of a matrix of
/// `A` rows and `B` columns:
///
/// - `m = momentum m + (1 - momentum) g`, `u = (1 - momentum) g + momentum m` with Nesterov momentum, else
///   `m`
/// - `o` is `u`, divided by its norm, after `ns_steps` Newton-Schulz iterations: close to the orthogonal
///   factor of its polar decomposition
/// - `x = (1 - lr weight_decay) x - lr sqrt(max(1, A / B)) o`
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{AdamWConfig, GradientsParams, MuonConfig, Optimizer, ParameterGroups};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let model: Linear<Autodiff<NdArray>> = LinearConfig::new(3, 2).init(&device);
/// let mut optimizer =
///     ParameterGroups::new(AdamWConfig::new().init()).with_group("**.weight", MuonConfig::new().init());
/// let loss = model.forward(Tensor::<_, 2>::ones([4, 3], &device)).square().mean();
/// let grads = GradientsParams::from_grads(loss.backward(), &model);
/// let model = optimizer.step(1e-2, model, grads);
/// # let _ = model;
/// ```
#[derive(Clone, Debug)]
pub struct Muon {
    config: MuonConfig,
}

impl UpdateRule for Muon {
    fn state_names() -> &'static [&'static str] {
        &["momentum"]
    }

    /// # Panics
    /// The parameter is no matrix.
    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor {
        state.count_step();
        let [rows, columns] = *x.spec().shape else {
            let shape = &x.spec().shape;
            panic!(
                "Muon: wrong rank of a parameter; expected a matrix, got shape {shape:?}. Give other parameters to \
                 another optimizer, with `ParameterGroups`"
            );
        };
        let MuonConfig { momentum, nesterov, weight_decay, lr_adjustment, .. } = self.config;
        let formula = Formula::like(&x);
        let average = state.take("momentum", &x).map(|average| formula.input(average));
        let grad = formula.input(grad);
        let average = FormulaValue::moving_mean(average, grad, momentum);
        let update = if nesterov { grad * (1.0 - momentum) + average * momentum } else { average };
        let [update, average] = formula.run([update, average]);
        state.put("momentum", average);

        let update = cast(self.orthogonalized(update), x.dtype());
        let (rows, columns) = (rows as f64, columns as f64);
        let scale = match lr_adjustment {
            MuonLrAdjustment::Original => sqrt((rows / columns).max(1.0)),
            MuonLrAdjustment::MatchRmsAdamW => 0.2 * sqrt(rows.max(columns)),
        };
        let formula = Formula::like(&x);
        let (x, update) = (formula.input(x), formula.input(update));
        (x * (1.0 - lr * weight_decay) - update * (lr * scale)).run()
    }
}

impl Muon {
    /// Computes the matrix with the singular vectors of `x` and singular values near 1.
    fn orthogonalized(&self, x: DynamicTensor) -> DynamicTensor {
        let [a, b, c] = self.config.ns_coefficients;
        let x = if self.config.ns_bf16 { cast(x, DType::BF16) } else { x };
        // The products with the smaller side are cheaper.
        let is_tall = x.spec().shape[0] > x.spec().shape[1];
        let transposed = |x| if is_tall { ops::transpose::<Dynamic>(x) } else { x };
        let norm = GradientNorm::of([&x].into_iter()).expect("there is one tensor").value();
        let size = with_rank(cast(at_least(norm, self.config.epsilon), x.dtype()), 2);
        let mut x = transposed(ops::div::<Dynamic>(x, size));
        for _ in 0..self.config.ns_steps {
            let gram = Dynamic::matmul(x.clone(), ops::transpose::<Dynamic>(x.clone()));
            let square = Dynamic::matmul(gram.clone(), gram.clone());
            let formula = Formula::like(&gram);
            let polynomial = (formula.input(gram) * b + formula.input(square) * c).run();
            let product = Dynamic::matmul(polynomial, x.clone());
            let formula = Formula::like(&x);
            x = (formula.input(x) * a + formula.input(product)).run();
        }
        transposed(x)
    }
}
