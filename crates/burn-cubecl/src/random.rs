use crate::create::from_data;
use crate::engine::Engine;
use crate::kernel::{Body, Kernel, launch};
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
}

/// Words `at` and the one beside it of Philox 4x32-10: the even one first.
#[cube]
fn philox(low: u32, high: u32, first_key: u32, second_key: u32, at: u32) -> (u32, u32) {
    let mut a = low + 0u32;
    let mut b = high + 0u32;
    let mut c = 0u32;
    let mut d = 0u32;
    let mut first = first_key + 0u32;
    let mut second = second_key + 0u32;
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
    let upper = at >= 2u32;
    (select(upper, c, a), select(upper, d, b))
}

#[cube]
fn unit_of(word: u32) -> f32 {
    f32::cast_from(word >> 8u32) * 5.960_464_5e-8f32
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn draw<E: Numeric>(
    out: &mut Array<E>,
    count: u32,
    first_low: u32,
    first_high: u32,
    key_low: u32,
    key_high: u32,
    left: u32,
    right: u32,
    #[comptime] kind: Kind,
) {
    let element = strides::position();
    if element < count {
        let within = element % 64u32;
        let step = element / 64u32 * 16u32 + within % 16u32;
        let low = first_low + step;
        let high = select(low < first_low, first_high + 1u32, first_high);
        let at = within / 16u32;
        let (even, odd) = philox(low, high, key_low, key_high, at);
        let second = (at & 1u32) == 1u32;
        let word = select(second, odd, even);
        if comptime!(kind == Kind::Coin) {
            // The right number says whether every word is below the left one.
            out[element as usize] = select(word < left || right == 1u32, E::from_int(1), E::from_int(0));
        } else if comptime!(kind == Kind::Uniform) {
            let (from, to) = (f32::reinterpret(left), f32::reinterpret(right));
            let x = from + (to - from) * unit_of(word);
            out[element as usize] = E::cast_from(select(x < to, x, from));
        } else {
            let radius = (-2.0f32 * crate::math::log1p(-unit_of(even))).sqrt();
            // 24 bits of a turn.
            let (sine, cosine) = crate::math::turn(odd >> 8u32, 16_777_216u32);
            let x = f32::reinterpret(left) + f32::reinterpret(right) * radius * select(second, sine, cosine);
            out[element as usize] = E::cast_from(x);
        }
    }
}

impl Kernel for Draw {
    const NAME: &'static str = "random";

    fn expand(&self, body: &mut Body) {
        let out = body.array(0);
        let [count, low, high, key, key_high, left, right] = [0, 1, 2, 3, 4, 5, 6].map(|at| body.word(at));
        draw::expand::<crate::kernel::A>(
            &mut body.scope,
            out,
            count,
            low,
            high,
            key,
            key_high,
            left,
            right,
            self.kind,
        );
    }
}

/// The numbers that every backend draws from a seed.
#[track_caller]
pub fn random(spec: TensorSpec, distribution: Distribution, engine: &'static dyn Engine) -> CubeTensor {
    let count = spec.shape.num_elements();
    let recipe = Recipe::new(distribution, spec.dtype);
    let (seed, first) = position(recipe.counters(count));
    let in_kernel = !recipe.is_wide
        && engine.has(DType::I64)
        && (spec.dtype == DType::F32 || matches!(recipe.law, Law::Coin(_)));
    if !in_kernel {
        // Integers are drawn in f64, on the host; nothing is read back.
        let values = random::draw(distribution, spec.dtype, count, seed, first);
        return from_data(TensorData::new(values, spec.shape).convert_dtype(spec.dtype), engine);
    }
    let (kind, left, right) = match recipe.law {
        Law::Uniform(low, high) => (Kind::Uniform, (low as f32).to_bits(), (high as f32).to_bits()),
        Law::Normal(mean, deviation) => (Kind::Normal, (mean as f32).to_bits(), (deviation as f32).to_bits()),
        Law::Coin(p) => (Kind::Coin, (p * 4_294_967_296.0) as u32, u32::from(p >= 1.0)),
    };
    let out = CubeTensor::empty(spec, engine);
    let words =
        [count as u32, first as u32, (first >> 32) as u32, seed as u32, (seed >> 32) as u32, left, right];
    const { assert!(LANES == 16) };
    launch(Draw { kind }, &[], &[&out], &words, count);
    out
}
