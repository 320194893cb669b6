//! Half of the spectrum of real numbers, from that of pairs of them: it is the spectrum of the elements at
//! even positions plus `i` times that of the others, which symmetry separates.

use super::pass::{Shared, slot};
use super::shape::Shape;
use super::source::start;
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

/// Writes the half spectra of lines in shared memory.
#[cube]
pub fn spectrum_of<E: Float, N: Float, T: Size>(
    out: &mut Array<Vector<E, T>>,
    table: &Array<N>,
    words: &Words,
    shared: &Shared<N>,
    #[comptime] shape: Shape,
) {
    let half = words.n / 2u32;
    let results = half + 1u32;
    let mut number = UNIT_POS;
    while number < results * comptime!(shape.rows as u32) {
        let mut row = number / results;
        let mut k = number % results;
        if comptime!(shape.to.across) {
            row = number % comptime!(shape.rows as u32);
            k = number / comptime!(shape.rows as u32);
        }
        let line = CUBE_POS as u32 * comptime!(shape.rows as u32) + row;
        if line < words.lines {
            let own = slot(row, select(k == half, 0u32, k), shape);
            let other = slot(row, select(k == 0u32, 0u32, half - k), shape);
            let root = (words.roots + 2u32 * k) as usize;
            let (re, im) = joined::<N>(
                shared.re[own],
                shared.im[own],
                shared.re[other],
                shared.im[other],
                table[root],
                table[root + 1usize],
            );
            let start = start(line, words.inner, 1u32, results);
            put::<E, N, T>(out, start.place + k * words.inner, re, im);
        }
        number += comptime!(shape.units as u32);
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
