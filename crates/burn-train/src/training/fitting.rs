use super::learner::Parts;
use super::nan::nan_key;
use super::side::Side;
use super::step::{TrainStep, ValidStep};
use super::tree_file::TreeFile;
use super::workload::{BatchDone, PartError, Position, Workload};
use crate::checkpoint::Part;
use crate::renderer::MetricState;
use crate::{Split, TrainError, TrainOutput};
use burn_core::module::AutodiffModule;
use burn_core::record::IntoNode;
use burn_core::tensor::AutodiffBackend;
use burn_optim::lr_scheduler::LrScheduler;
use burn_optim::{GradientsAccumulator, GradientsParams, Optimizer};
use std::marker::PhantomData;
use std::path::PathBuf;

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
    accumulation: Accumulation,
    train: Side<'a, I, T>,
    valid: Side<'a, J, V>,
    valid_model: Option<M::InnerModule>,
    /// The mean loss of the validation so far, if it is a metric.
    valid_loss: Option<f64>,
    recorder: Option<&'a dyn TreeFile>,
    backend: PhantomData<fn(B)>,
}

/// Gradients that wait for more of them.
pub(super) struct Accumulation {
    /// The number of batches whose gradients make one step.
    wanted: usize,
    waiting: usize,
    sums: GradientsAccumulator,
}

impl Accumulation {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, waiting: 0, sums: GradientsAccumulator::new() }
    }

    /// Takes the gradients of a batch, and returns those of the step that is due, if one is.
    fn add<M>(&mut self, model: &M, grads: GradientsParams) -> Option<GradientsParams> {
        if self.wanted <= 1 {
            return Some(grads);
        }
        self.sums.accumulate(model, grads);
        self.waiting += 1;
        if self.waiting == self.wanted { self.take() } else { None }
    }

    /// Returns what waits.
    fn take(&mut self) -> Option<GradientsParams> {
        (std::mem::take(&mut self.waiting) > 0).then(|| self.sums.grads())
    }
}

impl<'a, B, I, J, T, V, M, O, S> Fitting<'a, B, I, J, T, V, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    pub(super) fn new(
        parts: Parts<M, O, S>,
        (lr, accumulation): (Option<f64>, Accumulation),
        (train, valid): (Side<'a, I, T>, Side<'a, J, V>),
        recorder: Option<&'a dyn TreeFile>,
    ) -> Self {
        Self {
            model: Some(parts.model),
            optim: parts.optim,
            scheduler: parts.scheduler,
            lr,
            accumulation,
            train,
            valid,
            valid_model: None,
            valid_loss: None,
            recorder,
            backend: PhantomData,
        }
    }

    pub(super) fn into_model(self) -> M {
        self.model.expect(HERE)
    }

    fn model(&self) -> &M {
        self.model.as_ref().expect(HERE)
    }

    /// Takes the next rate, which the metrics of the step are told.
    fn next_lr(&mut self) -> f64 {
        *self.lr.insert(self.scheduler.step())
    }

    /// Tells the scheduler the loss of a whole validation.
    fn report_valid_loss(&mut self) {
        if let Some(loss) = self.valid_loss.take() {
            self.scheduler.report(loss);
        }
    }

    fn learn(&mut self, lr: f64, grads: GradientsParams) {
        let model = self.model.take().expect(HERE);
        self.model = Some(self.optim.step(lr, model, grads));
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
            Split::Train => self.train.start(epoch, skipped),
            Split::Valid => {
                self.valid_model = Some(self.model().valid());
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
            Split::Train => self.train_batch(at, states),
            Split::Valid => self.valid_batch(at, states),
        }
    }

    fn end(&mut self, split: Split) {
        match split {
            Split::Train => {
                self.train.end();
                if let Some(grads) = self.accumulation.take() {
                    let lr = self.next_lr();
                    self.learn(lr, grads);
                }
            }
            Split::Valid => {
                self.valid.end();
                self.valid_model = None;
            }
        }
    }

    fn save(&self, part: Part, path: PathBuf) -> Result<(), PartError> {
        let Some(recorder) = self.recorder else { return Ok(()) };
        let tree = match part {
            Part::Model => self.model().clone().into_record().into_node(),
            Part::Optim => self.optim.to_record().into_node(),
            Part::Scheduler => self.scheduler.to_record::<B>().into_node(),
        };
        nan_key(&tree).map_or(Ok(()), |key| Err(PartError::Nan(key)))?;
        recorder.save(tree, path).map_err(PartError::Record)
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
        let Some((batch, progress)) = self.train.next(at.epoch)? else { return Ok(None) };
        B::seed(at.seed);
        let TrainOutput { grads, item } = TrainStep::step(self.model(), batch);
        let due = self.accumulation.add(self.model.as_ref().expect(HERE), grads);
        let due = due.map(|grads| (self.next_lr(), grads));
        self.train.measure(&item, (at, progress, self.lr), states);
        // The graph that it holds would keep the optimizer from writing parameters in place.
        drop(item);
        let accumulating = due.is_none();
        if let Some((lr, grads)) = due {
            self.learn(lr, grads);
        }
        Ok(Some(BatchDone { progress, lr: self.lr, accumulating }))
    }

    fn valid_batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        let Some((batch, progress)) = self.valid.next(at.epoch)? else {
            // Not where a run stops before the last batch: it validates again when it is resumed.
            self.report_valid_loss();
            return Ok(None);
        };
        let model = self.valid_model.as_ref().expect("the side was started");
        let item = ValidStep::step(model, batch);
        self.valid.measure(&item, (at, progress, self.lr), states);
        self.valid_loss = states.iter().find_map(mean_loss);
        Ok(Some(BatchDone { progress, lr: self.lr, accumulating: false }))
    }
}
