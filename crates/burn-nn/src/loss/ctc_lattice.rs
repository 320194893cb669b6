//! The states of CTC: labels with a blank before, between and after them, over time.

use alloc::vec::Vec;
use burn_core::tensor::{Backend, Bool, Int, Tensor};

/// Logarithm that stands for that of 0: finite, so that differences of two of them are no NaN.
const LOG_ZERO: f64 = -1e30;
/// Losses above it have no alignment.
const IMPOSSIBLE: f64 = 1e29;

/// States of a batch. Each sample has the states `blank, label, blank, .., label, blank`; those of shorter
/// targets are followed by states that nothing leads back from.
pub struct Lattice<B: Backend> {
    /// Class of each state, `[batch, states]`.
    labels: Tensor<B, 2, Int>,
    /// Log-probability of the class of each state, `[time, batch, states]`.
    log_p: Tensor<B, 3>,
    /// Index of the last frame of each sample, -1 if there is none, `[batch]`.
    last_frame: Tensor<B, 1, Int>,
    /// Index of the last state of each sample, `[batch]`.
    last_state: Tensor<B, 1, Int>,
    blank: usize,
}

impl<B: Backend> Lattice<B> {
    pub fn new(
        log_probs: Tensor<B, 3>,
        targets: Tensor<B, 2, Int>,
        input_lengths: Tensor<B, 1, Int>,
        target_lengths: Tensor<B, 1, Int>,
        blank: usize,
    ) -> Self {
        let ([time, batch, _], [_, length]) = (log_probs.dims(), targets.dims());
        let (device, states) = (log_probs.device(), 2 * length + 1);
        let position = Tensor::<B, 1, Int>::arange(0..length as i64, &device).reshape([1, length]);
        let beyond = position.greater_equal(target_lengths.clone().reshape([batch, 1]));
        let targets = targets.mask_fill(beyond, blank as i64);
        let blanks = |count| Tensor::<B, 2, Int>::full([batch, count], blank as i64, &device);
        let pairs: Tensor<B, 3, Int> = Tensor::stack([blanks(length), targets].into(), 2);
        let labels = Tensor::cat([pairs.reshape([batch, 2 * length]), blanks(1)].into(), 1);
        let index = labels.clone().reshape([1, batch, states]).repeat_dim(0, time);
        // The logarithm of a probability of 0 may be minus infinity.
        let log_p = log_probs.gather(2, index).clamp_min(LOG_ZERO);
        let (last_frame, last_state) = (input_lengths - 1, target_lengths * 2);
        Lattice { labels, log_p, last_frame, last_state, blank }
    }

    /// Computes the losses, `[batch]`, and where they are infinite, by the forward recursion.
    pub fn losses(self) -> (Tensor<B, 1>, Tensor<B, 1, Bool>) {
        let log_p = self.log_p.clone().detach();
        let alpha = prefixes(log_p, self.skips(self.labels.clone()));
        self.ends(&alpha)
    }

    /// Computes the losses with their gradient: minus the probability of being in a state at a time, given
    /// the target, by the log-probability of the state's class at that time (the forward-backward algorithm).
    pub fn tracked_losses(self) -> (Tensor<B, 1>, Tensor<B, 1, Bool>) {
        let [time, batch, states] = self.log_p.dims();
        let log_p = self.log_p.clone().detach();
        // The backward recursion is the forward one on the sequence in reverse; both run in the same loop.
        let (frames, places) = self.reversal();
        let reverse = |x: Tensor<B, 3>| x.gather(0, frames.clone()).gather(2, places.clone());
        let reversed_labels =
            self.labels.clone().gather(1, places.clone().narrow(0, 0, 1).reshape([batch, states]));
        let skips = [self.skips(self.labels.clone()), self.skips(reversed_labels)];
        let both = prefixes(
            Tensor::cat([log_p.clone(), reverse(log_p.clone())].into(), 1),
            Tensor::cat(skips.into(), 0),
        );
        let alpha = both.clone().narrow(1, 0, batch);
        let beta = reverse(both.narrow(1, batch, batch));
        let (losses, infinite) = self.ends(&alpha);
        let given_target = losses.clone().reshape([1, batch, 1]);
        let occupancy = (alpha + beta - log_p.clone() + given_target).exp();
        let occupancy = occupancy.mask_fill(self.outside(time, &infinite), 0.0);
        // The value is that of `losses`, the gradient that of the sum.
        let slope = (occupancy * (self.log_p - log_p)).sum_dim(2).sum_dim(0).reshape([batch]);
        (losses - slope, infinite)
    }

    /// Computes the loss from the last frame: the alignment ends in the last label or the blank after it.
    fn ends(&self, alpha: &Tensor<B, 3>) -> (Tensor<B, 1>, Tensor<B, 1, Bool>) {
        let [_, batch, states] = alpha.dims();
        let frame = self.last_frame.clone().clamp_min(0).reshape([1, batch, 1]).repeat_dim(2, states);
        let last = alpha.clone().gather(0, frame).reshape([batch, states]);
        let state = |back: i64| (self.last_state.clone() - back).clamp_min(0).reshape([batch, 1]);
        let no_labels = self.last_state.clone().equal_elem(0);
        let blank = last.clone().gather(1, state(0)).reshape([batch]);
        let label = last.gather(1, state(1)).reshape([batch]).mask_fill(no_labels.clone(), LOG_ZERO);
        let loss = -blank.log_add_exp(label);
        // Without frames there is one alignment of no labels, and none of others.
        let no_frames = self.last_frame.clone().lower_elem(0);
        let loss = loss.mask_fill(no_frames.clone(), 2.0 * IMPOSSIBLE);
        let loss = loss.mask_fill(no_frames.bool_and(no_labels), 0.0);
        let infinite = loss.clone().greater_elem(IMPOSSIBLE);
        (loss, infinite)
    }

    /// Returns 0 where a state can be reached from two before it, which skips a blank between labels that
    /// differ, and [`LOG_ZERO`] elsewhere: `[batch, states]`.
    fn skips(&self, labels: Tensor<B, 2, Int>) -> Tensor<B, 2> {
        let [batch, states] = labels.dims();
        let blank = self.blank as i64;
        let before = Tensor::<B, 2, Int>::full([batch, 2], blank, &labels.device());
        let before = Tensor::cat([before, labels.clone()].into(), 1).narrow(1, 0, states);
        let barred = labels.clone().equal(before).bool_or(labels.equal_elem(blank));
        let options = (&self.log_p.device(), self.log_p.dtype());
        Tensor::zeros([batch, states], options).mask_fill(barred, LOG_ZERO)
    }

    /// Returns, for every time, sample and state, the frame and the state with the same distance from the
    /// end, both `[time, batch, states]`.
    fn reversal(&self) -> (Tensor<B, 3, Int>, Tensor<B, 3, Int>) {
        let [time, batch, states] = self.log_p.dims();
        let device = self.log_p.device();
        let index = |count: usize| Tensor::<B, 1, Int>::arange(0..count as i64, &device);
        let frames = self.last_frame.clone().reshape([1, batch]) - index(time).reshape([time, 1]);
        let places = self.last_state.clone().reshape([batch, 1]) - index(states).reshape([1, states]);
        let frames = frames.clamp_min(0).reshape([time, batch, 1]).repeat_dim(2, states);
        let places = places.clamp_min(0).reshape([1, batch, states]).repeat_dim(0, time);
        (frames, places)
    }

    /// Mask of what is no frame or no state of a sample, or belongs to one whose loss is infinite.
    fn outside(&self, time: usize, infinite: &Tensor<B, 1, Bool>) -> Tensor<B, 3, Bool> {
        let [_, batch, states] = self.log_p.dims();
        let device = self.log_p.device();
        let frame = Tensor::<B, 1, Int>::arange(0..time as i64, &device).reshape([time, 1, 1]);
        let state = Tensor::<B, 1, Int>::arange(0..states as i64, &device).reshape([1, 1, states]);
        let late = frame.greater(self.last_frame.clone().reshape([1, batch, 1]));
        let beyond = state.greater(self.last_state.clone().reshape([1, batch, 1]));
        late.bool_or(beyond).bool_or(infinite.clone().reshape([1, batch, 1]))
    }
}

/// Computes the log-probability of all beginnings of alignments that end in a state at a time,
/// `[time, batch, states]`.
fn prefixes<B: Backend>(log_p: Tensor<B, 3>, skips: Tensor<B, 2>) -> Tensor<B, 3> {
    let [time, batch, states] = log_p.dims();
    let options = (&log_p.device(), log_p.dtype());
    let edge = Tensor::full([batch, 2], LOG_ZERO, options);
    let at = |t: usize| log_p.clone().narrow(0, t, 1).reshape([batch, states]);
    let state = Tensor::<B, 1, Int>::arange(0..states as i64, &log_p.device()).reshape([1, states]);
    let mut alpha = at(0).mask_fill(state.greater_elem(1), LOG_ZERO);
    let mut all = Vec::with_capacity(time);
    for t in 1..time {
        all.push(alpha.clone());
        let padded = Tensor::cat([edge.clone(), alpha.clone()].into(), 1);
        let step = padded.clone().narrow(1, 1, states);
        let skip = padded.narrow(1, 0, states) + skips.clone();
        let peak = alpha.clone().max_pair(step.clone()).max_pair(skip.clone());
        let sum = (alpha - peak.clone()).exp() + (step - peak.clone()).exp() + (skip - peak.clone()).exp();
        alpha = sum.log() + peak + at(t);
    }
    all.push(alpha);
    Tensor::stack(all, 0)
}
