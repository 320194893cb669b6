use super::Reduction;
use super::weights::check_weights;
use crate::display::one_line;
use crate::input::{check_same_shape, require};
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Bool, Int, Tensor, activation};
use burn_derive::fallible;

/// Options of [`CrossEntropyLoss`].
#[derive(Config, Debug)]
pub struct CrossEntropyLossConfig {
    /// Targets whose samples are ignored.
    #[config(default = "None")]
    pub pad_tokens: Option<Vec<usize>>,
    /// Weight of each class; at least 0.
    #[config(default = "None")]
    pub weights: Option<Vec<f64>>,
    /// Label smoothing, in `[0, 1]`: the share of the target that is spread evenly over all classes.
    #[config(default = "None")]
    pub smoothing: Option<f64>,
    /// Whether the input is logits; otherwise it is probabilities.
    #[config(default = true)]
    pub logits: bool,
}

#[fallible(config)]
impl CrossEntropyLossConfig {
    /// Returns the loss, with its weights on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<CrossEntropyLoss<B>, ConfigError> {
        let check = FieldCheck::of("CrossEntropyLossConfig");
        check.probability("smoothing", self.smoothing.unwrap_or(0.0))?;
        check_weights(check, "weights", self.weights.as_deref())?;
        Ok(CrossEntropyLoss {
            pad_tokens: self.pad_tokens.clone(),
            weights: self.weights.as_ref().map(|weights| Tensor::from_data(weights.as_slice(), device)),
            smoothing: self.smoothing,
            logits: self.logits,
        })
    }
}

/// Cross-entropy loss of classes: `-log(p[target])`, where `p` is the softmax of the logits.
///
/// Over a batch it is `sum(w[t] (-log p[t])) / sum(w[t])`, without the samples whose target `t` is a padding
/// token. With label smoothing `s` over `C` classes it is `1 - s` times that, plus `s / C` times
/// `sum over c of w[c] (-log p[c])`, which is divided by the same sum of weights. PyTorch:
/// `torch.nn.CrossEntropyLoss` with `ignore_index`, `weight` and `label_smoothing`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::CrossEntropyLossConfig;
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let loss = CrossEntropyLossConfig::new().init(&device);
/// let logits = Tensor::<NdArray, 2>::zeros([3, 4], &device);
/// let targets = Tensor::<NdArray, 1, Int>::from_data([0, 3, 1], &device);
/// assert!((loss.forward(logits, targets).into_scalar() - 4_f32.ln()).abs() < 1e-6);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct CrossEntropyLoss<B: Backend> {
    /// Targets whose samples are ignored.
    pub pad_tokens: Option<Vec<usize>>,
    /// Class weights, `[classes]`.
    pub weights: Option<Tensor<B, 1>>,
    /// Label smoothing.
    pub smoothing: Option<f64>,
    /// Whether the input is logits.
    pub logits: bool,
}

#[fallible(layer = "cross_entropy")]
impl<B: Backend> CrossEntropyLoss<B> {
    /// Returns the loss of logits that ignores the samples whose target is `pad_index`.
    pub fn new(pad_index: Option<usize>, device: &B::Device) -> Self {
        CrossEntropyLossConfig::new().with_pad_tokens(pad_index.map(|index| [index].into())).init(device)
    }

    /// Computes the mean loss, shape `[1]`, of logits `[batch, classes]` and targets `[batch]`. It is NaN
    /// when every target is ignored.
    ///
    /// # Panics
    /// The sizes differ, or a target is neither a class nor a pad token, where the backend computes at once.
    pub fn forward(&self, input: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Tensor<B, 1> {
        self.forward_reduced(input, targets, Reduction::Mean)
    }

    /// Computes the reduced loss, shape `[1]`, of logits `[batch, classes]` and targets `[batch]`.
    ///
    /// # Panics
    /// Those of [`forward`](Self::forward).
    pub fn forward_reduced(
        &self,
        input: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        self.check_sizes(input.dims(), targets.dims()[0]);
        let (losses, weights) = self.losses(input, targets);
        match (reduction, weights) {
            (Reduction::Mean | Reduction::Auto, Some(weights)) => losses.sum() / weights.sum(),
            (Reduction::Mean | Reduction::Auto | Reduction::Sum | Reduction::BatchMean, _) => {
                reduction.reduce(losses)
            }
        }
    }

    /// Computes the loss per sample, `[batch]`, without a reduction; 0 where the target is ignored.
    ///
    /// # Panics
    /// Those of [`forward`](Self::forward).
    pub fn forward_no_reduction(&self, input: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Tensor<B, 1> {
        self.check_sizes(input.dims(), targets.dims()[0]);
        self.losses(input, targets).0
    }

    /// Computes the reduced loss, shape `[1]`, of logits and target probabilities, both `[batch, classes]`:
    /// `-sum over c of w[c] q[c] log p[c]` per sample with the targets `q`. The mean is over the batch,
    /// whatever the weights. Padding tokens play no part.
    ///
    /// # Panics
    /// The shapes differ.
    pub fn forward_probabilities(
        &self,
        input: Tensor<B, 2>,
        targets: Tensor<B, 2>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        let ([batch, classes], dims) = (input.dims(), targets.dims());
        check_same_shape("cross_entropy", &[batch, classes], &dims);
        self.check_weights(input.dims());
        let targets = match self.smoothing {
            Some(smoothing) => targets * (1.0 - smoothing) + smoothing / classes as f64,
            None => targets,
        };
        let losses = self.weighted(self.log_p(input)) * targets;
        reduction.reduce(-losses.sum_dim(1).reshape([batch]))
    }

    /// Computes the loss of each sample, and the weight of each one unless all are 1.
    fn losses(
        &self,
        input: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
    ) -> (Tensor<B, 1>, Option<Tensor<B, 1>>) {
        let [batch, classes] = input.dims();
        let log_p = self.log_p(input);
        let padded = self.padded(&targets);
        // A padding token need not be a class.
        let targets = match &padded {
            Some(padded) => targets.mask_fill(padded.clone(), 0),
            None => targets,
        };
        let weights = self.sample_weights(&targets, padded.clone());
        let smoothing = self.smoothing.unwrap_or(0.0);
        let smooth = (smoothing > 0.0).then(|| self.over_all_classes(log_p.clone(), padded));
        let picked = log_p.gather(1, targets.reshape([batch, 1])).reshape([batch]);
        let picked = match weights.clone() {
            Some(weights) => picked * weights,
            None => picked,
        };
        let losses = match smooth {
            Some(smooth) => picked * (smoothing - 1.0) - smooth * (smoothing / classes as f64),
            None => -picked,
        };
        (losses, weights)
    }

    fn log_p(&self, input: Tensor<B, 2>) -> Tensor<B, 2> {
        if self.logits { activation::log_softmax(input, 1) } else { input.log() }
    }

    #[track_caller]
    fn check_sizes(&self, input: [usize; 2], targets: usize) {
        let [batch, _] = input;
        require(
            batch == targets,
            "cross_entropy",
            format_args!(
                "wrong number of targets for the input {input:?}; expected [{batch}], got [{targets}]"
            ),
        );
        self.check_weights(input);
    }

    #[track_caller]
    fn check_weights(&self, input: [usize; 2]) {
        let [_, classes] = input;
        if let Some(weights) = &self.weights {
            let [count] = weights.dims();
            require(
                count == classes,
                "cross_entropy",
                format_args!(
                    "wrong number of weights for the input {input:?}; expected [{classes}], got [{count}]"
                ),
            );
        }
    }

    /// Mask of the samples that are ignored.
    fn padded(&self, targets: &Tensor<B, 1, Int>) -> Option<Tensor<B, 1, Bool>> {
        let masks = self.pad_tokens.iter().flatten().map(|&token| targets.clone().equal_elem(token));
        masks.reduce(|one, other| one.bool_or(other))
    }

    /// Weight `w[t]` per sample, unless all are 1.
    fn sample_weights(
        &self,
        targets: &Tensor<B, 1, Int>,
        padded: Option<Tensor<B, 1, Bool>>,
    ) -> Option<Tensor<B, 1>> {
        let weights = self.weights.clone().map(|weights| weights.select(0, targets.clone()));
        match (weights, padded) {
            (Some(weights), Some(padded)) => Some(weights.mask_fill(padded, 0.0)),
            (None, Some(padded)) => Some(padded.bool_not().float()),
            (weights, None) => weights,
        }
    }

    /// `w[c] log p[c]`.
    fn weighted(&self, log_p: Tensor<B, 2>) -> Tensor<B, 2> {
        match self.weights.clone() {
            Some(weights) => log_p * weights.unsqueeze(),
            None => log_p,
        }
    }

    /// Computes `sum over c of w[c] log p[c]` per sample.
    fn over_all_classes(&self, log_p: Tensor<B, 2>, padded: Option<Tensor<B, 1, Bool>>) -> Tensor<B, 1> {
        let [batch, _] = log_p.dims();
        let sums = self.weighted(log_p).sum_dim(1).reshape([batch]);
        match padded {
            Some(padded) => sums.mask_fill(padded, 0.0),
            None => sums,
        }
    }
}

impl<B: Backend> ModuleDisplay for CrossEntropyLoss<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}

#[cfg(test)]
mod tests {
    use super::{CrossEntropyLoss, CrossEntropyLossConfig};
    use burn_core::tensor::{Int, Tensor, activation};
    use burn_ndarray::NdArray;

    fn logits() -> Tensor<NdArray, 2> {
        Tensor::from_data([[1.0, -0.5, 2.0], [0.0, 0.5, -3.0], [4.0, 1.0, 1.5]], &Default::default())
    }

    fn targets(targets: [i64; 3]) -> Tensor<NdArray, 1, Int> {
        Tensor::from_data(targets, &Default::default())
    }

    fn close(found: Tensor<NdArray, 1>, expected: Tensor<NdArray, 1>) {
        let (found, expected) = (found.into_scalar(), expected.into_scalar());
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    #[test]
    fn cross_entropy_is_minus_the_mean_of_the_picked_log_probabilities() {
        let picked = activation::log_softmax(logits(), 1).gather(1, targets([2, 0, 1]).reshape([3, 1]));
        let loss = CrossEntropyLossConfig::new().init(&Default::default());
        close(loss.forward(logits(), targets([2, 0, 1])), -picked.mean());
    }

    #[test]
    fn cross_entropy_of_probabilities_is_that_of_logits() {
        let device = Default::default();
        let of_logits = CrossEntropyLoss::new(None, &device).forward(logits(), targets([1, 1, 2]));
        let of_probabilities = CrossEntropyLossConfig::new().with_logits(false).init(&device);
        close(of_probabilities.forward(activation::softmax(logits(), 1), targets([1, 1, 2])), of_logits);
    }

    #[test]
    fn pad_tokens_are_left_out_even_if_they_are_no_class() {
        let device = Default::default();
        let part = CrossEntropyLoss::new(None, &device)
            .forward(logits().narrow(0, 1, 1), targets([2, 1, 9]).narrow(0, 1, 1));
        let loss = CrossEntropyLossConfig::new().with_pad_tokens(Some([2, 9].into()));
        close(loss.init(&device).forward(logits(), targets([2, 1, 9])), part.clone());
        let one = CrossEntropyLoss::new(Some(7), &device);
        close(one.forward(logits(), targets([7, 1, 7])), part);
        let nothing = one.forward(logits(), targets([7, 7, 7])).into_scalar();
        assert!(nothing.is_nan());
    }

    #[test]
    fn weights_count_samples_by_class() {
        let device = Default::default();
        let loss = |targets, logits| CrossEntropyLoss::new(None, &device).forward(logits, targets);
        let [first, third] =
            [0, 2].map(|row| loss(targets([2, 0, 1]).narrow(0, row, 1), logits().narrow(0, row, 1)));
        let weighted = CrossEntropyLossConfig::new().with_weights(Some([0.0, 1.0, 3.0].into())).init(&device);
        close(weighted.forward(logits(), targets([2, 0, 1])), (first * 3.0 + third) / 4.0);
    }

    #[test]
    #[should_panic(expected = "wrong number of weights for the input [3, 3]; expected [3], got [2]")]
    fn weights_of_another_number_of_classes_panic() {
        let device = Default::default();
        let loss = CrossEntropyLossConfig::new().with_weights(Some([1.0, 2.0].into())).init(&device);
        let _loss = loss.forward(logits(), targets([0, 1, 2]));
    }
}
