use crate::block::{brain_below, half_below};
use crate::create::from_data;
use crate::element;
use crate::engine::Engine;
use crate::kernel::{A, Body, Kernel, launch};
use crate::math::wide;
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::random::{LANES, Law, Recipe};
use burn_backend::*;
use cubecl::prelude::*;
use std::sync::Mutex;

/// The seed, and how many counters of it are used up.
static STREAM: Mutex<(u64, u64)> = Mutex::new((0, 0));

pub fn seed(seed: u64) {
    *STREAM.lock().expect("nobody panics while drawing") = (seed, 0);
}

fn position(counters: u64) -> (u64, u64) {
    draws::position(counters, || {
        let mut stream = STREAM.lock().expect("nobody panics while drawing");
        stream.1 = stream.1.wrapping_add(counters);
        (stream.0, stream.1.wrapping_sub(counters))
    })
}

/// Which law, without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Uniform,
    Normal,
    Coin,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Draw {
    kind: Kind,
    /// Of the elements.
    dtype: DType,
    /// Whether they are drawn as `f64`, else as `f32`.
    is_wide: bool,
}

/// The counter of an element, and the key.
#[derive(CubeType, Clone, Copy)]
struct Counter {
    low: u32,
    high: u32,
    key_low: u32,
    key_high: u32,
}

/// Four random words.
#[derive(CubeType, Clone, Copy)]
struct Words {
    a: u32,
    b: u32,
    c: u32,
    d: u32,
}

/// Counter `step` after this one.
#[cube]
fn counter(low: u32, high: u32, key_low: u32, key_high: u32, step: u32) -> Counter {
    let sum = low + step;
    Counter { low: sum, high: select(sum < low, high + 1u32, high), key_low, key_high }
}

/// Philox 4x32-10.
#[cube]
fn philox(counter: Counter) -> Words {
    let mut a = counter.low + 0u32;
    let mut b = counter.high + 0u32;
    let mut c = 0u32;
    let mut d = 0u32;
    let mut first = counter.key_low + 0u32;
    let mut second = counter.key_high + 0u32;
    for _ in 0..10u32 {
        let left_high = u32::mul_hi(0xD251_1F53u32, a);
        let left_low = 0xD251_1F53u32 * a;
        let right_high = u32::mul_hi(0xCD9E_8D57u32, c);
        let right_low = 0xCD9E_8D57u32 * c;
        a = right_high ^ b ^ first;
        c = left_high ^ d ^ second;
        b = right_low;
        d = left_low;
        first += 0x9E37_79B9u32;
        second += 0xBB67_AE85u32;
    }
    Words { a, b, c, d }
}

#[cube]
fn unit_of(word: u32) -> f32 {
    f32::cast_from(word >> 8u32) * 5.960_464_5e-8f32
}

/// Of the first 53 bits.
#[cube]
fn wide_unit_of(high: u32, low: u32) -> f64 {
    (f64::cast_from(high) * 2_097_152.0f64 + f64::cast_from(low >> 11u32)) * 1.110_223_024_625_156_5e-16f64
}

/// 1 or 0.
#[cube]
fn coin<E: Numeric>(is_one: bool) -> E {
    select(is_one, E::from_int(1), E::from_int(0))
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn draw_single<E: Numeric>(
    out: &mut Array<E>,
    count: u32,
    first_low: u32,
    first_high: u32,
    key_low: u32,
    key_high: u32,
    left: u32,
    right: u32,
    #[comptime] draw: Draw,
) {
    let element = strides::position();
    if element < count {
        let within = element % 64u32;
        let step = element / 64u32 * 16u32 + within % 16u32;
        let words = philox(counter(first_low, first_high, key_low, key_high, step));
        let at = within / 16u32;
        let (even, odd) = (select(at >= 2u32, words.c, words.a), select(at >= 2u32, words.d, words.b));
        let second = (at & 1u32) == 1u32;
        let word = select(second, odd, even);
        if comptime!(draw.kind == Kind::Coin) {
            // The right number says whether every word is below the left one.
            out[element as usize] = coin::<E>(word < left || right == 1u32);
        } else if comptime!(draw.kind == Kind::Uniform) {
            let (from, to) = (f32::reinterpret(left), f32::reinterpret(right));
            let x = from + (to - from) * unit_of(word);
            let x = select(x < to, x, from);
            // Rounded to the nearest, a number could become the upper bound.
            let x = if comptime!(draw.dtype == DType::F16) {
                half_below(x)
            } else if comptime!(draw.dtype == DType::BF16) {
                brain_below(x)
            } else {
                x
            };
            out[element as usize] = E::cast_from(x);
        } else {
            let radius = (-2.0f32 * crate::math::log1p(-unit_of(even))).sqrt();
            // 24 bits of a turn.
            let (sine, cosine) = crate::math::turn(odd >> 8u32, 16_777_216u32);
            let x = f32::reinterpret(left) + f32::reinterpret(right) * radius * select(second, sine, cosine);
            out[element as usize] = E::cast_from(x);
        }
    }
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn draw_wide<E: Numeric>(
    out: &mut Array<E>,
    count: u32,
    first_low: u32,
    first_high: u32,
    key_low: u32,
    key_high: u32,
    left: f64,
    right: f64,
    #[comptime] draw: Draw,
) {
    let element = strides::position();
    if element < count {
        let within = element % 32u32;
        let step = element / 32u32 * 16u32 + within % 16u32;
        let words = philox(counter(first_low, first_high, key_low, key_high, step));
        let second = within >= 16u32;
        let (first_unit, second_unit) = (wide_unit_of(words.a, words.b), wide_unit_of(words.c, words.d));
        let unit = select(second, second_unit, first_unit);
        if comptime!(draw.kind == Kind::Coin) {
            out[element as usize] = coin::<E>(unit < left);
        } else if comptime!(draw.kind == Kind::Uniform) {
            let x = left + (right - left) * unit;
            let x = select(x < right, x, left);
            // A narrow integer has four bytes before.
            let computed = comptime!(element::widened(draw.dtype));
            out[element as usize] = if comptime!(computed == DType::F64) {
                E::cast_from(x)
            } else if comptime!(computed == DType::I64) {
                E::cast_from(i64::cast_from(x.floor()))
            } else if comptime!(computed == DType::U64) {
                E::cast_from(u64::cast_from(x.floor()))
            } else if comptime!(computed == DType::I32) {
                E::cast_from(i32::cast_from(x.floor()))
            } else {
                E::cast_from(u32::cast_from(x.floor()))
            };
        } else {
            let radius = (-2.0f64 * wide::log1p(-first_unit)).sqrt();
            let angle = second_unit * 6.283_185_307_179_586f64;
            let x = left + right * radius * select(second, wide::sin(angle), wide::cos(angle));
            out[element as usize] = E::cast_from(x);
        }
    }
}

impl Kernel for Draw {
    const NAME: &'static str = "random";

    fn expand(&self, body: &mut Body) {
        let out = body.array(0);
        let [count, low, high, key, key_high] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        if self.is_wide {
            let [left, right] = [5, 7].map(|at| {
                let (low, high) = (body.word(at), body.word(at + 1));
                wide_of::expand(&mut body.scope, low, high)
            });
            let scope = &mut body.scope;
            draw_wide::expand::<A>(scope, out, count, low, high, key, key_high, left, right, self.clone());
        } else {
            let [left, right] = [5, 6].map(|at| body.word(at));
            let scope = &mut body.scope;
            draw_single::expand::<A>(scope, out, count, low, high, key, key_high, left, right, self.clone());
        }
    }
}

/// A number of the launch, in two words.
#[cube]
fn wide_of(low: u32, high: u32) -> f64 {
    f64::reinterpret((u64::cast_from(high) << 32u64) | u64::cast_from(low))
}

/// The numbers that every backend draws from a seed.
#[track_caller]
pub fn random(spec: TensorSpec, distribution: Distribution, engine: &'static dyn Engine) -> CubeTensor {
    const { assert!(LANES == 16) };
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
