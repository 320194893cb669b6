//! Pieces of a series, and batches of them.

use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::InMemDataset;
use burn::prelude::*;

/// Number of values of a sequence.
pub const LENGTH: usize = 24;

/// Values that were seen, and the one that comes next.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// [`LENGTH`] values.
    pub values: Vec<f32>,
    /// The next value.
    pub next: f32,
    /// Zero of the values in the unit of the series.
    pub mean: f32,
    /// Size of a value of 1 in the unit of the series.
    pub scale: f32,
}

impl Sequence {
    /// Returns a value or a prediction in the unit of the series.
    pub fn in_unit(&self, value: f32) -> f32 {
        self.mean + self.scale * value
    }
}

/// Series to learn from.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// Yearly sunspot numbers, see [`sunspots`](crate::sunspots).
    Sunspots,
    /// Noisy oscillations, see [`oscillations`](crate::oscillations).
    Oscillations,
}

/// Parts of a series that share no value to predict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesPart {
    Train,
    Valid,
    Test,
}

impl Series {
    /// Returns the sequences of a part. `count`, the number of training sequences, and `seed` are for series
    /// that are generated.
    pub fn sequences(self, part: SeriesPart, count: usize, seed: u64) -> InMemDataset<Sequence> {
        match self {
            Series::Sunspots => crate::sunspots::sequences(part),
            Series::Oscillations => crate::oscillations::sequences(part, count, seed),
        }
    }
}

/// Sequences on a device.
#[derive(Clone, Debug)]
pub struct SequenceBatch<B: Backend> {
    /// Values, `[batch, time, 1]`.
    pub values: Tensor<B, 3>,
    /// The values that come next, `[batch, 1]`.
    pub next: Tensor<B, 2>,
    /// Sizes of a value of 1 in the unit of the series, `[batch, 1]`.
    pub scale: Tensor<B, 2>,
}

/// Makes batches on one device.
#[derive(Clone, Debug)]
pub struct SequenceBatcher<B: Backend> {
    pub device: B::Device,
}

impl<B: Backend> Batcher<Sequence, SequenceBatch<B>> for SequenceBatcher<B> {
    fn batch(&self, items: Vec<Sequence>) -> SequenceBatch<B> {
        let (batch, time) = (items.len(), items.first().map_or(0, |item| item.values.len()));
        let column = |of: fn(&Sequence) -> f32| {
            let numbers: Vec<f32> = items.iter().map(of).collect();
            Tensor::from_data(TensorData::new(numbers, [batch, 1]), &self.device)
        };
        let (next, scale) = (column(|item| item.next), column(|item| item.scale));
        let values: Vec<f32> = items.into_iter().flat_map(|item| item.values).collect();
        let values = Tensor::from_data(TensorData::new(values, [batch, time, 1]), &self.device);
        SequenceBatch { values, next, scale }
    }
}
