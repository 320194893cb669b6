//! The two sums: of whole rows, and of the neighbours in a row.

use super::bands::Bands;
use crate::elements::number::Number;
use core::ops::Range;

/// `out = sum over k of weights[k] rows(k)`.
#[inline(always)]
pub fn blend<'a, E: Number>(weights: &[E], rows: impl Fn(usize) -> &'a [E], out: &mut [E]) {
    let mut parts = weights.chunks(4).enumerate().map(|(part, weights)| (4 * part, weights));
    match parts.next() {
        None => out.fill(E::ZERO),
        Some((_, weights)) => blend_few(weights, &rows, out, |_, sum| sum),
    }
    parts.for_each(|(at, weights)| blend_few(weights, |k| rows(at + k), out, E::plus));
}

/// Up to four rows, and what `out` has if `add` takes it.
#[inline(always)]
fn blend_few<'a, E: Number>(
    weights: &[E],
    rows: impl Fn(usize) -> &'a [E],
    out: &mut [E],
    add: impl Fn(E, E) -> E,
) {
    let len = out.len();
    let row = |k: usize| &rows(k)[..len];
    match *weights {
        [] => {}
        [a] => {
            let x = row(0);
            (0..len).for_each(|i| out[i] = add(out[i], a.times(x[i])));
        }
        [a, b] => {
            let (x, y) = (row(0), row(1));
            (0..len).for_each(|i| out[i] = add(out[i], a.times(x[i]).plus(b.times(y[i]))));
        }
        [a, b, c] => {
            let (x, y, z) = (row(0), row(1), row(2));
            (0..len).for_each(|i| {
                out[i] = add(out[i], a.times(x[i]).plus(b.times(y[i])).plus(c.times(z[i])));
            });
        }
        [a, b, c, d, ..] => {
            let (x, y, z, w) = (row(0), row(1), row(2), row(3));
            (0..len).for_each(|i| {
                let sum = a.times(x[i]).plus(b.times(y[i])).plus(c.times(z[i])).plus(d.times(w[i]));
                out[i] = add(out[i], sum);
            });
        }
    }
}

/// `out[j]` is the product of row `j` of the bands and `xs`; `runs` are those of the bands.
#[inline(always)]
pub fn gather<E: Number>(bands: &Bands<E>, runs: &[(Range<usize>, usize)], xs: &[E], out: &mut [E]) {
    for (rows, width) in runs {
        let (first, weights) = bands.range(rows.clone());
        let out = &mut out[rows.clone()];
        match width {
            0 => out.fill(E::ZERO),
            1 => gather_each::<E, 1>(first, weights, xs, out),
            2 => gather_each::<E, 2>(first, weights, xs, out),
            3 => gather_each::<E, 3>(first, weights, xs, out),
            4 => gather_each::<E, 4>(first, weights, xs, out),
            6 => gather_each::<E, 6>(first, weights, xs, out),
            &width => {
                for ((out, &first), weights) in out.iter_mut().zip(first).zip(weights.chunks_exact(width)) {
                    let xs = xs[first..].iter().zip(weights);
                    *out = xs.fold(E::ZERO, |sum, (x, weight)| sum.plus(x.times(*weight)));
                }
            }
        }
    }
}

#[inline(always)]
fn gather_each<E: Number, const T: usize>(first: &[usize], weights: &[E], xs: &[E], out: &mut [E]) {
    for ((out, &first), weights) in out.iter_mut().zip(first).zip(weights.as_chunks::<T>().0) {
        let xs: &[E] = &xs[first..first + T];
        let mut sum = xs[0].times(weights[0]);
        for k in 1..T {
            sum = sum.plus(xs[k].times(weights[k]));
        }
        *out = sum;
    }
}
