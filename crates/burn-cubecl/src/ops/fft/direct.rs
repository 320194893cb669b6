//! Short lines as sums of products, by one kernel for all lengths: compiling one of their own would take
//! longer than they do.

use super::table::Table;
use crate::launch::kernel::{A, B, Body, C, Kernel, UNITS, launch_vectors};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use burn_backend::FftOp;
use cubecl::CubeDim;
use cubecl::prelude::*;

launch_words! {
    struct SumWords {
        /// Results of all lines.
        count: u32,
        /// Elements of a transform, and those that are read and written.
        n: u32,
        terms: u32,
        results: u32,
        inner: u32,
    }
}

/// Elements are `[outer, line, inner]`, complex ones with a last dimension of two.
#[cube]
fn sum<E: Float, N: Float, O: Float>(
    x: &Array<E>,
    roots: &Array<N>,
    out: &mut Array<O>,
    words: &SumWords,
    #[comptime] op: FftOp,
) {
    let at = strides::position();
    if at < words.count {
        let (n, inner) = (words.n, words.inner);
        let i = at % inner;
        let j = at / inner % words.results;
        let first = at / (inner * words.results) * words.terms * inner + i;
        let mut re = N::new(0.0);
        let mut im = N::new(0.0);
        let mut turn = 0u32;
        for k in 0..n {
            let mirrored = k >= words.terms;
            let place = first + select(mirrored, n - k, k) * inner;
            let mut a = N::new(0.0);
            let mut b = N::new(0.0);
            if comptime!(op == FftOp::Real) {
                a += N::cast_from(x[place as usize]);
            } else {
                a += N::cast_from(x[(2u32 * place) as usize]);
                b += N::cast_from(x[(2u32 * place + 1u32) as usize]);
            }
            if comptime!(matches!(op, FftOp::Half { .. })) {
                // Elements that are their own mirror image are real.
                b = select(k == 0u32 || 2u32 * k == n, N::new(0.0), select(mirrored, -b, b));
            }
            let cosine = roots[(2u32 * turn) as usize];
            let mut sine = roots[(2u32 * turn + 1u32) as usize];
            if comptime!(matches!(op, FftOp::Forward | FftOp::Real)) {
                sine = -sine;
            }
            re += a * cosine - b * sine;
            im += a * sine + b * cosine;
            turn += j;
            turn = select(turn >= n, turn - n, turn);
        }
        if comptime!(matches!(op, FftOp::Half { .. })) {
            out[at as usize] = O::cast_from(re);
        } else {
            out[(2u32 * at) as usize] = O::cast_from(re);
            out[(2u32 * at + 1u32) as usize] = O::cast_from(im);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sum {
    op: FftOp,
}

impl Kernel for Sum {
    const NAME: &'static str = "fft_sum";

    fn expand(&self, body: &mut Body) {
        let (x, roots, out) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<SumWords>();
        sum::expand::<A, B, C>(&mut body.scope, x, roots, out, words, self.op);
    }
}

/// `[outer, terms, inner]` elements to `[outer, results, inner]` of them.
pub fn direct(
    op: FftOp,
    x: &CubeTensor,
    out: &CubeTensor,
    n: usize,
    [outer, terms, results, inner]: [usize; 4],
) {
    let count = outer * results * inner;
    // The size is not part of what is compiled.
    let kernel = Sum { op: if matches!(op, FftOp::Half { .. }) { FftOp::Half { n: 0 } } else { op } };
    let table = Table::of_roots(n, n).on(x);
    let words = SumWords {
        count: word(count),
        n: word(n),
        terms: word(terms),
        results: word(results),
        inner: word(inner),
    };
    let cubes = count.div_ceil(UNITS as usize);
    launch_vectors(kernel, &[x, &table], &[out], vec![1; 3], &words.words(), cubes, CubeDim::new_1d(UNITS));
}
