use super::batch_progress::BatchProgress;
use super::fitting::Fitting;
use super::gradient_steps::StepDecision;
use super::step::{TrainStep, ValidStep};
use super::step_hook;
use super::workload::{BatchDone, Position};
use crate::TrainError;
use crate::renderer::MetricState;
use burn_core::module::AutodiffModule;
use burn_core::tensor::AutodiffBackend;
use burn_core::tensor::backend::GradientHook;
use burn_optim::lr_scheduler::LrScheduler;
use burn_optim::{GradientsParams, Optimizer};

/// Gradients and outputs of the batch of this rank.
type OwnBatch<T> = (GradientsParams, Vec<(T, BatchProgress)>);

impl<B, I, J, T, V, M, O, S> Fitting<'_, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B> + TrainStep<I, T>,
    M::InnerModule: ValidStep<J, V>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    /// Takes the batch of this rank, of those of all ranks; one that has none left takes part without.
    pub(super) fn rank_batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        let next = self.train.next(at.epoch)?;
        // A loader that does not count items has batches of one size.
        let items = next.as_ref().map_or(0, |(_, progress)| progress.items.max(1));
        let done = if self.gradients.reduces_once() {
            self.kept_batch(at, (next, items), states)?
        } else {
            self.reduced_batch(at, (next, items), states)?
        };
        if let (Some(_), Some(ranks)) = (&done, &self.ranks) {
            self.train.combine(ranks.group(), states)?;
        }
        Ok(done)
    }

    /// Reduces the gradients of the batch over ranks.
    fn reduced_batch(
        &mut self,
        at: &Position,
        (next, items): (Option<(I, BatchProgress)>, usize),
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        let Some(ranks) = &self.ranks else { return Ok(None) };
        let Some(reduction) = ranks.begin_step(self.model(), items)? else { return Ok(None) };
        let (grads, outputs) = self.own_batch(at, next, Some(reduction.hook()))?;
        let grads = reduction.finish(grads)?;
        self.finish_step(at, grads, outputs, states).map(Some)
    }

    /// Keeps the gradients of the batch on the rank, and reduces those of all batches of a step with the
    /// last.
    fn kept_batch(
        &mut self,
        at: &Position,
        (next, items): (Option<(I, BatchProgress)>, usize),
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        let share = self.ranks.as_ref().map(|ranks| ranks.group().share(items)).transpose()?;
        let Some(share) = share.flatten() else { return Ok(None) };
        if !self.gradients.is_last() {
            let (mut grads, outputs) = self.own_batch(at, next, None)?;
            grads.scale(share);
            self.gradients.keep(grads);
            return self.apply(at, StepDecision::Wait, outputs, states).map(Some);
        }
        let (earlier, weight) = (self.gradients.take_kept(), next.is_some().then_some(share));
        let Some(ranks) = &self.ranks else { return Ok(None) };
        let reduction = ranks.begin_last(self.model(), earlier, weight)?;
        let (grads, outputs) = self.own_batch(at, next, Some(reduction.hook()))?;
        let decision = self.gradients.finish(reduction.finish(grads)?);
        self.apply(at, decision, outputs, states).map(Some)
    }

    /// Makes the step of this rank, if it has a batch.
    fn own_batch(
        &self,
        at: &Position,
        next: Option<(I, BatchProgress)>,
        hook: Option<GradientHook>,
    ) -> Result<OwnBatch<T>, TrainError> {
        if let Some(ranks) = &self.ranks {
            B::seed(ranks.group().seed(at.seed));
        }
        let Some((batch, progress)) = next else { return Ok((GradientsParams::new(), Vec::new())) };
        self.gradients.begin();
        step_hook::request(hook);
        let output = self.step(0, batch);
        step_hook::request(None);
        self.gradients.check()?;
        Ok((output.grads, vec![(output.item, progress)]))
    }
}
