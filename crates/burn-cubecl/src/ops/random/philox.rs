//! Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).

use cubecl::prelude::*;

/// Four random words.
#[derive(CubeType, Clone, Copy)]
pub struct Words {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub d: u32,
}

/// Computes the words of the counter `step` after the first one. `from` holds the first counter and the key,
/// low words first.
#[cube]
pub fn philox(from: &Sequence<u32>, step: u32) -> Words {
    let low = *from.index(0usize);
    let mut a = low + step;
    let mut b = *from.index(1usize) + select(a < low, 1u32, 0u32);
    let mut c = 0u32;
    let mut d = 0u32;
    let mut first = *from.index(2usize) + 0u32;
    let mut second = *from.index(3usize) + 0u32;
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
