//! Random numbers of the project's generator, which are those of the seed on every backend. They are drawn on
//! the host.

use burn_backend::random::{LANES, Recipe, words};
use burn_backend::{Distribution, Element, rng_replay};
use rayon::prelude::*;
use std::array;
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

    /// The seed and the first of `count` counters that no other call uses, except when a segment is
    /// replayed.
    fn reserve(&self, count: u64) -> (u64, u64) {
        rng_replay::position(count, || {
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
            out.iter_mut().zip(numbers).for_each(|(out, x)| *out = store(E::from_f64(x)));
        });
    }
}

/// The elements that [`LANES`] counters make, by the order that [`burn_backend::random`] defines.
fn draw_group(recipe: Recipe, seed: u64, first: u64) -> Vec<f64> {
    let words: [[u32; 4]; LANES] = array::from_fn(|lane| words(seed, first.wrapping_add(lane as u64)));
    let places = 0..recipe.group() / LANES;
    places.flat_map(|place| words.map(|words| recipe.element(words, place))).collect()
}
