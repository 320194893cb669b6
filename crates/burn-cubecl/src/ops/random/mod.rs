//! Random numbers, as [`burn_backend::random`] defines them.

mod draw;
mod philox;

use crate::device::engine::Engine;
use crate::launch::element;
use crate::launch::kernel::launch;
use crate::launch::tensor::CubeTensor;
use crate::ops::create::from_data;
use burn_backend::random::{Law, Recipe};
use burn_backend::*;
use draw::{Draw, Kind};
use std::sync::Mutex;

/// The seed, and how many counters of it are used up.
static STREAM: Mutex<(u64, u64)> = Mutex::new((0, 0));

pub fn seed(seed: u64) {
    *STREAM.lock().expect("nobody panics while drawing") = (seed, 0);
}

fn position(counters: u64) -> (u64, u64) {
    rng_replay::position(counters, || {
        let mut stream = STREAM.lock().expect("nobody panics while drawing");
        stream.1 = stream.1.wrapping_add(counters);
        (stream.0, stream.1.wrapping_sub(counters))
    })
}

/// Draws random numbers, the same as every backend from one seed.
#[track_caller]
pub fn random(spec: TensorSpec, distribution: Distribution, engine: &'static dyn Engine) -> CubeTensor {
    let (count, dtype) = (spec.shape.num_elements(), spec.dtype);
    let recipe = Recipe::new(distribution, dtype);
    let (seed, first) = position(recipe.counters(count));
    let has_kernel = match recipe.law {
        Law::Coin(_) => true,
        Law::Uniform(..) => dtype != DType::Bool,
        // Integers of a normal law may be out of range.
        Law::Normal(..) => dtype.is_float(),
    };
    // Where there is `i64`, there is `f64`.
    if !has_kernel || !engine.has(DType::I64) {
        // On the host; nothing is read back.
        let values = random::draw(distribution, dtype, count, seed, first);
        return from_data(TensorData::new(values, spec.shape).convert_dtype(dtype), engine);
    }
    let out = CubeTensor::empty(spec, engine);
    let (kind, left, right) = match recipe.law {
        Law::Uniform(low, high) => (Kind::Uniform, low, high),
        Law::Normal(mean, deviation) => (Kind::Normal, mean, deviation),
        Law::Coin(p) => (Kind::Coin, p, 0.0),
    };
    let is_wide = recipe.is_wide;
    let mut words = vec![count as u32, first as u32, (first >> 32) as u32, seed as u32, (seed >> 32) as u32];
    match kind {
        _ if is_wide => {
            words.extend([left, right].into_iter().flat_map(|x| element::words(x.into(), DType::F64)))
        }
        Kind::Coin => words.extend([(left * 4_294_967_296.0) as u32, u32::from(left >= 1.0)]),
        Kind::Uniform | Kind::Normal => words.extend([left, right].map(|x| (x as f32).to_bits())),
    }
    launch(Draw { kind, dtype, is_wide }, &[], &[&out], &words, count);
    out
}
