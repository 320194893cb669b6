//! Second kernel: what the pieces give together.

use crate::launch::kernel::{Body, C, D, Kernel};
use crate::launch::words::launch_words;
use cubecl::prelude::*;

/// Pieces that a unit asks for at a time.
const PIECES: u32 = 16;

/// Kernel of the results. A unit has an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Merge {
    pub head: u32,
}

launch_words! {
    pub struct MergeWords {
        /// Elements of the result.
        pub count: u32,
        pub pieces: u32,
    }
}

#[cube]
fn merge<E: Numeric, L: Numeric>(
    sums: &Array<f32>,
    stats: &Array<f32>,
    out: &mut Array<E>,
    log_sums: &mut Array<L>,
    words: &MergeWords,
    #[comptime] kind: Merge,
) {
    let at = ABSOLUTE_POS as u32;
    if at < words.count {
        let (row, column) = (at / comptime!(kind.head), at % comptime!(kind.head));
        let first = row * words.pieces;
        let rounds = (words.pieces + comptime!(PIECES - 1)) / PIECES;
        let mut largest = stats[(first * 2u32) as usize];
        let mut total = 0.0f32;
        let mut sum = 0.0f32;
        for round in 0..rounds {
            let mut maxima = Array::<f32>::new(comptime!(PIECES as usize));
            let mut weights = Array::<f32>::new(comptime!(PIECES as usize));
            let mut values = Array::<f32>::new(comptime!(PIECES as usize));
            let mut next = largest + 0.0f32;
            #[unroll]
            for j in 0..comptime!(PIECES) {
                let piece = round * PIECES + comptime!(j);
                let of = first + select(piece < words.pieces, piece, 0u32);
                maxima[comptime!(j as usize)] = stats[(of * 2u32) as usize];
                weights[comptime!(j as usize)] = stats[(of * 2u32 + 1u32) as usize];
                values[comptime!(j as usize)] = sums[(of * comptime!(kind.head) + column) as usize];
            }
            #[unroll]
            for j in 0..comptime!(PIECES as usize) {
                next = select(next < maxima[j], maxima[j], next);
            }
            let old = (largest - next).exp();
            total *= old;
            sum *= old;
            #[unroll]
            for j in 0..comptime!(PIECES) {
                let is_piece = round * PIECES + comptime!(j) < words.pieces;
                let factor = (maxima[comptime!(j as usize)] - next).exp();
                let factor = select(is_piece, factor, 0.0f32);
                total += factor * weights[comptime!(j as usize)];
                sum += factor * values[comptime!(j as usize)];
            }
            largest = next;
        }
        // A row that sees no key is 0, one with NaN is NaN.
        let is_seen = total != 0.0f32;
        let divisor = select(is_seen, total, 1.0f32);
        out[at as usize] = E::cast_from(select(is_seen, sum / divisor, 0.0f32));
        if column == 0u32 {
            log_sums[row as usize] = L::cast_from(select(is_seen, largest + divisor.ln(), 0.0f32));
        }
    }
}

impl Kernel for Merge {
    const NAME: &'static str = "attention_merge";
    // Units look at the number of elements, and at that of pieces.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (sums, stats, out, log_sums) = (body.array(0), body.array(1), body.array(2), body.array(3));
        let words = body.read::<MergeWords>();
        merge::expand::<C, D>(&mut body.scope, sums, stats, out, log_sums, words, *self);
    }
}
