//! Elements of lines, as they are read.

use super::format::{FftSource, Reads};
use super::words::Words;
use cubecl::prelude::*;

/// Location of a line: its part of a longer one, and the place of the first element of that.
#[derive(CubeType, Clone)]
pub struct Start {
    pub place: u32,
    pub part: u32,
}

/// Lines are `[outer, split, inner]`, of which the second is a part of the dimension that is transformed.
/// Where lines are not across, both inner sizes are 1.
#[cube]
pub fn start(line: u32, inner: u32, split: u32, size: u32, #[comptime] across: bool) -> Start {
    if comptime!(across) {
        let rest = line / inner;
        Start { place: rest / split * size * inner + line % inner, part: rest % split }
    } else {
        Start { place: line * size, part: 0u32.runtime() }
    }
}

/// Distance of element `at` from the first one of a line.
#[cube]
pub fn along(at: u32, inner: u32, #[comptime] across: bool) -> u32 {
    if comptime!(across) { at * inner } else { at }
}

#[cube]
fn pair<E: Float, N: Float, W: Size>(x: &Array<Vector<E, W>>, place: u32) -> (N, N) {
    let value = x[place as usize];
    (N::cast_from(value[0usize]), N::cast_from(value[1usize]))
}

#[cube]
fn single<E: Float, N: Float, W: Size>(x: &Array<Vector<E, W>>, place: u32) -> N {
    N::cast_from(x[place as usize])
}

/// Element `at` of half of a spectrum of `n`, an odd number, and of the conjugates after it.
#[cube]
fn mirrored<E: Float, N: Float, W: Size>(
    x: &Array<Vector<E, W>>,
    words: &Words,
    place: u32,
    at: u32,
) -> (N, N) {
    let is_behind = 2u32 * at > words.n;
    let (re, im) = pair::<E, N, W>(x, place + select(is_behind, words.n - at, at) * words.inner);
    // The first element is its own mirror image, hence real.
    (re, select(at == 0u32, N::new(0.0), select(is_behind, -im, im)))
}

/// Element `at` of the spectrum of pairs, from half of the spectrum of the `n` numbers in them.
#[cube]
fn paired<E: Float, N: Float, W: Size>(
    x: &Array<Vector<E, W>>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    place: u32,
    at: u32,
    #[comptime] across: bool,
) -> (N, N) {
    let (a, own) = pair::<E, N, W>(x, place + along(at, words.inner, across));
    let (c, other) = pair::<E, N, W>(x, place + along(words.n / 2u32 - at, words.inner, across));
    let b = select(at == 0u32, N::new(0.0), own);
    let d = select(at == 0u32, N::new(0.0), other);
    let root = table[(words.roots + at) as usize];
    let (cosine, sine) = (root[0usize], root[1usize]);
    let re = (a + c) - ((b + d) * cosine + (a - c) * sine);
    let im = (b - d) + ((a - c) * cosine - (b + d) * sine);
    (re, im)
}

/// Element `at` of the dimension.
#[cube]
fn element<E: Float, N: Float, W: Size>(
    x: &Array<Vector<E, W>>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    place: u32,
    at: u32,
    #[comptime] from: Reads,
) -> (N, N) {
    let (source, inner) = (comptime!(from.source), words.inner);
    if comptime!(source == FftSource::Pair) {
        pair::<E, N, W>(x, place + along(at, inner, comptime!(from.across)))
    } else if comptime!(source == FftSource::Evens) {
        let first = place + 2u32 * at * inner;
        (single::<E, N, W>(x, first), single::<E, N, W>(x, first + inner))
    } else if comptime!(source == FftSource::Real) {
        (single::<E, N, W>(x, place + along(at, inner, comptime!(from.across))), N::new(0.0))
    } else if comptime!(source == FftSource::Half) {
        mirrored::<E, N, W>(x, words, place, at)
    } else {
        paired::<E, N, W>(x, table, words, place, at, comptime!(from.across))
    }
}

/// Element `at` of a line.
#[cube]
pub fn load<E: Float, N: Float, W: Size>(
    x: &Array<Vector<E, W>>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    start: &Start,
    at: u32,
    #[comptime] from: Reads,
) -> (N, N) {
    let at = if comptime!(from.across) { at * words.from_split + start.part } else { at };
    let mut re = N::new(0.0);
    let mut im = N::new(0.0);
    if comptime!(!from.chirps) || at < words.terms {
        let (a, b) = element::<E, N, W>(x, table, words, start.place, at, from);
        re = a;
        im = b;
        if comptime!(from.swaps) {
            re = b;
            im = a;
        }
        if comptime!(from.chirps) {
            let (a, b) = times::<N>(table, words.chirp, at, re, im);
            re = a;
            im = b;
        }
    }
    (re, im)
}

/// A number times pair `at` of the table from `first` on.
#[cube]
pub fn times<N: Float>(table: &Array<Vector<N, Const<2>>>, first: u32, at: u32, re: N, im: N) -> (N, N) {
    let factor = table[(first + at) as usize];
    product::<N>((re, im), (factor[0usize], factor[1usize]))
}

#[cube]
pub fn product<N: Float>(x: (N, N), y: (N, N)) -> (N, N) {
    let (a, b) = x;
    let (c, d) = y;
    (a * c - b * d, a * d + b * c)
}
