//! Results of lines, as they are written.

use super::format::{FftTarget, Writes};
use super::source::{Start, along, times};
use super::words::Words;
use cubecl::prelude::*;

#[cube]
fn swapped<N: Float>(re: N, im: N, #[comptime] swaps: bool) -> (N, N) {
    if comptime!(swaps) { (im, re) } else { (re, im) }
}

#[cube]
fn scaled<N: Float>(
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    at: u32,
    re: N,
    im: N,
    #[comptime] scales: bool,
) -> (N, N) {
    if comptime!(scales) { times::<N>(table, words.factors, at, re, im) } else { (re, im) }
}

/// Result `at` of the dimension, a complex number, with all that is done to it after the last pass.
#[cube]
pub fn settled<N: Float>(
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    at: u32,
    value: (N, N),
    #[comptime] to: Writes,
) -> (N, N) {
    let (re, im) = value;
    let (re, im) = swapped::<N>(re, im, comptime!(to.swaps));
    let (re, im) = scaled::<N>(table, words, at, re, im, comptime!(to.scales));
    swapped::<N>(re, im, comptime!(to.swaps_last))
}

#[cube]
pub fn put<E: Float, N: Float, W: Size>(out: &mut Array<Vector<E, W>>, place: u32, re: N, im: N) {
    let mut value = Vector::<E, W>::empty();
    value[0usize] = E::cast_from(re);
    value[1usize] = E::cast_from(im);
    out[place as usize] = value;
}

/// Writes result `k` of a line, a complex number.
#[cube]
pub fn store<E: Float, N: Float, W: Size>(
    out: &mut Array<Vector<E, W>>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    start: &Start,
    k: u32,
    value: (N, N),
    #[comptime] to: Writes,
) {
    let at = if comptime!(to.across) { k * words.to_split + start.part } else { k };
    if comptime!(!to.cuts) || at < words.results {
        let (re, im) = settled::<N>(table, words, at, value, to);
        let inner = words.inner;
        if comptime!(to.target == FftTarget::Pair) {
            put::<E, N, W>(out, start.place + along(at, inner, comptime!(to.across)), re, im);
        } else if comptime!(to.target == FftTarget::Real) {
            let place = start.place + along(at, inner, comptime!(to.across));
            out[place as usize] = Vector::<E, W>::cast_from(re);
        } else {
            out[(start.place + 2u32 * at * inner) as usize] = Vector::<E, W>::cast_from(re);
            out[(start.place + (2u32 * at + 1u32) * inner) as usize] = Vector::<E, W>::cast_from(im);
        }
    }
}
