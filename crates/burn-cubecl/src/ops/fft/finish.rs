//! Half of the spectrum of real numbers, from that of pairs of them: it is the spectrum of the elements at
//! even positions plus `i` times that of the others, which symmetry separates.

use super::pass::{Shared, place};
use super::shape::Shape;
use super::source::{along, start};
use super::target::put;
use super::words::Words;
use crate::launch::kernel::{A, B, Body, C, Kernel, UNITS, launch_vectors};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use burn_backend::HasSpec;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Element `k` of the spectrum, of element `k` of that of the pairs and of its mirror image. The root is that
/// of `k`, backward.
#[cube]
fn joined<N: Float>(re: N, im: N, other_re: N, other_im: N, cosine: N, sine: N) -> (N, N) {
    let half = N::new(0.5);
    let (even_re, even_im) = (half * (re + other_re), half * (im - other_im));
    let (odd_re, odd_im) = (half * (im + other_im), half * (other_re - re));
    (even_re + (odd_re * cosine + odd_im * sine), even_im + (odd_im * cosine - odd_re * sine))
}

/// Elements `k` and `half - k` of the spectrum, of the same elements of that of the pairs, which are mirror
/// images. The root is that of `k`, backward.
#[cube]
fn both<N: Float>(x: (N, N), other: (N, N), root: (N, N)) -> ((N, N), (N, N)) {
    let (a, b) = x;
    let (c, d) = other;
    let (cosine, sine) = root;
    let half = N::new(0.5);
    let (even_re, even_im) = (half * (a + c), half * (b - d));
    let (odd_re, odd_im) = (half * (b + d), half * (c - a));
    let (re, im) = (odd_re * cosine + odd_im * sine, odd_im * cosine - odd_re * sine);
    ((even_re + re, even_im + im), (even_re - re, im - even_im))
}

/// Writes the half spectra of lines in shared memory.
#[cube]
pub fn spectrum_of<E: Float, N: Float, T: Size>(
    out: &mut Array<Vector<E, T>>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    shared: &Shared<N>,
    #[comptime] shape: Shape,
) {
    // Known when this is compiled, unless a line is longer than what it transforms.
    let half = if comptime!(shape.convolves) {
        words.n / 2u32
    } else {
        comptime!(shape.passes.size as u32).runtime()
    };
    let (rows, units) = comptime!((shape.rows as u32, shape.units as u32));
    let (pass, across) = comptime!((shape.passes.count() - 1, shape.to.across));
    let halves = half / 2u32 + 1u32;
    for turn in 0..(halves * rows + comptime!(units - 1)) / units {
        let number = UNIT_POS + turn * units;
        let mut row = number / halves;
        let mut k = number % halves;
        if comptime!(across) {
            row = number % rows;
            k = number / rows;
        }
        let line = CUBE_POS as u32 * rows + row;
        if number < halves * rows && line < words.lines {
            let own = shared.get(place(row, k, pass, shape));
            let other = shared.get(place(row, select(k == 0u32, 0u32, half - k), pass, shape));
            let root = table[(words.roots + k) as usize];
            let (low, high) = both::<N>(own, other, (root[0usize], root[1usize]));
            let start = start(line, words.inner, 1u32, half + 1u32, across);
            put::<E, N, T>(out, start.place + along(k, words.inner, across), low.0, low.1);
            put::<E, N, T>(out, start.place + along(half - k, words.inner, across), high.0, high.1);
        }
    }
}

launch_words! {
    struct FinishWords {
        /// Results of all lines.
        count: u32,
        /// Pairs of a line.
        half: u32,
        inner: u32,
    }
}

/// Kernel that finishes the half spectra of lines in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Finish;

#[cube]
fn finished<E: Float, N: Float, O: Float>(
    x: &Array<E>,
    table: &Array<N>,
    out: &mut Array<O>,
    words: &FinishWords,
) {
    let at = strides::position();
    if at < words.count {
        let (half, inner) = (words.half, words.inner);
        let i = at % inner;
        let k = at / inner % (half + 1u32);
        let line = at / (inner * (half + 1u32)) * half * inner + i;
        let own = (2u32 * (line + select(k == half, 0u32, k) * inner)) as usize;
        let other = (2u32 * (line + select(k == 0u32, 0u32, half - k) * inner)) as usize;
        let root = (2u32 * k) as usize;
        let (re, im) = joined::<N>(
            N::cast_from(x[own]),
            N::cast_from(x[own + 1usize]),
            N::cast_from(x[other]),
            N::cast_from(x[other + 1usize]),
            table[root],
            table[root + 1usize],
        );
        out[(2u32 * at) as usize] = O::cast_from(re);
        out[(2u32 * at + 1u32) as usize] = O::cast_from(im);
    }
}

impl Kernel for Finish {
    const NAME: &'static str = "fft_of_real";

    fn expand(&self, body: &mut Body) {
        let (x, table, out) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<FinishWords>();
        finished::expand::<A, B, C>(&mut body.scope, x, table, out, words);
    }
}

/// From the spectra of `half` pairs each. The table has the roots of twice as many.
pub fn finish(x: &CubeTensor, table: &CubeTensor, out: &CubeTensor, half: usize, inner: usize) {
    let count = out.spec().shape.num_elements() / 2;
    let words = FinishWords { count: word(count), half: word(half), inner: word(inner) };
    let cubes = count.div_ceil(UNITS as usize);
    launch_vectors(Finish, &[x, table], &[out], vec![1; 3], &words.words(), cubes, CubeDim::new_1d(UNITS));
}
