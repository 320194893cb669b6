//! Noisy oscillations, whose law is known, and batches of them.

use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::InMemDataset;
use burn::data::dataset::random::Generator;
use burn::prelude::*;
use std::f64::consts::TAU;

/// Number of values of a sequence.
pub const LENGTH: usize = 24;
/// Standard deviation of the noise of each value.
pub const NOISE: f64 = 0.2;

/// Values that were seen, and the one that comes next.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// [`LENGTH`] values with noise.
    pub values: Vec<f32>,
    /// The next value, without noise.
    pub next: f32,
}

/// Draws a sequence `a sin(2 pi t / p + phase)` with an amplitude `a` of 0.5 to 1.5 and a period `p` of 6 to 14 steps.
pub fn draw(generator: &mut Generator) -> Sequence {
    let (amplitude, period) = (generator.uniform(0.5, 1.5), generator.uniform(6.0, 14.0));
    let phase = generator.uniform(0.0, TAU);
    let law = |step: usize| amplitude * (TAU * step as f64 / period + phase).sin();
    let values = (0..LENGTH).map(|step| (law(step) + NOISE * generator.normal()) as f32).collect();
    Sequence { values, next: law(LENGTH) as f32 }
}

/// Draws `count` sequences, always the same for one seed and one stream.
pub fn dataset(count: usize, seed: u64, stream: u64) -> InMemDataset<Sequence> {
    let mut generator = Generator::with_stream(seed, stream);
    (0..count).map(|_| draw(&mut generator)).collect()
}

/// Sequences on a device.
#[derive(Clone, Debug)]
pub struct SequenceBatch<B: Backend> {
    /// Values, `[batch, time, 1]`.
    pub values: Tensor<B, 3>,
    /// The values that come next, `[batch, 1]`.
    pub next: Tensor<B, 2>,
}

/// Makes batches on one device.
#[derive(Clone, Debug)]
pub struct SequenceBatcher<B: Backend> {
    pub device: B::Device,
}

impl<B: Backend> Batcher<Sequence, SequenceBatch<B>> for SequenceBatcher<B> {
    fn batch(&self, items: Vec<Sequence>) -> SequenceBatch<B> {
        let (batch, time) = (items.len(), items.first().map_or(0, |item| item.values.len()));
        let next: Vec<f32> = items.iter().map(|item| item.next).collect();
        let values: Vec<f32> = items.into_iter().flat_map(|item| item.values).collect();
        SequenceBatch {
            values: Tensor::from_data(TensorData::new(values, [batch, time, 1]), &self.device),
            next: Tensor::from_data(TensorData::new(next, [batch, 1]), &self.device),
        }
    }
}
