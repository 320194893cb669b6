use super::class_counts::ConfusionCounts;
use burn_tensor::{Backend, Int, Tensor};

/// Scores of a batch, and the classes or labels that are right.
///
/// Input of [`PrecisionMetric`](super::PrecisionMetric), [`RecallMetric`](super::RecallMetric),
/// [`FBetaMetric`](super::FBetaMetric), [`AurocMetric`](super::AurocMetric) and
/// [`HammingMetric`](super::HammingMetric).
#[derive(Clone, Debug)]
pub struct ClassificationInput<B: Backend> {
    /// The scores, `[batch, classes]`.
    pub scores: Tensor<B, 2>,
    /// The right answers.
    pub targets: ClassificationTargets<B>,
}

/// The right answers of a batch.
#[derive(Clone, Debug)]
pub enum ClassificationTargets<B: Backend> {
    /// One class for each row, `[batch]`: the class with the highest score is the prediction.
    Classes(Tensor<B, 1, Int>),
    /// Each label holds (1) or not (0), `[batch, labels]`: labels with a score above a threshold are
    /// predicted.
    Labels(Tensor<B, 2, Int>),
}

impl<B: Backend> ClassificationInput<B> {
    /// Pairs scores `[batch, classes]` with exclusive classes `[batch]`.
    pub fn multiclass(scores: Tensor<B, 2>, classes: Tensor<B, 1, Int>) -> Self {
        Self { scores, targets: ClassificationTargets::Classes(classes) }
    }

    /// Pairs probabilities `[batch, labels]` with labels of 0 and 1, `[batch, labels]`.
    pub fn multilabel(scores: Tensor<B, 2>, labels: Tensor<B, 2, Int>) -> Self {
        Self { scores, targets: ClassificationTargets::Labels(labels) }
    }

    /// Pairs probabilities `[batch]` of the positive class with 0 and 1, `[batch]`.
    pub fn binary(scores: Tensor<B, 1>, labels: Tensor<B, 1, Int>) -> Self {
        Self::multilabel(scores.unsqueeze_dim(1), labels.unsqueeze_dim(1))
    }

    #[track_caller]
    pub(super) fn counts(&self, threshold: f64, pad: Option<usize>, top_k: usize) -> ConfusionCounts {
        let scores = self.scores.clone().detach();
        match &self.targets {
            ClassificationTargets::Classes(classes) => {
                let count = scores.dims()[1];
                let targets = classes.clone().into_data();
                if top_k > 1 && count > 1 {
                    let (_, predictions) = scores.topk_with_indices(top_k.min(count), 1);
                    return ConfusionCounts::of_top_k(&predictions.into_data(), &targets, count, pad);
                }
                ConfusionCounts::of_classes(&scores.argmax(1).into_data(), &targets, count, pad)
            }
            ClassificationTargets::Labels(labels) => {
                ConfusionCounts::of_labels(&scores.into_data(), &labels.clone().into_data(), threshold)
            }
        }
    }
}
