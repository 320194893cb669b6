use super::weights::check_weights;
use crate::display::one_line;
use crate::input::{check_last_dim, check_same_shape};
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Int, Tensor, activation};
use burn_derive::fallible;

/// Options of [`BinaryCrossEntropyLoss`].
#[derive(Config, Debug)]
pub struct BinaryCrossEntropyLossConfig {
    /// Weight of each class, which is the last dimension; at least 0.
    #[config(default = "None")]
    pub weights: Option<Vec<f64>>,
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
        check_weights(check, self.weights.as_deref())?;
        Ok(BinaryCrossEntropyLoss {
            weights: self.weights.as_ref().map(|weights| Tensor::from_data(weights.as_slice(), device)),
            smoothing: self.smoothing,
            logits: self.logits,
        })
    }
}

/// Binary cross-entropy loss, the mean over all elements of `-(t log p + (1 - t) log(1 - p))`.
///
/// PyTorch: `torch.nn.BCELoss`, whose logarithms are clamped at -100 as here, and with `logits`
/// `torch.nn.BCEWithLogitsLoss`, which is stable for large logits. Weights multiply the elements.
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
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct BinaryCrossEntropyLoss<B: Backend> {
    /// Class weights, `[classes]`.
    pub weights: Option<Tensor<B, 1>>,
    pub smoothing: Option<f64>,
    pub logits: bool,
}

impl<B: Backend> BinaryCrossEntropyLoss<B> {
    /// Computes the mean loss, shape `[1]`, of input and targets of the same shape.
    ///
    /// # Panics
    /// The shapes differ, or the number of weights is not the number of classes.
    #[track_caller]
    pub fn forward<const D: usize>(&self, input: Tensor<B, D>, targets: Tensor<B, D, Int>) -> Tensor<B, 1> {
        check_same_shape("binary_cross_entropy", &input.dims(), &targets.dims());
        if let Some(weights) = &self.weights {
            check_last_dim("binary_cross_entropy", &input.dims(), weights.dims()[0]);
        }
        let targets = targets.float();
        let targets = match self.smoothing {
            Some(smoothing) => targets * (1.0 - smoothing) + smoothing / 2.0,
            None => targets,
        };
        let losses = if self.logits { of_logits(input, targets) } else { of_probabilities(input, targets) };
        match self.weights.clone() {
            Some(weights) => (losses * weights.unsqueeze()).mean(),
            None => losses.mean(),
        }
    }
}

/// `(1 - t) x - log sigmoid(x)`, since `log(1 - sigmoid(x)) = log sigmoid(x) - x`.
fn of_logits<B: Backend, const D: usize>(logits: Tensor<B, D>, targets: Tensor<B, D>) -> Tensor<B, D> {
    (1.0 - targets) * logits.clone() - activation::log_sigmoid(logits)
}

fn of_probabilities<B: Backend, const D: usize>(p: Tensor<B, D>, targets: Tensor<B, D>) -> Tensor<B, D> {
    let log = |p: Tensor<B, D>| p.log().clamp_min(-100.0);
    let (not_p, not_targets) = (-p.clone() + 1.0, -targets.clone() + 1.0);
    -(targets * log(p) + not_targets * log(not_p))
}

impl<B: Backend> ModuleDisplay for BinaryCrossEntropyLoss<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}

#[cfg(test)]
mod tests {
    use super::BinaryCrossEntropyLossConfig;
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
