use super::loss_scale;
use super::nan_policy::NanPolicy;
use crate::TrainError;
use burn_core::record::{IntoNode, Node};
use burn_optim::{
    GradScaler, GradScalerRecord, GradientClippingConfig, GradientsAccumulator, GradientsParams,
};

/// The way from the gradients of batches to those of a step: accumulation, loss scaling, clipping. It knows
/// neither model nor backend.
pub(super) struct GradientSteps {
    /// The number of batches whose gradients make one step.
    wanted: usize,
    waiting: usize,
    sums: GradientsAccumulator,
    pub(super) clipping: Option<GradientClippingConfig>,
    pub(super) scaler: Option<GradScaler>,
    pub(super) nan: NanPolicy,
}

/// Decision about the gradients of a batch.
pub(super) enum StepDecision {
    /// They make a step.
    Step(GradientsParams),
    /// They wait for more of them.
    Wait,
    /// They are infinite or NaN, and the batch is forgotten.
    SkipBatch,
    /// They are infinite because the loss was scaled too much; the next loss is scaled less.
    Overflow,
}

impl GradientSteps {
    pub(super) fn new(wanted: usize) -> Self {
        let sums = GradientsAccumulator::new();
        Self { wanted, waiting: 0, sums, clipping: None, scaler: None, nan: NanPolicy::Stop }
    }

    /// Prepares the backward pass of a batch.
    pub(super) fn begin(&self) {
        loss_scale::request(self.scaler.as_ref().map(GradScaler::current_scale));
    }

    /// Compares what the step did with what it was asked for.
    ///
    /// # Errors
    /// If the loss was to be scaled, and the step did not.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        if loss_scale::take().is_none() {
            return Ok(());
        }
        let message = "mixed precision: the training step did not scale its loss; make its output with \
                       `TrainOutput::from_loss(&model, loss, item)`";
        Err(TrainError::Unsupported(message.to_string()))
    }

    /// Takes the gradients of a batch.
    ///
    /// # Errors
    /// If the loss was to be scaled, and the step did not.
    pub(super) fn add(&mut self, grads: GradientsParams) -> Result<StepDecision, TrainError> {
        self.check()?;
        if self.skips_batches() && !grads.global_norm().is_finite() {
            return Ok(StepDecision::SkipBatch);
        }
        let due = if self.wanted <= 1 {
            grads
        } else {
            self.keep(grads);
            if self.waiting < self.wanted {
                return Ok(StepDecision::Wait);
            }
            self.take_kept()
        };
        Ok(self.finish(due))
    }

    /// Returns whether ranks reduce the gradients of several batches at once: not where those of each batch
    /// are looked at.
    pub(super) fn reduces_once(&self) -> bool {
        self.wanted > 1 && !self.skips_batches()
    }

    fn skips_batches(&self) -> bool {
        self.nan == NanPolicy::Skip && self.scaler.is_none()
    }

    /// Returns whether the next batch is the last of its step.
    pub(super) fn is_last(&self) -> bool {
        self.waiting + 1 >= self.wanted
    }

    /// Adds gradients of this rank to those that wait.
    pub(super) fn keep(&mut self, grads: GradientsParams) {
        self.sums.accumulate(&(), grads);
        self.waiting += 1;
    }

    /// Takes the gradients of this rank that wait.
    pub(super) fn take_kept(&mut self) -> GradientsParams {
        self.waiting = 0;
        self.sums.grads()
    }

    /// Returns whether gradients wait for more of them.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Returns what waits at the end of an epoch.
    pub(super) fn rest(&mut self) -> Option<GradientsParams> {
        let rest = self.is_waiting().then(|| self.take_kept())?;
        self.finish_rest(rest)
    }

    /// Returns the gradients of a step out of those that waited at the end of an epoch.
    pub(super) fn finish_rest(&mut self, rest: GradientsParams) -> Option<GradientsParams> {
        match self.finish(rest) {
            StepDecision::Step(grads) => Some(grads),
            StepDecision::Wait | StepDecision::SkipBatch | StepDecision::Overflow => None,
        }
    }

    /// Unscales and clips the gradients of a step.
    pub(super) fn finish(&mut self, mut grads: GradientsParams) -> StepDecision {
        if let Some(scaler) = &mut self.scaler {
            let is_finite = scaler.unscale(&mut grads);
            scaler.update(is_finite);
            if !is_finite {
                return StepDecision::Overflow;
            }
        }
        if let Some(clipping) = &self.clipping {
            clipping.clip(&mut grads);
        }
        StepDecision::Step(grads)
    }

    /// Returns the state of the loss scale.
    pub(super) fn scaler_tree(&self) -> Option<Node> {
        self.scaler.as_ref().map(|scaler| scaler.to_record().into_node())
    }

    /// Puts the state of the loss scale in.
    pub(super) fn load_scaler(&mut self, record: GradScalerRecord) {
        self.scaler = self.scaler.take().map(|scaler| scaler.load_record(record));
    }
}
