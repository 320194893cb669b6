//! Transforms of a few numbers in registers: elements `at` and on of lists of real and imaginary parts.

use super::root::root;
use cubecl::prelude::*;

/// Factors of what is two transforms, of columns and of rows: 1 the second one of what is a single one.
pub fn factors(radix: usize) -> (usize, usize) {
    match radix {
        6 => (3, 2),
        8 => (4, 2),
        9 => (3, 3),
        10 => (5, 2),
        16 => (4, 4),
        _ => (radix, 1),
    }
}

/// A number, with all its digits where elements are `f64`: devices without such numbers do not compile that.
#[cube]
fn constant<E: Float>(#[comptime] value: f64, #[comptime] is_wide: bool) -> E {
    if comptime!(is_wide) { E::cast_from(value.runtime()) } else { E::new(comptime!(value as f32)) }
}

/// Replaces `radix` numbers by their transform.
#[cube]
pub fn butterfly<E: Float>(
    re: &mut Array<E>,
    im: &mut Array<E>,
    #[comptime] at: usize,
    #[comptime] radix: usize,
    #[comptime] is_wide: bool,
) {
    if comptime!(factors(radix).1 == 1) {
        single::<E>(re, im, at, 1usize, radix, is_wide);
    } else {
        double::<E>(re, im, at, comptime!(factors(radix).0), comptime!(factors(radix).1), is_wide);
    }
}

/// Transforms `radix` numbers, `step` apart, in place.
#[cube]
fn single<E: Float>(
    re: &mut Array<E>,
    im: &mut Array<E>,
    #[comptime] at: usize,
    #[comptime] step: usize,
    #[comptime] radix: usize,
    #[comptime] is_wide: bool,
) {
    if comptime!(radix == 2) {
        two::<E>(re, im, at, step);
    } else if comptime!(radix == 4) {
        four::<E>(re, im, at, step);
    } else {
        odd::<E>(re, im, at, step, radix, is_wide);
    }
}

/// Transforms `rows * cols` numbers as a matrix: columns, then rows, whose results go to every `rows`-th
/// place.
#[cube]
fn double<E: Float>(
    re: &mut Array<E>,
    im: &mut Array<E>,
    #[comptime] at: usize,
    #[comptime] rows: usize,
    #[comptime] cols: usize,
    #[comptime] is_wide: bool,
) {
    let size = comptime!(rows * cols);
    #[unroll]
    for j in 0..cols {
        single::<E>(re, im, comptime!(at + j), cols, rows, is_wide);
    }
    let mut to_re = Array::<E>::new(size);
    let mut to_im = Array::<E>::new(size);
    #[unroll]
    for k in 0..rows {
        let first = comptime!(at + k * cols);
        #[unroll]
        for j in 1..cols {
            turn::<E>(re, im, comptime!(first + j), comptime!(j * k), size, is_wide);
        }
        single::<E>(re, im, first, 1usize, cols, is_wide);
        #[unroll]
        for j in 0..cols {
            to_re[comptime!(k + j * rows)] = re[comptime!(first + j)];
            to_im[comptime!(k + j * rows)] = im[comptime!(first + j)];
        }
    }
    #[unroll]
    for k in 0..size {
        re[comptime!(at + k)] = to_re[k];
        im[comptime!(at + k)] = to_im[k];
    }
}

/// Multiplies by `e^(-2 pi i part / whole)`.
#[cube]
fn turn<E: Float>(
    re: &mut Array<E>,
    im: &mut Array<E>,
    #[comptime] at: usize,
    #[comptime] part: usize,
    #[comptime] whole: usize,
    #[comptime] is_wide: bool,
) {
    let (a, b) = (re[at], im[at]);
    if comptime!(4 * part == whole) {
        re[at] = b;
        im[at] = -a;
    } else if comptime!(8 * part == whole) {
        let half = constant::<E>(comptime!(root(1, 8).0), is_wide);
        re[at] = half * (a + b);
        im[at] = half * (b - a);
    } else if comptime!(8 * part == 3 * whole) {
        let half = constant::<E>(comptime!(root(1, 8).0), is_wide);
        re[at] = half * (b - a);
        im[at] = -half * (a + b);
    } else if comptime!(part > 0) {
        let cosine = constant::<E>(comptime!(root(part, whole).0), is_wide);
        let sine = constant::<E>(comptime!(root(part, whole).1), is_wide);
        re[at] = a * cosine + b * sine;
        im[at] = b * cosine - a * sine;
    }
}

#[cube]
fn two<E: Float>(re: &mut Array<E>, im: &mut Array<E>, #[comptime] at: usize, #[comptime] step: usize) {
    let second = comptime!(at + step);
    let (a, b) = (re[at], im[at]);
    let (c, d) = (re[second], im[second]);
    re[at] = a + c;
    im[at] = b + d;
    re[second] = a - c;
    im[second] = b - d;
}

#[cube]
fn four<E: Float>(re: &mut Array<E>, im: &mut Array<E>, #[comptime] at: usize, #[comptime] step: usize) {
    let (second, third, fourth) = (comptime!(at + step), comptime!(at + 2 * step), comptime!(at + 3 * step));
    let (even_re, even_im) = (re[at] + re[third], im[at] + im[third]);
    let (less_re, less_im) = (re[at] - re[third], im[at] - im[third]);
    let (odd_re, odd_im) = (re[second] + re[fourth], im[second] + im[fourth]);
    let (turned_re, turned_im) = (im[second] - im[fourth], re[fourth] - re[second]);
    re[at] = even_re + odd_re;
    im[at] = even_im + odd_im;
    re[second] = less_re + turned_re;
    im[second] = less_im + turned_im;
    re[third] = even_re - odd_re;
    im[third] = even_im - odd_im;
    re[fourth] = less_re - turned_re;
    im[fourth] = less_im - turned_im;
}

/// Transforms an odd prime number of values: sums and differences of `j` and `radix - j` share their
/// products.
#[cube]
fn odd<E: Float>(
    re: &mut Array<E>,
    im: &mut Array<E>,
    #[comptime] at: usize,
    #[comptime] step: usize,
    #[comptime] radix: usize,
    #[comptime] is_wide: bool,
) {
    let mut to_re = Array::<E>::new(radix);
    let mut to_im = Array::<E>::new(radix);
    let mut first_re = re[at];
    let mut first_im = im[at];
    #[unroll]
    for j in 0..comptime!(radix / 2) {
        first_re += re[comptime!(at + (1 + j) * step)] + re[comptime!(at + (radix - 1 - j) * step)];
        first_im += im[comptime!(at + (1 + j) * step)] + im[comptime!(at + (radix - 1 - j) * step)];
    }
    to_re[0usize] = first_re;
    to_im[0usize] = first_im;
    #[unroll]
    for h in 0..comptime!(radix / 2) {
        let mut even_re = re[at];
        let mut even_im = im[at];
        let mut odd_re = E::new(0.0);
        let mut odd_im = E::new(0.0);
        #[unroll]
        for j in 0..comptime!(radix / 2) {
            let (low, high) = (comptime!(at + (1 + j) * step), comptime!(at + (radix - 1 - j) * step));
            let cosine = constant::<E>(comptime!(root((h + 1) * (j + 1), radix).0), is_wide);
            let sine = constant::<E>(comptime!(root((h + 1) * (j + 1), radix).1), is_wide);
            even_re += cosine * (re[low] + re[high]);
            even_im += cosine * (im[low] + im[high]);
            odd_re += sine * (re[low] - re[high]);
            odd_im += sine * (im[low] - im[high]);
        }
        to_re[comptime!(h + 1)] = even_re + odd_im;
        to_im[comptime!(h + 1)] = even_im - odd_re;
        to_re[comptime!(radix - 1 - h)] = even_re - odd_im;
        to_im[comptime!(radix - 1 - h)] = even_im + odd_re;
    }
    #[unroll]
    for k in 0..radix {
        re[comptime!(at + k * step)] = to_re[k];
        im[comptime!(at + k * step)] = to_im[k];
    }
}
