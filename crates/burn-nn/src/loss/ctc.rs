use super::Reduction;
use super::ctc_lattice::Lattice;
use super::targets::as_floats;
use crate::display::one_line;
use alloc::vec::Vec;
use burn_core::config::Config;
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::ops::{in_operation, try_in_operation};
use burn_core::tensor::{Backend, DType, Int, Tensor, TensorError};

/// Options of [`CtcLoss`].
#[derive(Config, Debug)]
pub struct CtcLossConfig {
    /// Class that stands for no label.
    #[config(default = 0)]
    pub blank: usize,
    /// Whether an infinite loss, of a target that is too long for its input, counts as 0.
    #[config(default = false)]
    pub zero_infinity: bool,
}

impl CtcLossConfig {
    /// Returns the loss.
    pub fn init(&self) -> CtcLoss {
        CtcLoss { blank: self.blank, zero_infinity: self.zero_infinity }
    }
}

/// Connectionist temporal classification: the negative log-probability of a sequence of labels, summed over
/// all alignments with the frames of the input. An alignment has one class per frame; without repetitions and
/// blanks it is the target (Graves et al. 2006). PyTorch: `torch.nn.CTCLoss`.
///
/// The forward and the backward recursion run in the logarithm, as one loop over time for the whole batch and
/// all labels. The gradient is the exact one by the log-probabilities; after a log-softmax it is that of
/// PyTorch. It is 0 where the loss is infinite.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{CtcLossConfig, Reduction};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// // Two frames, one sample, two classes of equal probability; the target is one label.
/// let log_probs = Tensor::<NdArray, 3>::full([2, 1, 2], 0.5_f64.ln(), &device);
/// let targets = Tensor::<NdArray, 2, Int>::from_data([[1]], &device);
/// let lengths = |length: i64| Tensor::<NdArray, 1, Int>::from_data([length], &device);
/// let loss = CtcLossConfig::new().init().forward(log_probs, targets, lengths(2), lengths(1), Reduction::Mean);
/// // Three of four alignments: `1 1`, `0 1` and `1 0`.
/// assert!((loss.into_scalar() + 0.75_f32.ln()).abs() < 1e-6);
/// ```
#[derive(Module, Clone, Copy, Debug)]
#[module(custom_display)]
pub struct CtcLoss {
    /// Class that stands for no label.
    pub blank: usize,
    /// Whether an infinite loss counts as 0.
    pub zero_infinity: bool,
}

/// Options of [`ctc_loss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CtcLossOptions {
    /// Class that stands for no label.
    pub blank: usize,
    /// Whether an infinite loss, of a target that is too long for its input, counts as 0.
    pub zero_infinity: bool,
    /// Reduction of the losses of the samples; [`Reduction::Mean`] divides each loss by the length of its
    /// target first.
    pub reduction: Reduction,
}

impl Default for CtcLossOptions {
    fn default() -> Self {
        CtcLossOptions { blank: 0, zero_infinity: false, reduction: Reduction::Mean }
    }
}

/// Computes the loss of connectionist temporal classification, shape `[1]`, as [`CtcLoss`] does: of
/// log-probabilities `[time, batch, classes]`, targets `[batch, length]`, and the number of frames and of
/// labels of each sample, `[batch]`. PyTorch: `torch.nn.functional.ctc_loss`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::loss::{CtcLossOptions, ctc_loss};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let log_probs = Tensor::<NdArray, 3>::full([2, 1, 2], 0.5_f64.ln(), &device);
/// let targets = Tensor::<NdArray, 2, Int>::from_data([[1]], &device);
/// let lengths = |length: i64| Tensor::<NdArray, 1, Int>::from_data([length], &device);
/// let loss = ctc_loss(log_probs, targets, lengths(2), lengths(1), CtcLossOptions::default());
/// // Three of four alignments: `1 1`, `0 1` and `1 0`.
/// assert!((loss.into_scalar() + 0.75_f32.ln()).abs() < 1e-6);
/// ```
///
/// # Panics
/// Those of [`CtcLoss::forward`].
#[track_caller]
pub fn ctc_loss<B: Backend>(
    log_probs: Tensor<B, 3>,
    targets: Tensor<B, 2, Int>,
    input_lengths: Tensor<B, 1, Int>,
    target_lengths: Tensor<B, 1, Int>,
    options: CtcLossOptions,
) -> Tensor<B, 1> {
    let CtcLossOptions { blank, zero_infinity, reduction } = options;
    let loss = CtcLoss { blank, zero_infinity };
    loss.forward(log_probs, targets, input_lengths, target_lengths, reduction)
}

/// [`ctc_loss`], and what is wrong as a value.
///
/// # Errors
/// When [`ctc_loss`] panics, and when a length or a class is out of its range.
#[track_caller]
pub fn try_ctc_loss<B: Backend>(
    log_probs: Tensor<B, 3>,
    targets: Tensor<B, 2, Int>,
    input_lengths: Tensor<B, 1, Int>,
    target_lengths: Tensor<B, 1, Int>,
    options: CtcLossOptions,
) -> Result<Tensor<B, 1>, TensorError> {
    let CtcLossOptions { blank, zero_infinity, reduction } = options;
    let loss = CtcLoss { blank, zero_infinity };
    loss.try_forward(log_probs, targets, input_lengths, target_lengths, reduction)
}

impl CtcLoss {
    /// Computes the reduced loss, shape `[1]`, of log-probabilities `[time, batch, classes]`, targets
    /// `[batch, length]`, and the number of frames and of labels of each sample, `[batch]`. Labels from the
    /// target's length on are not looked at.
    ///
    /// [`Reduction::Mean`] divides each loss by the length of its target, or by 1 if that is 0, before the
    /// mean.
    ///
    /// # Panics
    /// The sizes differ, or a length or a class is out of its range; the latter where the backend computes at
    /// once, see [`try_forward`](Self::try_forward).
    #[track_caller]
    pub fn forward<B: Backend>(
        &self,
        log_probs: Tensor<B, 3>,
        targets: Tensor<B, 2, Int>,
        input_lengths: Tensor<B, 1, Int>,
        target_lengths: Tensor<B, 1, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        let lengths = target_lengths.clone();
        let losses = self.forward_no_reduction(log_probs, targets, input_lengths, target_lengths);
        match reduction {
            Reduction::Mean | Reduction::Auto => {
                let lengths = as_floats(lengths.clamp_min(1), &losses);
                (losses / lengths).mean()
            }
            Reduction::Sum | Reduction::BatchMean => reduction.reduce(losses),
        }
    }

    /// Computes [`forward`](Self::forward) and returns what is wrong as a value; reads the lengths and the
    /// targets.
    ///
    /// # Errors
    /// The sizes differ, or a length or a class is out of its range.
    #[track_caller]
    pub fn try_forward<B: Backend>(
        &self,
        log_probs: Tensor<B, 3>,
        targets: Tensor<B, 2, Int>,
        input_lengths: Tensor<B, 1, Int>,
        target_lengths: Tensor<B, 1, Int>,
        reduction: Reduction,
    ) -> Result<Tensor<B, 1>, TensorError> {
        try_in_operation("ctc_loss", || {
            self.check_sizes(&log_probs, &targets, &input_lengths, &target_lengths)?;
            let ([time, _, classes], [_, length]) = (log_probs.dims(), targets.dims());
            let frames: Vec<i64> = input_lengths.clone().try_into_data()?.iter().collect();
            check_range("input_lengths", &frames, time)?;
            let lengths: Vec<i64> = target_lengths.clone().try_into_data()?.iter().collect();
            check_range("target_lengths", &lengths, length)?;
            let labels: Vec<i64> = targets.clone().try_into_data()?.iter().collect();
            for (row, &count) in labels.chunks(length.max(1)).zip(&lengths) {
                check_range("targets", &row[..count as usize], classes.saturating_sub(1))?;
            }
            Ok(self.forward(log_probs, targets, input_lengths, target_lengths, reduction))
        })
    }

    /// Computes the loss per sample, `[batch]`, without a reduction.
    ///
    /// # Panics
    /// Those of [`forward`](Self::forward).
    #[track_caller]
    pub fn forward_no_reduction<B: Backend>(
        &self,
        log_probs: Tensor<B, 3>,
        targets: Tensor<B, 2, Int>,
        input_lengths: Tensor<B, 1, Int>,
        target_lengths: Tensor<B, 1, Int>,
    ) -> Tensor<B, 1> {
        if let Err(error) = self.check_sizes(&log_probs, &targets, &input_lengths, &target_lengths) {
            error.raise();
        }
        in_operation("ctc_loss", || {
            // Sums of many logarithms need more than the precision of 16 bits.
            let is_short = matches!(log_probs.dtype(), DType::F16 | DType::BF16);
            let log_probs = if is_short { log_probs.to_full_precision() } else { log_probs };
            let tracked = B::tracks_gradients(&log_probs.device());
            let lattice = Lattice::new(log_probs, targets, input_lengths, target_lengths, self.blank);
            let (losses, infinite) = if tracked { lattice.tracked_losses() } else { lattice.losses() };
            let infinity = if self.zero_infinity { 0.0 } else { f64::INFINITY };
            losses.mask_fill(infinite, infinity)
        })
    }

    #[track_caller]
    fn check_sizes<B: Backend>(
        &self,
        log_probs: &Tensor<B, 3>,
        targets: &Tensor<B, 2, Int>,
        input_lengths: &Tensor<B, 1, Int>,
        target_lengths: &Tensor<B, 1, Int>,
    ) -> Result<(), TensorError> {
        let [time, batch, classes] = log_probs.dims();
        let fail = |message: core::fmt::Arguments<'_>| Err(TensorError::argument("ctc_loss", message));
        let sizes = [
            ("targets", targets.dims()[0]),
            ("input_lengths", input_lengths.dims()[0]),
            ("target_lengths", target_lengths.dims()[0]),
        ];
        if let Some((name, found)) = sizes.into_iter().find(|(_, size)| *size != batch) {
            let dims = log_probs.dims();
            return fail(format_args!(
                "wrong batch size of `{name}` for the input {dims:?}; expected {batch}, got {found}"
            ));
        }
        if time == 0 {
            return fail(format_args!("the input {:?} has no frames; expected at least 1", log_probs.dims()));
        }
        if self.blank >= classes {
            let blank = self.blank;
            return fail(format_args!("`blank` is no class; expected a number below {classes}, got {blank}"));
        }
        Ok(())
    }
}

#[track_caller]
fn check_range(name: &str, values: &[i64], most: usize) -> Result<(), TensorError> {
    let outside = values.iter().position(|&value| usize::try_from(value).map_or(true, |value| value > most));
    match outside {
        Some(index) => Err(TensorError::argument(
            "ctc_loss",
            format_args!(
                "invalid `{name}`; expected numbers in 0..={most}, got {} at {index}",
                values[index]
            ),
        )),
        None => Ok(()),
    }
}

impl ModuleDisplay for CtcLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
