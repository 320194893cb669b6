//! Transforms of a few numbers in registers: places `at` and on of lists of real and imaginary parts.

use super::root::root;
use cubecl::prelude::*;

/// Factors of what is two transforms, of columns and of rows: 1 the second one of what is a single one.
pub fn factors(radix: usize) -> (usize, usize) {
    match radix {
        6 => (3, 2),
        8 => (4, 2),
        9 => (3, 3),
        10 => (5, 2),
        _ => (radix, 1),
    }
}

/// Replaces `radix` numbers by their transform.
#[cube]
pub fn butterfly(re: &mut Array<f32>, im: &mut Array<f32>, #[comptime] at: usize, #[comptime] radix: usize) {
    if comptime!(factors(radix).1 == 1) {
        single(re, im, at, 1usize, radix);
    } else {
        double(re, im, at, comptime!(factors(radix).0), comptime!(factors(radix).1));
    }
}

/// Of numbers that are `step` apart.
#[cube]
fn single(
    re: &mut Array<f32>,
    im: &mut Array<f32>,
    #[comptime] at: usize,
    #[comptime] step: usize,
    #[comptime] radix: usize,
) {
    if comptime!(radix == 2) {
        two(re, im, at, step);
    } else if comptime!(radix == 4) {
        four(re, im, at, step);
    } else {
        odd(re, im, at, step, radix);
    }
}

/// Of a matrix of so many rows and columns: columns, then rows, which are results of every `rows`-th place.
#[cube]
fn double(
    re: &mut Array<f32>,
    im: &mut Array<f32>,
    #[comptime] at: usize,
    #[comptime] rows: usize,
    #[comptime] cols: usize,
) {
    let size = comptime!(rows * cols);
    #[unroll]
    for j in 0..cols {
        single(re, im, comptime!(at + j), cols, rows);
    }
    let mut to_re = Array::<f32>::new(size);
    let mut to_im = Array::<f32>::new(size);
    #[unroll]
    for k in 0..rows {
        let first = comptime!(at + k * cols);
        #[unroll]
        for j in 1..cols {
            turn(re, im, comptime!(first + j), comptime!(j * k), size);
        }
        single(re, im, first, 1usize, cols);
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
fn turn(
    re: &mut Array<f32>,
    im: &mut Array<f32>,
    #[comptime] at: usize,
    #[comptime] part: usize,
    #[comptime] whole: usize,
) {
    let (a, b) = (re[at], im[at]);
    if comptime!(8 * part == whole) {
        re[at] = 0.707_106_77f32 * (a + b);
        im[at] = 0.707_106_77f32 * (b - a);
    } else if comptime!(4 * part == whole) {
        re[at] = b;
        im[at] = -a;
    } else if comptime!(8 * part == 3 * whole) {
        re[at] = 0.707_106_77f32 * (b - a);
        im[at] = -0.707_106_77f32 * (a + b);
    } else if comptime!(part > 0) {
        let cosine = f32::new(comptime!(root(part, whole).0 as f32));
        let sine = f32::new(comptime!(root(part, whole).1 as f32));
        re[at] = a * cosine + b * sine;
        im[at] = b * cosine - a * sine;
    }
}

#[cube]
fn two(re: &mut Array<f32>, im: &mut Array<f32>, #[comptime] at: usize, #[comptime] step: usize) {
    let second = comptime!(at + step);
    let (a, b) = (re[at], im[at]);
    let (c, d) = (re[second], im[second]);
    re[at] = a + c;
    im[at] = b + d;
    re[second] = a - c;
    im[second] = b - d;
}

#[cube]
fn four(re: &mut Array<f32>, im: &mut Array<f32>, #[comptime] at: usize, #[comptime] step: usize) {
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

/// Of an odd prime number of them: sums and differences of `j` and `radix - j` share their products.
#[cube]
fn odd(
    re: &mut Array<f32>,
    im: &mut Array<f32>,
    #[comptime] at: usize,
    #[comptime] step: usize,
    #[comptime] radix: usize,
) {
    let mut to_re = Array::<f32>::new(radix);
    let mut to_im = Array::<f32>::new(radix);
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
        let mut odd_re = 0.0f32;
        let mut odd_im = 0.0f32;
        #[unroll]
        for j in 0..comptime!(radix / 2) {
            let (low, high) = (comptime!(at + (1 + j) * step), comptime!(at + (radix - 1 - j) * step));
            let cosine = f32::new(comptime!(root((h + 1) * (j + 1), radix).0 as f32));
            let sine = f32::new(comptime!(root((h + 1) * (j + 1), radix).1 as f32));
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
