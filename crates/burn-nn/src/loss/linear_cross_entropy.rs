use super::Reduction;
use super::known_gradient::KnownGradient;
use crate::display::one_line;
use crate::half_precision::{is_half, widened};
use crate::input::require;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Bool, DType, Int, Tensor};
use burn_derive::fallible;

/// Options of [`LinearCrossEntropyLoss`].
#[derive(Config, Debug)]
pub struct LinearCrossEntropyLossConfig {
    /// Number of rows whose logits are in memory at once.
    #[config(default = 1024)]
    pub block_rows: usize,
    /// Targets whose rows are ignored.
    #[config(default = "None")]
    pub pad_tokens: Option<Vec<usize>>,
    /// Label smoothing, in `[0, 1]`: the share of the target that is spread evenly over all classes.
    #[config(default = "None")]
    pub smoothing: Option<f64>,
}

#[fallible(config)]
impl LinearCrossEntropyLossConfig {
    /// Returns the loss.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<LinearCrossEntropyLoss, ConfigError> {
        let check = FieldCheck::of("LinearCrossEntropyLossConfig");
        check.at_least("block_rows", self.block_rows, 1)?;
        check.probability("smoothing", self.smoothing.unwrap_or(0.0))?;
        let (block_rows, pad_tokens, smoothing) =
            (self.block_rows, self.pad_tokens.clone(), self.smoothing.unwrap_or(0.0));
        Ok(LinearCrossEntropyLoss { block_rows, pad_tokens, smoothing })
    }
}

/// Cross-entropy loss of a linear projection, `cross_entropy(hidden weight, targets)`, that never has the
/// logits of all rows in memory: `[rows, classes]` is the largest tensor of a language model in training.
/// PyTorch has no counterpart.
///
/// Rows are projected in blocks. The gradients by `hidden` and `weight` are computed with each block, if they
/// are wanted, and the backward pass multiplies them by the gradient of the loss (Hsu et al., "Liger Kernel",
/// 2024). With half-precision operands, the products are of that dtype; the softmax, the sum of the gradients
/// of the weight and the loss are of `f32`. The values are those of
/// [`CrossEntropyLoss`](super::CrossEntropyLoss).
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::nn::loss::LinearCrossEntropyLossConfig;
/// use burn::tensor::{Int, Tensor};
///
/// type B = Autodiff<NdArray>;
/// let device = Default::default();
/// let hidden = Tensor::<B, 2>::ones([6, 8], &device).require_grad();
/// let weight = Tensor::<B, 2>::zeros([8, 4], &device).require_grad();
/// let targets = Tensor::<B, 1, Int>::from_data([0, 3, 1, 1, 0, 2], &device);
///
/// let loss = LinearCrossEntropyLossConfig::new().with_block_rows(2).init();
/// let loss = loss.forward(hidden, weight.clone(), targets);
/// assert!((loss.clone().into_scalar() - 4_f32.ln()).abs() < 1e-6);
/// assert_eq!(weight.grad(&loss.backward()).unwrap().dims(), [8, 4]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct LinearCrossEntropyLoss {
    /// Number of rows whose logits are in memory at once.
    pub block_rows: usize,
    /// Targets whose rows are ignored.
    pub pad_tokens: Option<Vec<usize>>,
    /// Label smoothing.
    pub smoothing: f64,
}

#[fallible(layer = "linear_cross_entropy")]
impl LinearCrossEntropyLoss {
    /// Computes the mean loss, shape `[1]`, of hidden states `[rows, d_model]`, a weight `[d_model, classes]`
    /// and targets `[rows]`. It is NaN when every target is ignored, and of `f32` for half-precision
    /// operands.
    ///
    /// # Panics
    /// The sizes differ, a target is neither a class nor a pad token where the backend computes at once, or
    /// the backend is made for second derivatives (`Autodiff<Autodiff<..>>`), which this loss does not have.
    pub fn forward<B: Backend>(
        &self,
        hidden: Tensor<B, 2>,
        weight: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
    ) -> Tensor<B, 1> {
        self.forward_reduced(hidden, weight, targets, Reduction::Mean)
    }

    /// Computes the reduced loss, shape `[1]`, of hidden states `[rows, d_model]`, a weight `[d_model,
    /// classes]` and targets `[rows]`.
    ///
    /// # Panics
    /// Those of [`forward`](Self::forward).
    pub fn forward_reduced<B: Backend>(
        &self,
        hidden: Tensor<B, 2>,
        weight: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
        reduction: Reduction,
    ) -> Tensor<B, 1> {
        check_operands(&hidden, &weight, &targets);
        let dtype = if is_half(hidden.dtype()) { DType::F32 } else { hidden.dtype() };
        let rows = targets.dims()[0];
        let rows = TargetRows::new(targets, self.pad_tokens.as_deref(), dtype, rows);

        let (by_hidden, hidden_zero) = KnownGradient::of(hidden.clone(), dtype);
        // No gradient flows to numbers of few bits.
        let by_weight = (!weight.is_quantized()).then(|| KnownGradient::of(weight.clone(), dtype));
        let wanted = Wanted {
            hidden: by_hidden.is_wanted(),
            weight: by_weight.as_ref().is_some_and(|(gradient, _)| gradient.is_wanted()),
        };
        let sums = self.sums(hidden.detach(), weight.detach(), &rows, wanted);

        let mut sum = sums.loss + hidden_zero;
        if let Some(gradient) = sums.by_hidden {
            by_hidden.set(gradient);
        }
        if let Some((by_weight, weight_zero)) = by_weight {
            sum = sum + weight_zero;
            if let Some(gradient) = sums.by_weight {
                by_weight.set(gradient);
            }
        }
        match (reduction, rows.kept) {
            (Reduction::Sum, _) => sum,
            (Reduction::Mean | Reduction::Auto, Some(kept)) => sum / kept.sum(),
            (Reduction::Mean | Reduction::Auto | Reduction::BatchMean, _) => sum / rows.count as f64,
        }
    }

    /// Adds up the losses and gradients of all blocks.
    fn sums<B: Backend>(
        &self,
        hidden: Tensor<B, 2>,
        weight: Tensor<B, 2>,
        rows: &TargetRows<B>,
        wanted: Wanted,
    ) -> Sums<B> {
        let (mut loss, mut by_hidden, mut by_weight) = (None, Vec::new(), None);
        for start in (0..rows.count.max(1)).step_by(self.block_rows) {
            let count = self.block_rows.min(rows.count - start);
            let hidden = hidden.clone().narrow(0, start, count);
            let (losses, by_logits) = self.block(&hidden, &weight, rows.narrow(start, count), wanted);
            loss = added(loss, losses.sum());
            let Some(by_logits) = by_logits else { continue };
            if wanted.hidden {
                by_hidden.push(by_logits.clone().matmul(weight.clone().transpose()));
            }
            if wanted.weight {
                // In this order the sum lies in memory as an embedding matrix, which a weight often is.
                by_weight = added(by_weight, widened(by_logits.transpose().matmul(hidden)));
            }
        }
        Sums {
            loss: loss.expect("there is a block"),
            by_hidden: wanted.hidden.then(|| Tensor::cat(by_hidden, 0)),
            by_weight: by_weight.map(Tensor::transpose),
        }
    }

    /// Computes the loss of each row of a block, and the gradients by its logits if any are wanted.
    fn block<B: Backend>(
        &self,
        hidden: &Tensor<B, 2>,
        weight: &Tensor<B, 2>,
        rows: TargetRows<B>,
        wanted: Wanted,
    ) -> (Tensor<B, 2>, Option<Tensor<B, 2>>) {
        let classes = weight.dims()[1];
        let (hit, spread) = (1.0 - self.smoothing, self.smoothing / classes as f64);
        let projected = hidden.clone().matmul(weight.clone());
        let dtype = projected.dtype();
        let picked = widened(projected.clone().gather(1, rows.targets.clone()));
        let logits = widened(projected);
        let largest = logits.clone().max_dim(1);
        let shifted = logits - largest.clone();
        let log_sum = shifted.clone().exp().sum_dim(1).log();
        let mut losses = log_sum.clone() - (picked - largest) * hit;
        if self.smoothing > 0.0 {
            losses = losses - shifted.clone().sum_dim(1) * spread;
        }
        let kept = rows.kept.clone();
        losses = match kept.clone() {
            Some(kept) => losses * kept,
            None => losses,
        };
        if !(wanted.hidden || wanted.weight) {
            return (losses, None);
        }
        let mut by_logits = (shifted - log_sum).exp();
        if self.smoothing > 0.0 {
            by_logits = by_logits - spread;
        }
        let mut by_target = Tensor::full([rows.count, 1], -hit, (&losses.device(), dtype));
        if let Some(kept) = kept {
            by_logits = by_logits * kept.clone();
            by_target = by_target * kept.cast(dtype);
        }
        (losses, Some(by_logits.cast(dtype).scatter(1, rows.targets, by_target)))
    }
}

/// Which gradients the tape may ask for.
#[derive(Clone, Copy)]
struct Wanted {
    hidden: bool,
    weight: bool,
}

/// Sums over all blocks.
struct Sums<B: Backend> {
    loss: Tensor<B, 1>,
    by_hidden: Option<Tensor<B, 2>>,
    by_weight: Option<Tensor<B, 2>>,
}

/// The targets of rows.
struct TargetRows<B: Backend> {
    count: usize,
    /// Target of each row, 0 where it is ignored, `[rows, 1]`.
    targets: Tensor<B, 2, Int>,
    /// 1 where the row counts and 0 where it is ignored, `[rows, 1]`, if any can be.
    kept: Option<Tensor<B, 2>>,
}

impl<B: Backend> TargetRows<B> {
    fn new(targets: Tensor<B, 1, Int>, pad_tokens: Option<&[usize]>, dtype: DType, count: usize) -> Self {
        let targets = targets.reshape([count, 1]);
        let masks = pad_tokens.into_iter().flatten().map(|&token| targets.clone().equal_elem(token));
        let padded: Option<Tensor<B, 2, Bool>> = masks.reduce(|one, other| one.bool_or(other));
        match padded {
            // A padding token need not be a class.
            Some(padded) => TargetRows {
                count,
                targets: targets.mask_fill(padded.clone(), 0),
                kept: Some(padded.bool_not().float().cast(dtype)),
            },
            None => TargetRows { count, targets, kept: None },
        }
    }

    fn narrow(&self, start: usize, count: usize) -> Self {
        let kept = self.kept.clone().map(|kept| kept.narrow(0, start, count));
        TargetRows { count, targets: self.targets.clone().narrow(0, start, count), kept }
    }
}

fn added<B: Backend, const D: usize>(sum: Option<Tensor<B, D>>, x: Tensor<B, D>) -> Option<Tensor<B, D>> {
    Some(match sum {
        Some(sum) => sum + x,
        None => x,
    })
}

#[track_caller]
fn check_operands<B: Backend>(hidden: &Tensor<B, 2>, weight: &Tensor<B, 2>, targets: &Tensor<B, 1, Int>) {
    const LOSS: &str = "linear_cross_entropy";
    let ([rows, d_model], weight, [targets_found]) = (hidden.dims(), weight.dims(), targets.dims());
    require(
        weight[0] == d_model,
        LOSS,
        format_args!("wrong size of the weight; expected [{d_model}, classes], got {weight:?}"),
    );
    require(
        rows == targets_found,
        LOSS,
        format_args!("wrong number of targets; expected [{rows}], got [{targets_found}]"),
    );
    let name = B::name(&hidden.device());
    require(
        name.matches("autodiff").count() < 2,
        LOSS,
        format_args!("no second derivatives on {name}; use CrossEntropyLoss of the logits"),
    );
}

impl ModuleDisplay for LinearCrossEntropyLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}
