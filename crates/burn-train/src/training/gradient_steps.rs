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
        let checks = self.nan == NanPolicy::Skip && self.scaler.is_none();
        if checks && !grads.global_norm().is_finite() {
            return Ok(StepDecision::SkipBatch);
        }
        let due = if self.wanted <= 1 {
            grads
        } else {
            self.sums.accumulate(&(), grads);
            self.waiting += 1;
            if self.waiting < self.wanted {
                return Ok(StepDecision::Wait);
            }
            self.waiting = 0;
            self.sums.grads()
        };
        Ok(self.finish(due))
    }

    /// Returns whether gradients wait for more of them.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Returns what waits at the end of an epoch.
    pub(super) fn rest(&mut self) -> Option<GradientsParams> {
        if std::mem::take(&mut self.waiting) == 0 {
            return None;
        }
        let rest = self.sums.grads();
        match self.finish(rest) {
            StepDecision::Step(grads) => Some(grads),
            StepDecision::Wait | StepDecision::SkipBatch | StepDecision::Overflow => None,
        }
    }

    /// Unscales and clips the gradients of a step.
    fn finish(&mut self, mut grads: GradientsParams) -> StepDecision {
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
