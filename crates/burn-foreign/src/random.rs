//! Random numbers of the project's generator, which are those of the seed on every backend. They are drawn on
//! the host.

use burn_backend::random::{LANES, Law, Recipe, bf16_below, f16_below, philox};
use burn_backend::{DType, Distribution, Element, draws};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::sync::{Mutex, PoisonError};

/// The random numbers of a backend: the seed, and how many counters of it are used up.
#[derive(Debug)]
pub struct Stream(Mutex<(u64, u64)>);

impl Stream {
    /// The stream of the seed 0.
    #[allow(clippy::new_without_default, reason = "it is the value of a static")]
    pub const fn new() -> Self {
        Stream(Mutex::new((0, 0)))
    }

    /// Restarts the stream.
    pub fn seed(&self, seed: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (seed, 0);
    }

    /// The seed and the first of `count` counters that nobody else uses, but for a stretch that runs again.
    fn reserve(&self, count: u64) -> (u64, u64) {
        draws::position(count, || {
            let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let first = stream.1;
            stream.1 = first.wrapping_add(count);
            (stream.0, first)
        })
    }

    /// Writes random elements of `E`, each as `store` makes it.
    pub fn fill<E: Element, S: Send>(
        &self,
        distribution: Distribution,
        elements: &mut [S],
        store: impl Fn(E) -> S + Sync,
    ) {
        let recipe = Recipe::new(distribution, E::DTYPE);
        let (seed, first) = self.reserve(recipe.counters(elements.len()));
        elements.par_chunks_mut(recipe.group()).with_min_len(16).enumerate().for_each(|(group, out)| {
            let first = first.wrapping_add((group * LANES) as u64);
            let numbers = draw_group(recipe, seed, first);
            out.iter_mut().zip(numbers).for_each(|(out, x)| *out = store(finish(recipe.law, x)));
        });
    }
}

/// A number as an element; rounding must not reach the upper bound, and truncation would draw 0 from either
/// side.
fn finish<E: Element>(law: Law, x: f64) -> E {
    match (law, E::DTYPE) {
        (Law::Uniform(..), DType::F16) => E::from_f64(f16_below(x as f32).to_f64()),
        (Law::Uniform(..), DType::BF16) => E::from_f64(bf16_below(x as f32).to_f64()),
        (Law::Uniform(..) | Law::Normal(..), dtype) if dtype.is_int() => E::from_f64(x.floor()),
        (Law::Uniform(..) | Law::Normal(..) | Law::Coin(_), _) => E::from_f64(x),
    }
}

/// The elements that [`LANES`] counters make, by the order that [`burn_backend::random`] defines.
fn draw_group(recipe: Recipe, seed: u64, first: u64) -> Vec<f64> {
    let key = [seed as u32, (seed >> 32) as u32];
    let words: Vec<[u32; 4]> = (0..LANES as u64)
        .map(|lane| {
            let counter = first.wrapping_add(lane);
            philox([counter as u32, (counter >> 32) as u32, 0, 0], key)
        })
        .collect();
    let places = if recipe.is_wide { 0..2 } else { 0..4 };
    let place = |at: usize| {
        words.iter().map(move |words| {
            if recipe.is_wide { double(recipe.law, words, at) } else { single(recipe.law, words, at).into() }
        })
    };
    places.flat_map(place).collect()
}

/// A number in `[0, 1)` from a word.
fn unit(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The same from two words.
fn unit_wide(high: u32, low: u32) -> f64 {
    ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

fn single(law: Law, words: &[u32; 4], at: usize) -> f32 {
    match law {
        Law::Uniform(low, high) => {
            let (low, high) = (low as f32, high as f32);
            let x = low + (high - low) * unit(words[at]);
            if x < high { x } else { low }
        }
        Law::Coin(probability) => {
            // Compared in 32 bits: all of them stand for certainty.
            let threshold = (probability * 4_294_967_296.0) as u32;
            if words[at] < threshold || probability >= 1.0 { 1.0 } else { 0.0 }
        }
        Law::Normal(mean, deviation) => {
            let (u, v) = (unit(words[at & 2]), unit(words[at & 2 | 1]));
            normal(mean, deviation, u.into(), v.into(), at & 1 == 1) as f32
        }
    }
}

fn double(law: Law, words: &[u32; 4], at: usize) -> f64 {
    let units = [unit_wide(words[0], words[1]), unit_wide(words[2], words[3])];
    match law {
        Law::Uniform(low, high) => {
            let x = low + (high - low) * units[at];
            if x < high { x } else { low }
        }
        Law::Coin(probability) => f64::from(u8::from(units[at] < probability)),
        Law::Normal(mean, deviation) => normal(mean, deviation, units[0], units[1], at == 1),
    }
}

/// One of two independent normal numbers (Box and Muller, 1958).
fn normal(mean: f64, deviation: f64, u: f64, v: f64, is_second: bool) -> f64 {
    let radius = (-2.0 * (-u).ln_1p()).sqrt();
    let turn = if is_second { (TAU * v).sin() } else { (TAU * v).cos() };
    mean + deviation * radius * turn
}
