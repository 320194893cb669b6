//! Transforms of a few numbers in registers: places `at` and on of lists of real and imaginary parts.

use super::root::root;
use cubecl::prelude::*;

/// Replaces `radix` numbers by their transform.
#[cube]
pub fn butterfly(re: &mut Array<f32>, im: &mut Array<f32>, #[comptime] at: usize, #[comptime] radix: usize) {
    if comptime!(radix == 2) {
        two(re, im, at);
    } else if comptime!(radix == 4) {
        four(re, im, at, 1usize);
    } else if comptime!(radix == 8) {
        eight(re, im, at);
    } else {
        odd(re, im, at, radix);
    }
}

#[cube]
fn two(re: &mut Array<f32>, im: &mut Array<f32>, #[comptime] at: usize) {
    let (a, b) = (re[at], im[at]);
    let (c, d) = (re[comptime!(at + 1)], im[comptime!(at + 1)]);
    re[at] = a + c;
    im[at] = b + d;
    re[comptime!(at + 1)] = a - c;
    im[comptime!(at + 1)] = b - d;
}

/// Of numbers that are `step` apart.
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

/// Those at even places, those at odd ones, and both together.
#[cube]
fn eight(re: &mut Array<f32>, im: &mut Array<f32>, #[comptime] at: usize) {
    four(re, im, at, 2usize);
    four(re, im, comptime!(at + 1), 2usize);
    let mut to_re = Array::<f32>::new(8usize);
    let mut to_im = Array::<f32>::new(8usize);
    #[unroll]
    for k in 0..4usize {
        let (even, odd) = (comptime!(at + 2 * k), comptime!(at + 2 * k + 1));
        let (a, b) = (re[odd], im[odd]);
        let half = 0.707_106_77f32;
        let mut turned_re = a;
        let mut turned_im = b;
        if comptime!(k == 1) {
            turned_re = half * (a + b);
            turned_im = half * (b - a);
        } else if comptime!(k == 2) {
            turned_re = b;
            turned_im = -a;
        } else if comptime!(k == 3) {
            turned_re = half * (b - a);
            turned_im = -half * (a + b);
        }
        to_re[k] = re[even] + turned_re;
        to_im[k] = im[even] + turned_im;
        to_re[comptime!(k + 4)] = re[even] - turned_re;
        to_im[comptime!(k + 4)] = im[even] - turned_im;
    }
    #[unroll]
    for k in 0..8usize {
        re[comptime!(at + k)] = to_re[k];
        im[comptime!(at + k)] = to_im[k];
    }
}

/// Of an odd prime number of them: sums and differences of `j` and `radix - j` share their products.
#[cube]
fn odd(re: &mut Array<f32>, im: &mut Array<f32>, #[comptime] at: usize, #[comptime] radix: usize) {
    let mut to_re = Array::<f32>::new(radix);
    let mut to_im = Array::<f32>::new(radix);
    let mut first_re = re[at];
    let mut first_im = im[at];
    #[unroll]
    for j in 0..comptime!(radix / 2) {
        first_re += re[comptime!(at + 1 + j)] + re[comptime!(at + radix - 1 - j)];
        first_im += im[comptime!(at + 1 + j)] + im[comptime!(at + radix - 1 - j)];
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
            let (low, high) = (comptime!(at + 1 + j), comptime!(at + radix - 1 - j));
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
        re[comptime!(at + k)] = to_re[k];
        im[comptime!(at + k)] = to_im[k];
    }
}
