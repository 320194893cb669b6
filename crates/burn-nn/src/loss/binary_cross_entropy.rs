use super::Reduction;
use super::targets::as_floats;
use super::weights::check_weights;
use crate::display::one_line;
use crate::input::{check_last_dim, check_same_shape};
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor, activation};
use burn_derive::fallible;

/// Probabilities `p` with a smaller `p (1 - p)` are taken as 0 or 1.
const CERTAIN: f64 = 1e-12;

/// Options of [`BinaryCrossEntropyLoss`].
#[derive(Config, Debug)]
pub struct BinaryCrossEntropyLossConfig {
    /// Weight of each class, which is the last dimension; at least 0.
    #[config(default = "None")]
    pub weights: Option<Vec<f64>>,
    /// Weight of the positive targets of each class, which is the last dimension; at least 0. Only with
    /// `logits`. PyTorch: `pos_weight`.
    #[config(default = "None")]
    pub positive_weights: Option<Vec<f64>>,
    /// Label smoothing `s`, in `[0, 1]`: targets are `s / 2` and `1 - s / 2`.
    #[config(default = "None")]
    pub smoothing: Option<f64>,
    /// Whether the input is logits; otherwise it is probabilities.
    #[config(default = false)]
    pub logits: bool,
}

#[fallible(config)]
impl BinaryCrossEntropyLossConfig {
    /// Returns the loss, with its weights on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<BinaryCrossEntropyLoss<B>, ConfigError> {
        let check = FieldCheck::of("BinaryCrossEntropyLossConfig");
        check.probability("smoothing", self.smoothing.unwrap_or(0.0))?;
        check_weights(check, "weights", self.weights.as_deref())?;
        check_weights(check, "positive_weights", self.positive_weights.as_deref())?;
        let fits = self.logits || self.positive_weights.is_none();
        check.ensure(fits, "positive_weights", &self.positive_weights, "none without `logits`")?;
        let [weights, positive_weights] = [&self.weights, &self.positive_weights]
            .map(|weights| weights.as_ref().map(|weights| Tensor::from_data(weights.as_slice(), device)));
        Ok(BinaryCrossEntropyLoss {
            weights,
            positive_weights,
            smoothing: self.smoothing,
            logits: self.logits,
        })
    }
}

/// Binary cross-entropy loss: `-(t log p + (1 - t) log(1 - p))` per element.
///
/// PyTorch: `torch.nn.BCELoss`, whose logarithms are clamped at -100 and whose gradient is finite where `p`
/// is 0 or 1, as here, and with `logits` `torch.nn.BCEWithLogitsLoss`, which is stable for large logits.
/// Weights multiply the elements, positive weights the first term.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::BinaryCrossEntropyLossConfig;
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let loss = BinaryCrossEntropyLossConfig::new().with_logits(true).init(&device);
/// let logits = Tensor::<NdArray, 1>::zeros([2], &device);
/// let targets = Tensor::<NdArray, 1, Int>::from_data([0, 1], &device);
/// assert!((loss.forward(logits, targets).into_scalar() - 2_f32.ln()).abs() < 1e-6);
/// ```
#[doc(alias = "BCELoss")]
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct BinaryCrossEntropyLoss<B: Backend> {
    /// Class weights, `[classes]`.
    pub weights: Option<Tensor<B, 1>>,
    /// Weights of the positive targets, `[classes]`.
    pub positive_weights: Option<Tensor<B, 1>>,
    /// Label smoothing.
    pub smoothing: Option<f64>,
    /// Whether the input is logits.
    pub logits: bool,
}

#[fallible(layer = "binary_cross_entropy")]
impl<B: Backend> BinaryCrossEntropyLoss<B> {
    /// Computes the mean loss, shape `[1]`, of input and targets, 0 or 1, of the same shape.
    ///
    /// # Panics
    /// The shapes differ, or the number of weights is not the number of classes.
    pub fn forward<const D: usize>(&self, input: Tensor<B, D>, targets: Tensor<B, D, Int>) -> Tensor<B, 1> {
        let targets = as_floats(targets, &input);
        self.forward_no_reduction(input, targets).mean()
    }

    /// Computes the reduced loss, shape `[1]`, of input and targets of the same shape. Targets are
    /// probabilities.
    ///
    /// # Panics
    /// The shapes differ, or the number of weights is not the number of classes.
    pub fn forward_probabilities<const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        reduction.reduce(self.forward_no_reduction(input, targets))
    }

    /// Computes the loss per element, without a reduction, of input and targets of the same shape. Targets
    /// are probabilities.
    ///
    /// # Panics
    /// The shapes differ, or the number of weights is not the number of classes.
    pub fn forward_no_reduction<const D: usize>(
        &self,
        input: Tensor<B, D>,
        targets: Tensor<B, D>,
    ) -> Tensor<B, D> {
        check_same_shape("binary_cross_entropy", &input.dims(), &targets.dims());
        for weights in [&self.weights, &self.positive_weights].into_iter().flatten() {
            check_last_dim("binary_cross_entropy", &input.dims(), weights.dims()[0]);
        }
        let targets = match self.smoothing {
            Some(smoothing) => targets * (1.0 - smoothing) + smoothing / 2.0,
            None => targets,
        };
        let losses = if self.logits {
            of_logits(input, targets, self.positive_weights.clone())
        } else {
            of_probabilities(input, targets)
        };
        match self.weights.clone() {
            Some(weights) => losses * weights.unsqueeze(),
            None => losses,
        }
    }
}

/// `(1 - t) x - w log sigmoid(x)` with `w = 1 + (positive weight - 1) t`, since
/// `log(1 - sigmoid(x)) = log sigmoid(x) - x`.
fn of_logits<B: Backend, const D: usize>(
    logits: Tensor<B, D>,
    targets: Tensor<B, D>,
    positive_weights: Option<Tensor<B, 1>>,
) -> Tensor<B, D> {
    let log_p = activation::log_sigmoid(logits.clone());
    let log_p = match positive_weights {
        Some(weights) => log_p * (targets.clone() * (weights - 1.0).unsqueeze() + 1.0),
        None => log_p,
    };
    (-targets + 1.0) * logits - log_p
}

fn of_probabilities<B: Backend, const D: usize>(p: Tensor<B, D>, targets: Tensor<B, D>) -> Tensor<B, D> {
    let entropy = |log_p: Tensor<B, D>, log_not_p: Tensor<B, D>| {
        -(targets.clone() * log_p + (-targets.clone() + 1.0) * log_not_p)
    };
    let certain = (p.clone() * (-p.clone() + 1.0)).lower_elem(CERTAIN).detach();
    let uncertain = p.clone().mask_fill(certain.clone(), 0.5);
    let losses = entropy(uncertain.clone().log(), (-uncertain + 1.0).log());
    // The slope (p - t) / (p (1 - p)) is infinite at 0 and 1; as in PyTorch its divisor is at least 1e-12 and
    // the logarithms are at least -100.
    let value = p.clone().detach();
    let log = |p: Tensor<B, D>| p.log().clamp_min(-100.0);
    let slope = ((value.clone() - targets.clone()) / CERTAIN).detach();
    let cut = entropy(log(value.clone()), log(-value.clone() + 1.0)) + (p - value) * slope;
    losses.mask_where(certain, cut)
}

impl<B: Backend> ModuleDisplay for BinaryCrossEntropyLoss<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}

#[cfg(test)]
mod tests {
    use super::BinaryCrossEntropyLossConfig;
    use burn_autodiff::Autodiff;
    use burn_core::tensor::{Int, Tensor, activation};
    use burn_ndarray::NdArray;

    #[test]
    fn binary_cross_entropy_of_certainty_is_cut_off() {
        let device = Default::default();
        let loss = BinaryCrossEntropyLossConfig::new().init(&device);
        let run = |p: [f32; 2], t: [i64; 2]| {
            let t = Tensor::<NdArray, 1, Int>::from_data(t, &device);
            loss.forward(Tensor::<NdArray, 1>::from_data(p, &device), t).into_scalar()
        };
        assert_eq!(run([0.0, 1.0], [0, 1]), 0.0);
        assert_eq!(run([0.0, 1.0], [1, 1]), 50.0);
    }

    #[test]
    fn binary_cross_entropy_of_certainty_has_the_finite_gradient_of_pytorch() {
        let device = Default::default();
        let p = Tensor::<Autodiff<NdArray<f64>>, 1>::from_data([0.0, 1.0, 0.0], &device).require_grad();
        let t = Tensor::from_data([0.0, 1.0, 1.0], &device);
        let loss = BinaryCrossEntropyLossConfig::new().init(&device);
        let losses = loss.forward_no_reduction(p.clone(), t);
        // (p - t) / max(p (1 - p), 1e-12)
        let slopes = p.grad(&losses.sum().backward()).unwrap().into_data().to_f64();
        assert!(slopes[..2] == [0.0, 0.0] && (slopes[2] + 1e12).abs() < 1.0, "{slopes:?}");
    }

    #[test]
    fn binary_cross_entropy_of_logits_is_that_of_probabilities_and_stable() {
        let device = Default::default();
        let config = BinaryCrossEntropyLossConfig::new()
            .with_smoothing(Some(0.2))
            .with_weights(Some([1.0, 3.0].into()));
        let x = Tensor::<NdArray, 2>::from_data([[1.5, -2.0], [0.25, 3.0]], &device);
        let t = Tensor::<NdArray, 2, Int>::from_data([[1, 1], [0, 1]], &device);
        let p = config.init(&device).forward(activation::sigmoid(x.clone()), t.clone()).into_scalar();
        let config = config.with_logits(true);
        let y = config.init(&device).forward(x, t.clone()).into_scalar();
        assert!((p - y).abs() < 1e-6, "{p} {y}");
        let far = Tensor::<NdArray, 2>::full([2, 2], -1000.0, &device);
        let far = config.with_weights(None).with_smoothing(None).init(&device).forward(far, t).into_scalar();
        assert_eq!(far, 750.0);
    }
}
