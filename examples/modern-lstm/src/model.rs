//! A network that predicts the next value of a sequence.

use crate::sequence::SequenceBatch;
use crate::stacked::{StackedLstm, StackedLstmConfig};
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::train::{RegressionOutput, TrainOutput, TrainStep, ValidStep};

/// A stacked LSTM, whose hidden states at the last step of each direction a linear layer reads.
#[derive(Module, Debug)]
pub struct SequenceModel<B: Backend> {
    lstm: StackedLstm<B>,
    output: Linear<B>,
}

impl<B: Backend> SequenceModel<B> {
    /// Returns a model for sequences of single values, on `device`.
    pub fn new(config: &StackedLstmConfig, device: &B::Device) -> Self {
        let directions = if config.bidirectional { 2 } else { 1 };
        SequenceModel {
            lstm: config.init(device),
            output: LinearConfig::new(directions * config.d_hidden, 1).init(device),
        }
    }

    /// Predicts the next values: `[batch, time, 1]` to `[batch, 1]`.
    ///
    /// The forward direction has seen the whole sequence at its last step, the reverse direction at its
    /// first.
    pub fn forward(&self, values: Tensor<B, 3>) -> Tensor<B, 2> {
        let d_hidden = self.lstm.layers[0].forward.hidden.weight.dims()[0];
        let states = self.lstm.forward(values);
        let [_, time, features] = states.dims();
        let at = |states: Tensor<B, 3>, step: usize| states.narrow(1, step, 1).squeeze_dim::<2>(1);
        let last = at(states.clone().narrow(2, 0, d_hidden), time - 1);
        if features == d_hidden {
            return self.output.forward(last);
        }
        let first = at(states.narrow(2, d_hidden, d_hidden), 0);
        self.output.forward(Tensor::cat(vec![last, first], 1))
    }

    /// Predictions and their mean squared error.
    pub fn forward_regression(&self, batch: SequenceBatch<B>) -> RegressionOutput<B> {
        let output = self.forward(batch.values);
        let loss = MseLoss::new().forward(output.clone(), batch.next.clone(), Reduction::Mean);
        RegressionOutput::new(loss, output, batch.next)
    }
}

impl<B: AutodiffBackend> TrainStep<SequenceBatch<B>, RegressionOutput<B>> for SequenceModel<B> {
    fn step(&self, batch: SequenceBatch<B>) -> TrainOutput<RegressionOutput<B>> {
        let item = self.forward_regression(batch);
        TrainOutput::new(self, item.loss.backward(), item)
    }
}

impl<B: Backend> ValidStep<SequenceBatch<B>, RegressionOutput<B>> for SequenceModel<B> {
    fn step(&self, batch: SequenceBatch<B>) -> RegressionOutput<B> {
        self.forward_regression(batch)
    }
}
