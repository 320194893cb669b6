//! Noisy oscillations, whose law is known.

use crate::sequence::{LENGTH, Sequence, SeriesPart};
use burn::data::dataset::InMemDataset;
use burn::data::dataset::random::Generator;
use std::f64::consts::TAU;

/// Standard deviation of the noise of each value.
pub const NOISE: f64 = 0.2;

/// Number of sequences to test on.
const TEST: usize = 1000;

/// Draws the values `a sin(2 pi t / p + phase)` with noise, and the next one without, with an amplitude `a`
/// of 0.5 to 1.5 and a period `p` of 6 to 14 steps.
pub fn draw(generator: &mut Generator) -> Sequence {
    let (amplitude, period) = (generator.uniform(0.5, 1.5), generator.uniform(6.0, 14.0));
    let phase = generator.uniform(0.0, TAU);
    let law = |step: usize| amplitude * (TAU * step as f64 / period + phase).sin();
    let values = (0..LENGTH).map(|step| (law(step) + NOISE * generator.normal()) as f32).collect();
    Sequence { values, next: law(LENGTH) as f32, mean: 0.0, scale: 1.0 }
}

/// Draws the sequences of a part, always the same for one seed: `count` to learn from, an eighth of them to
/// validate, a thousand to test.
pub fn sequences(part: SeriesPart, count: usize, seed: u64) -> InMemDataset<Sequence> {
    let (count, stream) = match part {
        SeriesPart::Train => (count, 0),
        SeriesPart::Valid => (count / 8, 1),
        SeriesPart::Test => (TEST, 2),
    };
    let mut generator = Generator::with_stream(seed, stream);
    (0..count).map(|_| draw(&mut generator)).collect()
}
