use super::embedding::own_indices;
use super::split_weight::{compute, wrong_argument};
use crate::Collective;
use crate::{CollectiveError, Communicator, Reduction};
use burn_nn::loss::CrossEntropyLoss;
use burn_tensor::backend::Backend;
use burn_tensor::{Bool, DType, Int, Tensor};

const NAME: &str = "ParallelCrossEntropy";

/// Cross-entropy loss of logits whose classes are split over ranks: no rank has the logits of all classes.
///
/// Each rank has the logits `[batch, classes / ranks]` of its classes, such as a
/// [`ColumnParallelLinear`](crate::ColumnParallelLinear) computes, and all have the same targets `[batch]`.
/// The maximum of each sample, then the sum of the exponentials and the logit of the target, are reduced over
/// ranks: a few numbers for each sample. All ranks get the same loss.
///
/// PyTorch: `torch.distributed.tensor.parallel.loss_parallel` (Shoeybi et al. 2019).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::collective::{CollectiveError, Local, ParallelCrossEntropy};
/// use burn::nn::loss::{CrossEntropyLoss, CrossEntropyLossConfig};
/// use burn::tensor::{Int, Tensor};
///
/// let losses = Local::run(2, |communicator| {
///     let device = Default::default();
///     let loss: CrossEntropyLoss<NdArray> = CrossEntropyLossConfig::new().init(&device);
///     let loss = ParallelCrossEntropy::from_cross_entropy(&loss, &communicator)?;
///     // Six classes, three on each rank.
///     let logits = Tensor::<NdArray, 2>::zeros([2, 3], &device);
///     let targets = Tensor::<NdArray, 1, Int>::from_data([1, 5], &device);
///     Ok::<_, CollectiveError>(loss.try_forward(logits, targets)?.into_scalar())
/// })?;
/// assert!((losses[0].clone()? - 6_f32.ln()).abs() < 1e-6);
/// assert_eq!(losses[0], losses[1]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[doc(alias = "vocab_parallel_cross_entropy")]
#[derive(Clone, Debug)]
pub struct ParallelCrossEntropy {
    communicator: Communicator,
    pad_tokens: Vec<usize>,
    smoothing: f64,
}

impl ParallelCrossEntropy {
    /// Returns the loss with the padding tokens and the label smoothing of `loss`.
    ///
    /// # Errors
    /// When the loss has class weights, or its input is probabilities.
    pub fn from_cross_entropy<B: Backend>(
        loss: &CrossEntropyLoss<B>,
        communicator: &Communicator,
    ) -> Result<Self, CollectiveError> {
        const NAME: &str = "ParallelCrossEntropy::from_cross_entropy";
        if loss.weights.is_some() {
            return Err(wrong_argument(communicator, NAME, "weights", "no class weights", "weights"));
        }
        if !loss.logits {
            return Err(wrong_argument(communicator, NAME, "logits", "true", "false"));
        }
        Ok(ParallelCrossEntropy {
            communicator: communicator.clone(),
            pad_tokens: loss.pad_tokens.clone().unwrap_or_default(),
            smoothing: loss.smoothing.unwrap_or(0.0),
        })
    }

    /// Computes the mean loss, shape `[1]`, of the logits `[batch, classes / ranks]` of this rank and targets
    /// `[batch]`.
    ///
    /// # Panics
    /// When [`try_forward`](Self::try_forward) has an error.
    #[track_caller]
    pub fn forward<B: Backend>(&self, logits: Tensor<B, 2>, targets: Tensor<B, 1, Int>) -> Tensor<B, 1> {
        self.try_forward(logits, targets).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Computes the mean loss over the samples whose target is no padding token, as
    /// [`forward`](Self::forward); NaN where all targets are. Logits of half precision are computed with in
    /// `f32`.
    ///
    /// # Errors
    /// When the sizes differ, a target is neither a class nor a padding token, where the backend computes at
    /// once, and those of [`Communicator::all_reduce`].
    pub fn try_forward<B: Backend>(
        &self,
        logits: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
    ) -> Result<Tensor<B, 1>, CollectiveError> {
        let ([batch, part], [count]) = (logits.dims(), targets.dims());
        if batch != count {
            let (expected, found) = (format!("[{batch}]"), format!("[{count}]"));
            return Err(wrong_argument(&self.communicator, NAME, "targets", expected, found));
        }
        let is_half = logits.dtype() == DType::F16 || logits.dtype() == DType::BF16;
        let logits = if is_half { logits.cast(DType::F32) } else { logits };
        let max = compute(&self.communicator, NAME, || logits.clone().detach().max_dim(1))?;
        let max = self.communicator.linear(max, Collective::AllReduce(Reduction::Max))?;
        let padded = self.padded(&targets);
        let sums =
            compute(&self.communicator, NAME, || self.own_sums(logits - max, targets, padded.clone(), part))?;
        let sums = self.communicator.linear(sums, Collective::LeaveSplit)?;
        let classes = part * self.communicator.world_size();
        compute(&self.communicator, NAME, || self.mean_loss(sums, padded, classes))
    }

    fn padded<B: Backend>(&self, targets: &Tensor<B, 1, Int>) -> Option<Tensor<B, 1, Bool>> {
        let masks = self.pad_tokens.iter().map(|token| targets.clone().equal_elem(*token as i64));
        masks.reduce(|one, other| one.bool_or(other))
    }

    /// Columns over the classes of this rank: sum of the exponentials, logit of the target, and with
    /// smoothing the sum of logits.
    fn own_sums<B: Backend>(
        &self,
        logits: Tensor<B, 2>,
        targets: Tensor<B, 1, Int>,
        padded: Option<Tensor<B, 1, Bool>>,
        part: usize,
    ) -> Tensor<B, 2> {
        let [batch, _] = logits.dims();
        // A padding token need not be a class.
        let targets = match padded {
            Some(padded) => targets.mask_fill(padded, 0),
            None => targets,
        };
        let (own, elsewhere) = own_indices(targets.reshape([batch, 1]), part, &self.communicator);
        let picked = logits.clone().gather(1, own).mask_fill(elsewhere, 0.0);
        let mut columns = vec![logits.clone().exp().sum_dim(1), picked];
        if self.smoothing > 0.0 {
            columns.push(logits.sum_dim(1));
        }
        Tensor::cat(columns, 1)
    }

    fn mean_loss<B: Backend>(
        &self,
        sums: Tensor<B, 2>,
        padded: Option<Tensor<B, 1, Bool>>,
        classes: usize,
    ) -> Tensor<B, 1> {
        let [batch, _] = sums.dims();
        let column = |at: usize| sums.clone().narrow(1, at, 1).reshape([batch]);
        let log_sum = column(0).log();
        let mut losses = log_sum.clone() - column(1);
        if self.smoothing > 0.0 {
            let over_classes = log_sum - column(2) / classes as f64;
            losses = losses * (1.0 - self.smoothing) + over_classes * self.smoothing;
        }
        match padded {
            Some(padded) => {
                let losses = losses.mask_fill(padded.clone(), 0.0);
                let count = padded.bool_not().float().cast(losses.dtype()).sum();
                losses.sum() / count
            }
            None => losses.mean(),
        }
    }
}
