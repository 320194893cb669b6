//! Gradients of the micro-batches of a step, which travel once.

use super::gradients::scaled;
use super::parameters::TrainedParameter;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_ir::HasSpec;
use burn_optim::{GradientsAccumulator, GradientsParams};

/// Gradients of the micro-batches of this step so far, on this rank.
///
/// They stay on the rank:
/// [`DataParallel::backward_accumulated`](crate::DataParallel::backward_accumulated) averages them over ranks
/// together with those of the last micro-batch, so gradients travel once for each step of the optimizer.
/// PyTorch: what the gradients are summed into inside of `DistributedDataParallel.no_sync()`.
#[doc(alias = "no_sync")]
#[derive(Debug, Default)]
pub struct AccumulatedGradients {
    /// Sums of gradients, in which those of the first micro-batch have the weight 1.
    sums: GradientsAccumulator,
    /// Items of the first micro-batch that has some.
    unit: usize,
    items: usize,
    micro_batches: usize,
}

impl AccumulatedGradients {
    /// Returns the gradients of no micro-batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the gradients of a micro-batch, whose loss is the mean over its `items`. Half-precision gradients
    /// are summed in `f32`, and rounded once.
    pub fn add(&mut self, mut grads: GradientsParams, items: usize) {
        self.micro_batches += 1;
        if items == 0 {
            return;
        }
        let weight = self.weight(items);
        self.items += items;
        if weight != 1.0 {
            grads.scale(weight);
        }
        self.sums.accumulate(&(), grads);
    }

    /// Returns the number of items so far.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Returns the number of micro-batches so far.
    pub fn micro_batches(&self) -> usize {
        self.micro_batches
    }

    /// Returns the mean over the items of this rank, for a loop that may run without other ranks.
    #[must_use]
    pub fn into_mean(mut self) -> GradientsParams {
        let mut mean = self.sums.grads();
        if self.items != self.unit {
            mean.scale(self.unit as f64 / self.items as f64);
        }
        mean
    }

    /// Returns the weight of a micro-batch beside the first.
    fn weight(&mut self, items: usize) -> f64 {
        if self.unit == 0 {
            self.unit = items;
        }
        items as f64 / self.unit as f64
    }

    /// Ends the step with a micro-batch of `items`.
    pub(super) fn last(mut self, parameters: &[TrainedParameter], items: usize) -> EarlierGradients {
        let weight = (items > 0).then(|| self.weight(items));
        let mut sums = self.sums.grads();
        let sums = parameters.iter().map(|parameter| sums.take(parameter.id)).collect();
        EarlierGradients { sums, weight, unit: self.unit }
    }
}

/// Gradients of the earlier micro-batches by parameter, to which those of the last are added.
#[derive(Debug)]
pub struct EarlierGradients {
    sums: Vec<Option<DynamicTensor>>,
    /// Weight of the last micro-batch, if it has items.
    weight: Option<f64>,
    /// Items that a weight of 1 stands for.
    pub unit: usize,
}

impl EarlierGradients {
    /// Returns sums that are weighted already, to which the gradients of the last micro-batch are added with
    /// a weight, if this rank has one.
    pub fn weighted(mut sums: GradientsParams, parameters: &[TrainedParameter], weight: Option<f64>) -> Self {
        let sums = parameters.iter().map(|parameter| sums.take(parameter.id)).collect();
        EarlierGradients { sums, weight, unit: 1 }
    }

    /// Returns the sum for a parameter, once, with the gradient of the last micro-batch.
    pub fn sum(
        &mut self,
        (index, parameter): (usize, &TrainedParameter),
        last: Option<DynamicTensor>,
    ) -> Option<DynamicTensor> {
        // Ranks with fewer micro-batches have gradients of this type.
        let dtype = last.as_ref().map_or(parameter.dtype, |grad| grad.spec().dtype);
        let last = last.zip(self.weight).map(|(grad, weight)| scaled(grad, weight));
        let mut sum = GradientsAccumulator::new();
        for grad in [self.sums[index].take(), last].into_iter().flatten() {
            let mut grads = GradientsParams::new();
            grads.insert(parameter.id, grad);
            sum.accumulate(&(), grads);
        }
        let sum = sum.grads().take(parameter.id)?;
        Some(if sum.spec().dtype == dtype { sum } else { Dynamic::cast(sum, dtype) })
    }
}
