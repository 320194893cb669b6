use super::average::ParameterAverage;
use super::batch_progress::BatchProgress;
use super::checkpoint_parts::CheckpointParts;
use super::gradient_steps::{GradientSteps, StepDecision};
use super::phase::Phase;
use super::rank_group::{RankGroup, RunRanks};
use super::step::{TrainStep, ValidStep};
use super::workload::{BatchDone, Position, Workload};
use crate::checkpoint::Part;
use crate::renderer::{Interrupter, MetricState};
use crate::{Split, TrainError, TrainOutput};
use burn_core::module::AutodiffModule;
use burn_core::record::{IntoNode, Node};
use burn_core::tensor::AutodiffBackend;
use burn_core::tensor::backend::ReplicaScope;
use burn_dataset::dataloader::Progress;
use burn_optim::lr_scheduler::LrScheduler;
use burn_optim::{GradientsAccumulator, GradientsParams, Optimizer};
use std::marker::PhantomData;

/// The devices of a step, of which each takes a batch.
pub(super) struct Replicas<I, D> {
    /// None where the step runs wherever model and batch are.
    pub(super) devices: Vec<D>,
    /// Moves a batch, as far as its type allows.
    pub(super) to_device: fn(I, &D) -> I,
}

/// A model that is being trained: the workload of the loop.
pub(super) struct Fitting<'a, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
{
    /// None only while the optimizer has it.
    model: Option<M>,
    optim: O,
    scheduler: S,
    lr: Option<f64>,
    average: Option<Box<dyn ParameterAverage<M>>>,
    /// The model of the best epoch, where the run returns it.
    best: Option<M>,
    returns_best: bool,
    pub(super) gradients: GradientSteps,
    replicas: Replicas<I, B::Device>,
    pub(super) ranks: RunRanks<M>,
    pub(super) train: Phase<'a, I, T>,
    valid: Phase<'a, J, V>,
    valid_model: Option<M::InnerModule>,
    /// The mean loss of the validation so far, if it is a metric.
    valid_loss: Option<f64>,
    backend: PhantomData<fn(B)>,
}

impl<'a, B, I, J, T, V, M, O, S> Fitting<'a, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    pub(super) fn new(
        parts: CheckpointParts<M, O, S>,
        (lr, gradients): (Option<f64>, GradientSteps),
        (train, valid): (Phase<'a, I, T>, Phase<'a, J, V>),
        (replicas, ranks): (Replicas<I, B::Device>, RunRanks<M>),
    ) -> Self {
        let on_ranks = ranks.is_some();
        Self {
            model: Some(parts.model),
            optim: parts.optim,
            scheduler: parts.scheduler,
            lr,
            average: parts.average,
            best: parts.best,
            returns_best: false,
            gradients,
            replicas,
            ranks,
            train: if on_ranks { train.on_ranks() } else { train },
            valid: if on_ranks { valid.on_ranks() } else { valid },
            valid_model: None,
            valid_loss: None,
            backend: PhantomData,
        }
    }

    /// Returns the model that is given back: the best one where that was asked for, else the last one.
    pub(super) fn result(mut self) -> M {
        match self.best.take() {
            Some(best) if self.returns_best => best,
            Some(_) | None => self.averaged(),
        }
    }

    /// Returns the model that is validated: with averaged parameters, where there are averages.
    fn averaged(&self) -> M {
        averaged(self.model(), self.average.as_deref())
    }

    pub(super) fn model(&self) -> &M {
        self.model.as_ref().expect(HERE)
    }

    /// Takes the next rate, which the metrics of the step get.
    fn next_lr(&mut self) -> f64 {
        *self.lr.insert(self.scheduler.step())
    }

    /// Passes the scheduler the loss of a whole validation.
    fn report_valid_loss(&mut self) {
        if let Some(loss) = self.valid_loss.take() {
            self.scheduler.report(loss);
        }
    }

    /// Lets the operations of this thread run on one of the devices.
    fn scope(&self, index: usize) -> Option<ReplicaScope> {
        let device = self.replicas.devices.get(index)?;
        Some(ReplicaScope::enter::<B::InnerBackend>(device.clone()))
    }

    /// Returns the mean of the gradients of several devices on the first of them.
    fn mean(&self, parts: Vec<GradientsParams>, shares: &[f64]) -> Option<GradientsParams> {
        let (mut sums, first) = (GradientsAccumulator::new(), self.replicas.devices.first()?);
        for (mut part, share) in parts.into_iter().zip(shares) {
            part.scale(*share);
            sums.accumulate(&(), part.to_device::<B::InnerBackend>(first));
        }
        Some(sums.grads())
    }

    /// Returns the gradients that wait at the end of an epoch, of all ranks.
    fn rest(&mut self) -> Result<Option<GradientsParams>, TrainError> {
        let reduces = self.gradients.is_waiting() && self.gradients.reduces_once();
        match &self.ranks {
            Some(ranks) if reduces => {
                let kept = self.gradients.take_kept();
                let reduction = ranks.begin_last(self.model(), kept, None)?;
                Ok(self.gradients.finish_rest(reduction.finish(GradientsParams::new())?))
            }
            Some(_) | None => Ok(self.gradients.rest()),
        }
    }

    fn optimizer_step(&mut self, lr: f64, grads: GradientsParams) {
        let model = self.model.take().expect(HERE);
        let model = self.optim.step(lr, model, grads);
        if let Some(average) = &mut self.average {
            average.update(&model);
        }
        self.model = Some(model);
    }

    /// Measures the outputs of a step, one of each replica, and learns from its gradients. The outputs are
    /// dropped before: the graph that they hold would keep the optimizer from writing parameters in place.
    pub(super) fn finish_step(
        &mut self,
        at: &Position,
        grads: GradientsParams,
        outputs: Vec<(T, BatchProgress)>,
        states: &mut Vec<MetricState>,
    ) -> Result<BatchDone, TrainError> {
        let decision = self.gradients.add(grads)?;
        self.apply(at, decision, outputs, states)
    }

    /// Measures the outputs of a step, and learns from its gradients where that was decided.
    pub(super) fn apply(
        &mut self,
        at: &Position,
        decision: StepDecision,
        outputs: Vec<(T, BatchProgress)>,
        states: &mut Vec<MetricState>,
    ) -> Result<BatchDone, TrainError> {
        let lr = matches!(decision, StepDecision::Step(_)).then(|| self.next_lr());
        let mut done =
            BatchDone { progress: Progress::default(), lr: self.lr, accumulating: false, skipped: false };
        done.skipped = matches!(decision, StepDecision::SkipBatch);
        for (index, (item, progress)) in outputs.into_iter().enumerate() {
            done.progress = progress.progress;
            if !done.skipped {
                let _scope = self.scope(index);
                self.train.measure(&item, (at, progress, self.lr), states);
            }
        }
        done.accumulating = self.gradients.is_waiting();
        if let (StepDecision::Step(grads), Some(lr)) = (decision, lr) {
            self.optimizer_step(lr, grads);
        }
        Ok(done)
    }
}

/// Returns the share of each batch in a step, by its items; a loader that does not count them has batches of
/// one size.
fn shares(items: impl Iterator<Item = usize> + Clone) -> Vec<f64> {
    let total: usize = items.clone().sum();
    let count = items.clone().count();
    let share = |items| if total > 0 { items as f64 / total as f64 } else { 1.0 / count as f64 };
    items.map(share).collect()
}

/// Returns whether any rank is asked to stop, and asks this one too. A request that comes meanwhile counts at
/// the next call.
fn stop_together(group: &dyn RankGroup, interrupter: &Interrupter) -> Result<bool, TrainError> {
    let own = interrupter.reason().map(|reason| format!("!{reason}")).unwrap_or_default();
    let reasons = group.gather(own.as_bytes())?;
    let reason = reasons.iter().find_map(|reason| reason.strip_prefix(b"!"));
    if let Some(reason) = reason {
        interrupter.stop(String::from_utf8_lossy(reason));
    }
    Ok(reason.is_some())
}

/// Returns the model with averaged parameters, where there are averages.
pub(super) fn averaged<M: Clone>(model: &M, average: Option<&dyn ParameterAverage<M>>) -> M {
    match average {
        Some(average) => average.average(model.clone()),
        None => model.clone(),
    }
}

/// Returns the mean over the epoch so far, if this is the metric of the loss.
fn mean_loss(state: &MetricState) -> Option<f64> {
    match state {
        MetricState::Numeric(entry, value) if entry.name == "Loss" => Some(*value),
        MetricState::Numeric(..) | MetricState::Generic(_) => None,
    }
}

const HERE: &str = "the optimizer has given the model back";

impl<B, I, J, T, V, M, O, S> Workload for Fitting<'_, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B> + TrainStep<I, T>,
    M::InnerModule: ValidStep<J, V>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    fn start(&mut self, split: Split, epoch: usize, skipped: usize) -> Result<(), TrainError> {
        match split {
            // A batch of the run is one for each device.
            Split::Train => self.train.start(epoch, skipped * self.replicas.devices.len().max(1)),
            Split::Valid | Split::Test => {
                self.valid_model = Some(self.averaged().valid());
                self.valid.start(epoch, skipped)
            }
        }
    }

    fn batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        match at.split {
            Split::Train if self.ranks.is_some() => self.rank_batch(at, states),
            Split::Train => self.train_batch(at, states),
            Split::Valid | Split::Test => self.valid_batch(at, states),
        }
    }

    fn end(&mut self, split: Split) -> Result<(), TrainError> {
        match split {
            Split::Train => {
                self.train.end();
                if let Some(grads) = self.rest()? {
                    let lr = self.next_lr();
                    self.optimizer_step(lr, grads);
                }
                if let Some(ranks) = &self.ranks {
                    // Parameters are equal; buffers, such as running means, are those of the batches of each
                    // rank.
                    let model = self.model.take().expect(HERE);
                    self.model = Some(ranks.synchronize(model)?);
                }
            }
            Split::Valid | Split::Test => {
                self.valid.end();
                self.valid_model = None;
            }
        }
        Ok(())
    }

    fn should_stop(&self, interrupter: &Interrupter) -> Result<bool, TrainError> {
        match &self.ranks {
            Some(ranks) => stop_together(ranks.group(), interrupter),
            None => Ok(interrupter.should_stop()),
        }
    }

    fn barrier(&self) -> Result<(), TrainError> {
        self.ranks.as_ref().map_or(Ok(()), |ranks| ranks.group().barrier())
    }

    fn keep_best(&mut self) {
        self.best = Some(self.averaged());
    }

    fn return_best(&mut self) -> bool {
        self.returns_best = self.best.is_some();
        self.returns_best
    }

    fn tree(&self, part: Part) -> Option<Node> {
        match part {
            Part::Model => Some(self.model().clone().into_record().into_node()),
            Part::Optim => Some(self.optim.to_record().into_node()),
            Part::Scheduler => Some(self.scheduler.to_record::<B>().into_node()),
            Part::Average => self.average.as_ref().map(|average| average.tree()),
            Part::GradScaler => self.gradients.scaler_tree(),
        }
    }
}

impl<B, I, J, T, V, M, O, S> Fitting<'_, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B> + TrainStep<I, T>,
    M::InnerModule: ValidStep<J, V>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    fn train_batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        let count = self.replicas.devices.len().max(1);
        let mut batches = Vec::with_capacity(count);
        while batches.len() < count {
            let Some(next) = self.train.next(at.epoch)? else { break };
            batches.push(next);
        }
        let shares = shares(batches.iter().map(|(_, progress)| progress.items));
        let (mut parts, mut outputs) = (Vec::with_capacity(batches.len()), Vec::with_capacity(batches.len()));
        B::seed(at.seed);
        for (index, (batch, progress)) in batches.into_iter().enumerate() {
            self.gradients.begin();
            let output = self.step(index, batch);
            self.gradients.check()?;
            parts.push(output.grads);
            outputs.push((output.item, progress));
        }
        let grads = if parts.len() > 1 { self.mean(parts, &shares) } else { parts.pop() };
        grads.map(|grads| self.finish_step(at, grads, outputs, states)).transpose()
    }

    /// Looks at the batch of this rank; one that has none left takes part in the means over ranks.
    fn rank_valid_batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        let next = self.valid.next(at.epoch)?;
        let Some(ranks) = &self.ranks else { return Ok(None) };
        let flags = ranks.group().gather(&[u8::from(next.is_some())])?;
        if flags.iter().all(|flag| flag != &[1]) {
            self.report_valid_loss();
            return Ok(None);
        }
        let mut done = Progress::default();
        if let Some((batch, progress)) = next {
            let model = self.valid_model.as_ref().expect("the phase was started");
            let item = ValidStep::step(model, batch);
            self.valid.measure(&item, (at, progress, self.lr), states);
            done = progress.progress;
        }
        self.valid.combine(ranks.group(), states)?;
        self.valid_loss = states.iter().find_map(mean_loss);
        Ok(Some(BatchDone { progress: done, lr: self.lr, accumulating: false, skipped: false }))
    }

    /// Takes the batch of one of the devices.
    pub(super) fn step(&self, index: usize, batch: I) -> TrainOutput<T> {
        let Some(device) = self.replicas.devices.get(index) else {
            return TrainStep::step(self.model(), batch);
        };
        let _scope = self.scope(index);
        let batch = (self.replicas.to_device)(batch, device);
        // The first device has the model itself, so that running statistics of layers are kept.
        let copy = (index > 0).then(|| self.model().clone().fork(device));
        TrainStep::step(copy.as_ref().unwrap_or(self.model()), batch)
    }

    fn valid_batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        if self.ranks.is_some() {
            return self.rank_valid_batch(at, states);
        }
        let Some((batch, progress)) = self.valid.next(at.epoch)? else {
            // Not where a run stops before the last batch: it validates again when it is resumed.
            self.report_valid_loss();
            return Ok(None);
        };
        let model = self.valid_model.as_ref().expect("the phase was started");
        let item = ValidStep::step(model, batch);
        self.valid.measure(&item, (at, progress, self.lr), states);
        self.valid_loss = states.iter().find_map(mean_loss);
        Ok(Some(BatchDone { progress: progress.progress, lr: self.lr, accumulating: false, skipped: false }))
    }
}
