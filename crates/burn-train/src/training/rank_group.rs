//! Ranks that train one model together: what a run asks of them. They are objects, so that a program without
//! them compiles none of it.

use crate::TrainError;
use burn_core::tensor::backend::GradientHook;
use burn_optim::GradientsParams;

/// Group of ranks, as far as it knows no types.
pub(super) trait RankGroup: Send {
    fn rank(&self) -> usize;

    fn world_size(&self) -> usize;

    /// Gives every rank the same bytes, and returns those of each, by rank.
    ///
    /// # Errors
    /// If a rank ended or failed.
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TrainError>;
}

/// Group of ranks that train a model `M`.
pub(super) trait Ranks<M>: Send {
    fn group(&self) -> &dyn RankGroup;

    /// Gives every rank the parameters and buffers of rank 0.
    ///
    /// # Errors
    /// If ranks have different models, or a rank ended or failed.
    fn synchronize(&self, model: M) -> Result<M, TrainError>;

    /// Begins a step with the batches of all ranks, of which that of this one has `items` items; none where
    /// no rank has a batch.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    fn begin_step(&self, model: &M, items: usize) -> Result<Option<Box<dyn StepReduction>>, TrainError>;

    /// Begins the last batch of a step: the gradients of ranks are added, those of `earlier` batches as they
    /// are and those of the backward pass that comes next times `weight`, if this rank has a batch.
    ///
    /// # Errors
    /// As [`synchronize`](Self::synchronize).
    fn begin_last(
        &self,
        model: &M,
        earlier: GradientsParams,
        weight: Option<f64>,
    ) -> Result<Box<dyn StepReduction>, TrainError>;
}

/// Ranks of a run, if it has them.
pub(super) type RunRanks<M> = Option<Box<dyn Ranks<M>>>;

/// Reduction of the gradients of one step.
pub(super) trait StepReduction {
    /// Returns what backward passes give their gradients.
    fn hook(&self) -> GradientHook;

    /// Waits for the gradients of all ranks.
    ///
    /// # Errors
    /// If a rank ended or failed.
    fn finish(self: Box<Self>, grads: GradientsParams) -> Result<GradientsParams, TrainError>;
}

impl dyn RankGroup + '_ {
    /// Waits until every rank is here.
    pub(super) fn barrier(&self) -> Result<(), TrainError> {
        self.gather(&[]).map(drop)
    }

    /// Returns the bytes of rank 0.
    pub(super) fn of_rank_0(&self, bytes: &[u8]) -> Result<Vec<u8>, TrainError> {
        let own = if self.rank() == 0 { bytes } else { &[] };
        Ok(self.gather(own)?.into_iter().next().unwrap_or_default())
    }

    /// Returns a number of rank 0.
    pub(super) fn number_of_rank_0(&self, number: u64) -> Result<u64, TrainError> {
        let bytes = self.of_rank_0(&number.to_le_bytes())?;
        Ok(bytes.first_chunk().map_or(number, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// Returns the share that this rank has of the items of a batch, where it has `items` of them; none where
    /// no rank has any.
    pub(super) fn share(&self, items: usize) -> Result<Option<f64>, TrainError> {
        let all = self.gather(&(items as u64).to_le_bytes())?;
        let number = |bytes: &Vec<u8>| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let total: u64 = all.iter().map(number).sum();
        Ok((total > 0).then(|| items as f64 / total as f64))
    }

    /// Returns the seed of the random numbers of a step on this rank: each has others, rank 0 those of a run
    /// without ranks.
    pub(super) fn seed(&self, seed: u64) -> u64 {
        seed ^ (self.rank() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
