//! Elements by a law, each made of the words of a counter.

use super::philox::philox;
use crate::launch::element::widened;
use crate::launch::kernel::{A, Body, Kernel};
use crate::launch::strides;
use crate::ops::block::{brain_below, half_below};
use crate::ops::math::{float64, log1p, turn};
use burn_backend::DType;
use cubecl::prelude::*;

/// Counters in a group, of which each gives four elements of a word, or two of two words.
const LANES: u32 = burn_backend::random::LANES as u32;

/// Kind of a distribution, without its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Uniform,
    Normal,
    Coin,
}

/// Words of a launch: how many elements, the first counter and the key in two words each, and two numbers of
/// the law: bounds, mean and deviation, or the probability of a one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Draw {
    pub kind: Kind,
    /// Dtype of the elements.
    pub dtype: DType,
    /// Whether they are drawn as `f64`, with numbers of two words, else as `f32`.
    pub is_wide: bool,
}

#[cube]
fn unit_of(word: u32) -> f32 {
    f32::cast_from(word >> 8u32) * 5.960_464_5e-8f32
}

/// Converts the upper 53 bits to a uniform number in `[0, 1)`.
#[cube]
fn wide_unit_of(high: u32, low: u32) -> f64 {
    (f64::cast_from(high) * 2_097_152.0f64 + f64::cast_from(low >> 11u32)) * 1.110_223_024_625_156_5e-16f64
}

/// A number of a law, in two words from `at` on.
#[cube]
fn number(law: &Sequence<u32>, #[comptime] at: usize) -> f64 {
    let (low, high) = (u64::cast_from(*law.index(at)), u64::cast_from(*law.index(comptime!(at + 1))));
    f64::reinterpret((high << 32u64) | low)
}

#[cube]
fn coin<E: Numeric>(is_one: bool) -> E {
    select(is_one, E::from_int(1), E::from_int(0))
}

/// Element `at`, of one word.
#[cube]
fn single<E: Numeric>(at: u32, from: &Sequence<u32>, law: &Sequence<u32>, #[comptime] draw: Draw) -> E {
    let within = at % (4u32 * LANES);
    let words = philox(from, at / (4u32 * LANES) * LANES + within % LANES);
    let word = within / LANES;
    let (even, odd) = (select(word >= 2u32, words.c, words.a), select(word >= 2u32, words.d, words.b));
    let second = (word & 1u32) == 1u32;
    let word = select(second, odd, even);
    let (left, right) = (*law.index(0usize), *law.index(1usize));
    if comptime!(draw.kind == Kind::Coin) {
        // The right number says whether every word is below the left one.
        coin::<E>(word < left || right == 1u32)
    } else if comptime!(draw.kind == Kind::Uniform) {
        let (low, high) = (f32::reinterpret(left), f32::reinterpret(right));
        let x = low + (high - low) * unit_of(word);
        let x = select(x < high, x, low);
        // Rounded to the nearest, a number could become the upper bound.
        if comptime!(draw.dtype == DType::F16) {
            E::cast_from(half_below(x))
        } else if comptime!(draw.dtype == DType::BF16) {
            E::cast_from(brain_below(x))
        } else {
            E::cast_from(x)
        }
    } else {
        let (mean, deviation) = (f32::reinterpret(left), f32::reinterpret(right));
        let radius = (-2.0f32 * log1p(-unit_of(even))).sqrt();
        // 24 bits of a turn.
        let (sine, cosine) = turn(odd >> 8u32, 16_777_216u32);
        E::cast_from(mean + deviation * radius * select(second, sine, cosine))
    }
}

/// Element `at`, of two words.
#[cube]
fn double<E: Numeric>(at: u32, from: &Sequence<u32>, law: &Sequence<u32>, #[comptime] draw: Draw) -> E {
    let within = at % (2u32 * LANES);
    let words = philox(from, at / (2u32 * LANES) * LANES + within % LANES);
    let second = within >= LANES;
    let (first_unit, second_unit) = (wide_unit_of(words.a, words.b), wide_unit_of(words.c, words.d));
    let unit = select(second, second_unit, first_unit);
    let (left, right) = (number(law, 0usize), number(law, 2usize));
    if comptime!(draw.kind == Kind::Coin) {
        coin::<E>(unit < left)
    } else if comptime!(draw.kind == Kind::Uniform) {
        let x = left + (right - left) * unit;
        let x = select(x < right, x, left);
        // A narrow integer has four bytes before.
        let computed = comptime!(widened(draw.dtype));
        if comptime!(computed == DType::F64) {
            E::cast_from(x)
        } else if comptime!(computed == DType::I64) {
            E::cast_from(i64::cast_from(x.floor()))
        } else if comptime!(computed == DType::U64) {
            E::cast_from(u64::cast_from(x.floor()))
        } else if comptime!(computed == DType::I32) {
            E::cast_from(i32::cast_from(x.floor()))
        } else {
            E::cast_from(u32::cast_from(x.floor()))
        }
    } else {
        let radius = (-2.0f64 * float64::log1p(-first_unit)).sqrt();
        let angle = second_unit * 6.283_185_307_179_586f64;
        let turned = select(second, float64::sin(angle), float64::cos(angle));
        E::cast_from(left + right * radius * turned)
    }
}

#[cube]
fn draw_each<E: Numeric>(
    out: &mut Array<E>,
    count: u32,
    from: &Sequence<u32>,
    law: &Sequence<u32>,
    #[comptime] draw: Draw,
) {
    let at = strides::position();
    if at < count {
        out[at as usize] = if comptime!(draw.is_wide) {
            double::<E>(at, from, law, draw)
        } else {
            single::<E>(at, from, law, draw)
        };
    }
}

impl Kernel for Draw {
    const NAME: &'static str = "random";

    fn expand(&self, body: &mut Body) {
        let (out, count) = (body.array(0), body.next_word());
        let numbers = if self.is_wide { 4 } else { 2 };
        let (from, law) = (body.next_words(4), body.next_words(numbers));
        draw_each::expand::<A>(&mut body.scope, out, count, from, law, *self);
    }
}
