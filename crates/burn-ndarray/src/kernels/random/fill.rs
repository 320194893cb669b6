use super::philox::words;
use super::stream::reserve;
use crate::kernels::cast::cast;
use crate::kernels::math::Float;
use crate::kernels::unary;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::random::{LANES, Law, Recipe, bf16_below, f16_below};
use burn_backend::{DType, Distribution, TensorSpec, UnaryOp};
use bytemuck::Pod;
use core::f64::consts::TAU;

/// Elements that one group of counters makes: four words each make one `f32`, two make one `f64`.
const SINGLES: usize = LANES * 4;
const DOUBLES: usize = LANES * 2;

/// Groups in a chunk of work.
const CHUNK: usize = 64;

/// Cost of a group, in additions.
const COST: usize = 1024;

pub fn random(spec: TensorSpec, distribution: Distribution) -> NdTensor {
    let dtype = spec.dtype;
    let recipe = Recipe::new(distribution, dtype);
    let (law, is_wide) = (recipe.law, recipe.is_wide);
    let drawn = if is_wide { DType::F64 } else { DType::F32 };
    let mut x = NdTensor::new(TensorSpec { shape: spec.shape, dtype: drawn });
    let (seed, first) = reserve(recipe.counters(x.len()));
    let at = |chunk: usize| first.wrapping_add((chunk * CHUNK * LANES) as u64);
    if is_wide {
        parallel::for_chunks(x.make_mut::<f64>(), DOUBLES * CHUNK, CHUNK * COST, &|chunk, out| {
            fill_f64(law, seed, at(chunk), out);
        });
    } else {
        parallel::for_chunks(x.make_mut::<f32>(), SINGLES * CHUNK, CHUNK * COST, &|chunk, out| {
            fill_f32(law, seed, at(chunk), out);
        });
    }
    match (law, dtype) {
        (Law::Uniform(..), DType::F16) => below(&x, dtype, f16_below),
        (Law::Uniform(..), DType::BF16) => below(&x, dtype, bf16_below),
        // Truncation would draw 0 from either side.
        (Law::Uniform(..) | Law::Normal(..), _) if dtype.is_int() => {
            cast(unary::unary(UnaryOp::Floor, x), dtype)
        }
        (Law::Uniform(..) | Law::Normal(..) | Law::Coin(_), _) => cast(x, dtype),
    }
}

/// Single precision as halves that are not larger.
fn below<H: Pod + Send>(x: &NdTensor, dtype: DType, half: fn(f32) -> H) -> NdTensor {
    const CHUNK: usize = 4096;
    let mut out = NdTensor::new(TensorSpec { shape: x.shape().clone(), dtype });
    let xs = x.slice::<f32>();
    parallel::for_chunks(out.make_mut::<H>(), CHUNK, CHUNK * 4, &|chunk, out| {
        out.iter_mut().zip(&xs[chunk * CHUNK..]).for_each(|(out, &x)| *out = half(x));
    });
    out
}

/// Runs `$group`, which makes a group of elements from `$words`, for all of `$out` from the counters
/// `$first..`. Not a function of a closure, since that might not be inlined into the code for the machine at
/// hand.
macro_rules! fill {
    ($out:ident, $seed:ident, $first:ident, $size:ident, $words:ident => $group:expr) => {
        let mut at = $first;
        for out in $out.chunks_mut($size) {
            let $words = words($seed, at);
            let group = $group;
            if out.len() == $size {
                out.copy_from_slice(&group);
            } else {
                out.copy_from_slice(&group[..out.len()]);
            }
            at = at.wrapping_add(LANES as u64);
        }
    };
}

/// A number in `[0, 1)` from a word.
#[inline(always)]
fn unit(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The same from two words.
#[inline(always)]
fn unit_wide(high: u32, low: u32) -> f64 {
    ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// `low + (high - low) u`; rounding must not reach `high`.
#[inline(always)]
fn between<E: Float>(low: E, high: E, u: E) -> E {
    let x = low + (high - low) * u;
    if x < high { x } else { low }
}

/// Two independent normal numbers (Box and Muller, 1958).
#[inline(always)]
fn normal<E: Float, const FMA: bool>(u: E, v: E) -> (E, E) {
    // 1 - u is not 0.
    let radius = (E::of(-2.0) * (E::ONE - u).log::<FMA>()).sqrt();
    let angle = v * E::of(TAU);
    (radius * angle.sin_cos::<FMA>(1), radius * angle.sin_cos::<FMA>(0))
}

#[inline(always)]
fn singles<const FMA: bool>(law: Law, seed: u64, first: u64, out: &mut [f32]) {
    match law {
        Law::Uniform(low, high) => {
            let (low, high) = (low as f32, high as f32);
            fill!(out, seed, first, SINGLES, words => {
                let mut group = [0.0; SINGLES];
                for w in 0..4 {
                    for lane in 0..LANES {
                        group[w * LANES + lane] = between(low, high, unit(words[w][lane]));
                    }
                }
                group
            });
        }
        Law::Coin(probability) => {
            // Compared in 32 bits: all of them stand for certainty.
            let threshold = (probability * 4_294_967_296.0) as u32;
            let always = if probability >= 1.0 { 1.0 } else { 0.0 };
            fill!(out, seed, first, SINGLES, words => {
                let mut group = [0.0; SINGLES];
                for w in 0..4 {
                    for lane in 0..LANES {
                        group[w * LANES + lane] = if words[w][lane] < threshold { 1.0 } else { always };
                    }
                }
                group
            });
        }
        Law::Normal(mean, deviation) => {
            let (mean, deviation) = (mean as f32, deviation as f32);
            fill!(out, seed, first, SINGLES, words => {
                let mut group = [0.0; SINGLES];
                for pair in [0, 2] {
                    for lane in 0..LANES {
                        let (x, y) = normal::<f32, FMA>(unit(words[pair][lane]), unit(words[pair + 1][lane]));
                        group[pair * LANES + lane] = mean + deviation * x;
                        group[(pair + 1) * LANES + lane] = mean + deviation * y;
                    }
                }
                group
            });
        }
    }
}

#[inline(always)]
fn doubles<const FMA: bool>(law: Law, seed: u64, first: u64, out: &mut [f64]) {
    fill!(out, seed, first, DOUBLES, words => {
        let mut group = [0.0; DOUBLES];
        for lane in 0..LANES {
            let u = unit_wide(words[0][lane], words[1][lane]);
            let v = unit_wide(words[2][lane], words[3][lane]);
            (group[lane], group[LANES + lane]) = match law {
                Law::Uniform(low, high) => (between(low, high, u), between(low, high, v)),
                Law::Coin(probability) => (f64::from(u8::from(u < probability)), f64::from(u8::from(v < probability))),
                Law::Normal(mean, deviation) => {
                    let (x, y) = normal::<f64, FMA>(u, v);
                    (mean + deviation * x, mean + deviation * y)
                }
            };
        }
        group
    });
}

dispatch! { fn fill_f32(law: Law, seed: u64, first: u64, out: &mut [f32]) = singles }
dispatch! { fn fill_f64(law: Law, seed: u64, first: u64, out: &mut [f64]) = doubles }
