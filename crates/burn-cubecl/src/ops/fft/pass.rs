//! Passes of a line: small transforms in registers, and exchanges through shared memory between them.

use super::butterfly::butterfly;
use super::shape::Shape;
use super::source::times;
use super::target::settled;
use super::words::Words;
use cubecl::prelude::*;

/// Real and imaginary parts held in registers by a unit, those of its small transforms one after the other.
#[derive(CubeType)]
pub struct Held<E: Float> {
    pub re: Array<E>,
    pub im: Array<E>,
}

/// Those that a cube shares.
#[derive(CubeType)]
pub struct Shared<E: Float> {
    pub re: SharedMemory<E>,
    pub im: SharedMemory<E>,
}

/// A small transform: its line in the cube, and its number among those of the line.
#[cube]
pub fn small(
    #[comptime] t: usize,
    #[comptime] round: usize,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) -> (u32, u32, bool) {
    let number = UNIT_POS + comptime!((t * shape.units) as u32);
    let inside = comptime!(shape.is_even(pass)) || number < comptime!(shape.of_cube(pass) as u32);
    if comptime!(shape.is_across(round, pass)) {
        let rows = comptime!(shape.rows as u32);
        (number % rows, number / rows, inside)
    } else {
        let count = comptime!(shape.of_line(pass) as u32);
        (number / count, number % count, inside)
    }
}

/// The index in shared memory of element `at` of a line of the cube.
#[cube]
pub fn slot(row: u32, at: u32, #[comptime] shape: Shape) -> usize {
    let start = row * comptime!(shape.pitch as u32);
    if comptime!(shape.padded) { (start + at + at / 32u32) as usize } else { (start + at) as usize }
}

/// Roots of unity that the elements of a small transform are multiplied by: element `r` by the `r`-th power
/// of that of element 1. Those of powers of two are loaded, others are products of two: a load takes as long
/// as an exchange of an element.
#[cube]
fn roots<E: Float>(
    table: &Array<E>,
    of: &mut Held<E>,
    j: u32,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) {
    let before = comptime!(shape.passes.before(pass) as u32);
    let first = comptime!(shape.passes.roots_at(pass) as u32);
    let place = 2u32 * (j % before);
    #[unroll]
    for r in 1..comptime!(shape.passes.radix(pass)) {
        if comptime!(r.is_power_of_two()) {
            let at = (place + comptime!(first + 2 * (r as u32 - 1) * before)) as usize;
            of.re[r] = table[at];
            of.im[r] = table[at + 1usize];
        } else {
            let high = comptime!(1 << r.ilog2());
            let low = comptime!(r - (1 << r.ilog2()));
            let (a, b, c, d) = (of.re[high], of.im[high], of.re[low], of.im[low]);
            of.re[r] = a * c - b * d;
            of.im[r] = a * d + b * c;
        }
    }
}

/// Brings what a pass needs from shared memory, times roots of unity.
#[cube]
pub fn gather<E: Float>(
    shared: &Shared<E>,
    table: &Array<E>,
    held: &mut Held<E>,
    #[comptime] round: usize,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) {
    let radix = comptime!(shape.passes.radix(pass));
    let mut of = Held::<E> { re: Array::<E>::new(radix), im: Array::<E>::new(radix) };
    #[unroll]
    for t in 0..comptime!(shape.of_unit(pass)) {
        let (row, j, inside) = small(t, round, pass, shape);
        if inside {
            if comptime!(pass > 0) {
                roots::<E>(table, &mut of, j, pass, shape);
            }
            #[unroll]
            for r in 0..radix {
                let at = slot(row, j + comptime!((r * shape.of_line(pass)) as u32), shape);
                let (a, b) = (shared.re[at], shared.im[at]);
                let mut re = a;
                let mut im = b;
                if comptime!(pass > 0 && r > 0) {
                    re = a * of.re[r] - b * of.im[r];
                    im = a * of.im[r] + b * of.re[r];
                }
                held.re[comptime!(t * radix + r)] = re;
                held.im[comptime!(t * radix + r)] = im;
            }
        }
    }
}

#[cube]
pub fn transform<E: Float>(held: &mut Held<E>, #[comptime] pass: usize, #[comptime] shape: Shape) {
    let radix = comptime!(shape.passes.radix(pass));
    #[unroll]
    for t in 0..comptime!(shape.of_unit(pass)) {
        butterfly::<E>(&mut held.re, &mut held.im, comptime!(t * radix), radix, comptime!(shape.is_wide));
    }
}

/// Leaves the results of a pass in shared memory, where the next one looks for them.
#[cube]
pub fn scatter<E: Float>(
    shared: &mut Shared<E>,
    table: &Array<E>,
    words: &Words,
    held: &Held<E>,
    #[comptime] round: usize,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) {
    let radix = comptime!(shape.passes.radix(pass));
    let before = comptime!(shape.passes.before(pass) as u32);
    let ends = comptime!(pass + 1 == shape.passes.count());
    #[unroll]
    for t in 0..comptime!(shape.of_unit(pass)) {
        let (row, j, inside) = small(t, round, pass, shape);
        if inside {
            let first = j / before * comptime!(before * radix as u32) + j % before;
            #[unroll]
            for r in 0..radix {
                let at = first + comptime!(r as u32 * before);
                let (a, b) = (held.re[comptime!(t * radix + r)], held.im[comptime!(t * radix + r)]);
                let mut re = a;
                let mut im = b;
                if comptime!(ends && round + 1 < shape.rounds()) {
                    // Multiply by the spectrum of the chirp; swapping the parts makes the next transform a
                    // backward one.
                    let (c, d) = times::<E>(table, words.spectrum, at, a, b);
                    re = d;
                    im = c;
                } else if comptime!(ends) {
                    let (c, d) = settled::<E>(table, words, 0u32, at, at, (a, b), comptime!(shape.to));
                    re = c;
                    im = d;
                }
                let at = slot(row, at, shape);
                shared.re[at] = re;
                shared.im[at] = im;
            }
        }
    }
}
