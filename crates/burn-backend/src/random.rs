//! Random numbers by definition: what a seed gives, on every backend, for any number of threads.
//!
//! Counter `c` under seed `s` gives four words, [`philox`]`([c, c >> 32, 0, 0], [s, s >> 32])`. A call takes
//! counters in groups of [`LANES`], after those that earlier calls took. A group makes 64 elements of `f32`,
//! each of one word: word 0 of every lane, then word 1 of every lane, and so on. Or it makes 32 of `f64`,
//! each of two words: the first two of every lane, then the last two. Pairs of uniform numbers of one lane
//! make pairs of normal ones (Box and Muller, 1958).
//!
//! [`draw`] computes this slowly; a leaf without a kernel may call it, and the conformance suite compares
//! with it.

use alloc::vec::Vec;
use burn_ir::{DType, Distribution, TensorData, UnaryOp, bf16, f16};
use core::f64::consts::TAU;

/// Number of counters in a group.
pub const LANES: usize = 16;

/// Distribution of one element after the parameters are rounded to the dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// `low + (high - low) u`; `low` where rounding would reach `high`.
    Uniform(f64, f64),
    /// Mean and standard deviation.
    Normal(f64, f64),
    /// 1 with this probability, else 0.
    Coin(f64),
}

/// Recipe for drawing elements of a dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Bounds are those that the dtype can hold, and those of integers are whole.
    pub law: Law,
    /// Whether elements are drawn as `f64`; else as `f32`. Bools and halves need no more, integers may.
    pub is_wide: bool,
    dtype: DType,
}

impl Recipe {
    pub fn new(distribution: Distribution, dtype: DType) -> Self {
        let law = match distribution {
            Distribution::Default if dtype == DType::Bool => Law::Coin(0.5),
            Distribution::Default if dtype.is_int() => Law::Uniform(0.0, dtype.int_range().1.min(255.0)),
            Distribution::Default => Law::Uniform(0.0, 1.0),
            Distribution::Uniform(low, high) => {
                Law::Uniform(Distribution::bound(low, dtype), Distribution::bound(high, dtype))
            }
            Distribution::Normal(mean, deviation) => Law::Normal(mean, deviation),
            Distribution::Bernoulli(probability) => Law::Coin(probability),
        };
        let is_wide = dtype == DType::F64 || (dtype.is_int() && !matches!(law, Law::Coin(_)));
        Recipe { law, is_wide, dtype }
    }

    /// Returns the number of elements drawn from one group of counters.
    pub fn group(&self) -> usize {
        if self.is_wide { LANES * 2 } else { LANES * 4 }
    }

    /// Counters that `count` elements take.
    pub fn counters(&self, count: usize) -> u64 {
        (count.div_ceil(self.group()) * LANES) as u64
    }

    /// Returns the element that the words of a counter make at `place`: of four positions, or of two where it
    /// is wide. It is not rounded to the dtype yet, but for what must stay below the upper bound, and
    /// integers are whole.
    pub fn element(&self, words: [u32; 4], place: usize) -> f64 {
        let x = if self.is_wide { self.double(words, place) } else { self.single(words, place) };
        match self.law {
            Law::Uniform(..) if self.dtype == DType::F16 => f16_below(x as f32).to_f64(),
            Law::Uniform(..) if self.dtype == DType::BF16 => bf16_below(x as f32).to_f64(),
            // Truncation would draw 0 from either side.
            Law::Uniform(..) | Law::Normal(..) if self.dtype.is_int() => UnaryOp::Floor.eval_f64(x),
            Law::Uniform(..) | Law::Normal(..) | Law::Coin(_) => x,
        }
    }

    fn single(&self, words: [u32; 4], at: usize) -> f64 {
        let unit = |word: u32| (word >> 8) as f32 * (1.0 / 16_777_216.0);
        f64::from(match self.law {
            Law::Uniform(low, high) => {
                let (low, high) = (low as f32, high as f32);
                let x = low + (high - low) * unit(words[at]);
                if x < high { x } else { low }
            }
            Law::Coin(probability) => {
                let is_one = f64::from(words[at]) < (probability * 4_294_967_296.0) as u32 as f64
                    || probability >= 1.0;
                f32::from(u8::from(is_one))
            }
            Law::Normal(mean, deviation) => {
                let (u, v) = (unit(words[at & 2]), unit(words[at & 2 | 1]));
                normal(mean, deviation, u.into(), v.into(), at & 1 == 1) as f32
            }
        })
    }

    fn double(&self, words: [u32; 4], at: usize) -> f64 {
        let unit = |high: u32, low: u32| {
            ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
        };
        let units = [unit(words[0], words[1]), unit(words[2], words[3])];
        match self.law {
            Law::Uniform(low, high) => {
                let x = low + (high - low) * units[at];
                if x < high { x } else { low }
            }
            Law::Coin(probability) => f64::from(u8::from(units[at] < probability)),
            Law::Normal(mean, deviation) => normal(mean, deviation, units[0], units[1], at == 1),
        }
    }
}

fn normal(mean: f64, deviation: f64, u: f64, v: f64, is_second: bool) -> f64 {
    let radius = UnaryOp::Sqrt.eval_f64(-2.0 * UnaryOp::Log1p.eval_f64(-u));
    let turn = if is_second { UnaryOp::Sin } else { UnaryOp::Cos };
    mean + deviation * radius * turn.eval_f64(TAU * v)
}

/// Draws `count` elements of `dtype` from the counters `first..` under `seed`.
pub fn draw(distribution: Distribution, dtype: DType, count: usize, seed: u64, first: u64) -> Vec<f64> {
    let recipe = Recipe::new(distribution, dtype);
    let element = |element: usize| {
        let (group, within) = (element / recipe.group(), element % recipe.group());
        let counter = first.wrapping_add((group * LANES + within % LANES) as u64);
        recipe.element(words(seed, counter), within / LANES)
    };
    let drawn: Vec<f64> = (0..count).map(element).collect();
    if dtype == DType::F64 { drawn } else { TensorData::from(&drawn[..]).convert_dtype(dtype).to_f64() }
}

/// Returns the words of a counter.
pub fn words(seed: u64, counter: u64) -> [u32; 4] {
    philox([counter as u32, (counter >> 32) as u32, 0, 0], [seed as u32, (seed >> 32) as u32])
}

/// Rounds `x` down: rounding to nearest could turn a number below `high` into `high`.
pub fn f16_below(x: f32) -> f16 {
    let near = f16::from_f32(x);
    if near.to_f32() > x { f16::from_bits(next_below(near.to_bits())) } else { near }
}

/// Rounds `x` down.
pub fn bf16_below(x: f32) -> bf16 {
    let near = bf16::from_f32(x);
    if near.to_f32() > x { bf16::from_bits(next_below(near.to_bits())) } else { near }
}

/// Returns the bits of the next smaller number, in sign-magnitude form.
fn next_below(bits: u16) -> u16 {
    match (bits >> 15, bits & 0x7FFF) {
        (_, 0) => 0x8001,
        (0, _) => bits - 1,
        _ => bits + 1,
    }
}

/// Computes Philox 4x32-10: four random words from a counter and a key (Salmon et al., "Parallel random
/// numbers: as easy as 1, 2, 3", 2011).
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut first, mut second]) = (counter, key);
    for _ in 0..10 {
        let left = 0xD251_1F53_u64 * u64::from(a);
        let right = 0xCD9E_8D57_u64 * u64::from(c);
        (a, b, c, d) =
            ((right >> 32) as u32 ^ b ^ first, right as u32, (left >> 32) as u32 ^ d ^ second, left as u32);
        (first, second) = (first.wrapping_add(0x9E37_79B9), second.wrapping_add(0xBB67_AE85));
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the Random123 distribution.
    #[test]
    fn philox_known_answers() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = philox([u32::MAX; 4], [u32::MAX; 2]);
        assert_eq!(ones, [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let counter = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let digits_of_pi = philox(counter, [0xa409_3822, 0x299f_31d0]);
        assert_eq!(digits_of_pi, [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn below_rounds_toward_minus_infinity() {
        let tiny = f16::from_bits(1).to_f32();
        for (x, expected) in [(1.0, 1.0), (0.999_99, 1.0 - 1.0 / 2048.0), (-1.000_01, -1.0 - 1.0 / 1024.0)] {
            assert_eq!(f16_below(x).to_f32(), expected);
        }
        assert_eq!((f16_below(tiny / 2.0).to_f32(), f16_below(-tiny / 4.0).to_f32()), (0.0, -tiny));
        assert_eq!(bf16_below(0.999_99).to_f32(), 1.0 - 1.0 / 256.0);
    }
}
