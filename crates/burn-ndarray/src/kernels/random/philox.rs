//! Philox 4x32-10: a counter and a key are mixed to four random words (Salmon et al., "Parallel random
//! numbers: as easy as 1, 2, 3", 2011). Any part of the sequence can be computed on its own.

use burn_backend::random::LANES;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// The words of `LANES` counters: word `w` of counter `lane` at `[w][lane]`.
pub type Block = [[u32; LANES]; 4];

#[inline(always)]
pub fn mix(mut counter: Block, mut key: [u32; 2]) -> Block {
    for _ in 0..ROUNDS {
        let mut next = [[0; LANES]; 4];
        for lane in 0..LANES {
            let first = u64::from(MULTIPLIERS[0]) * u64::from(counter[0][lane]);
            let second = u64::from(MULTIPLIERS[1]) * u64::from(counter[2][lane]);
            next[0][lane] = (second >> 32) as u32 ^ counter[1][lane] ^ key[0];
            next[1][lane] = second as u32;
            next[2][lane] = (first >> 32) as u32 ^ counter[3][lane] ^ key[1];
            next[3][lane] = first as u32;
        }
        counter = next;
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// The random words of the counters `first..first + LANES` under a seed.
#[inline(always)]
pub fn words(seed: u64, first: u64) -> Block {
    let mut counter = [[0; LANES]; 4];
    for lane in 0..LANES {
        let at = first.wrapping_add(lane as u64);
        counter[0][lane] = at as u32;
        counter[1][lane] = (at >> 32) as u32;
    }
    mix(counter, [seed as u32, (seed >> 32) as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the Random123 distribution.
    #[test]
    fn known_answers() {
        let cases: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, expected) in cases {
            let mixed = mix(counter.map(|word| [word; LANES]), key);
            assert_eq!(mixed.map(|word| word[0]), expected);
        }
    }
}
