//! Passes of a line: small transforms in registers, and exchanges through shared memory between them.

use super::butterfly::butterfly;
use super::shape::{MOST_UNITS, Shape};
use super::source::{product, times};
use super::target::settled;
use super::words::Words;
use cubecl::prelude::*;

/// Real and imaginary parts held in registers by a unit, those of its small transforms one after the other.
#[derive(CubeType)]
pub struct Held<E: Float> {
    pub re: Array<E>,
    pub im: Array<E>,
}

/// Numbers that a cube shares: both parts of one are a single load.
#[derive(CubeType)]
pub struct Shared<E: Float> {
    pairs: SharedMemory<Vector<E, Const<2>>>,
}

#[cube]
impl<E: Float> Shared<E> {
    pub fn new(#[comptime] places: usize) -> Self {
        Shared::<E> { pairs: SharedMemory::<Vector<E, Const<2>>>::new(places) }
    }

    pub fn get(&self, at: u32) -> (E, E) {
        let pair = self.pairs[at as usize];
        (pair[0usize], pair[1usize])
    }

    pub fn set(&mut self, at: u32, value: (E, E)) {
        let (re, im) = value;
        let mut pair = Vector::<E, Const<2>>::empty();
        pair[0usize] = re;
        pair[1usize] = im;
        self.pairs[at as usize] = pair;
    }
}

/// A small transform: its line in the cube, and its number among those of the line.
#[cube]
pub fn small(
    #[comptime] t: usize,
    #[comptime] round: usize,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) -> (u32, u32, bool) {
    // The remainder changes nothing, but tells the compiler that constants can be added to addresses.
    let number = UNIT_POS % comptime!(MOST_UNITS as u32) + comptime!((t * shape.units) as u32);
    let inside = comptime!(shape.is_even(pass)) || number < comptime!(shape.of_cube(pass) as u32);
    if comptime!(shape.is_across(round, pass)) {
        let rows = comptime!(shape.rows as u32);
        (number % rows, number / rows, inside)
    } else {
        let count = comptime!(shape.of_line(pass) as u32);
        (number / count, number % count, inside)
    }
}

/// The place in shared memory of element `at` of a line of the cube, as a pass has left it.
#[cube]
pub fn place(row: u32, at: u32, #[comptime] pass: usize, #[comptime] shape: Shape) -> u32 {
    let place = row * comptime!(shape.pitch as u32) + at;
    let gap = comptime!(shape.gap(pass) as u32);
    if comptime!(gap > 0) { place + at / comptime!(shape.block(pass) as u32) * gap } else { place }
}

/// Roots of unity that the elements of a small transform are multiplied by: element `r` by the `r`-th power
/// of that of element 1. Those of powers of two are loaded, others are products of two: a load takes as long
/// as an exchange of an element.
#[cube]
fn roots<E: Float>(
    table: &Array<Vector<E, Const<2>>>,
    of: &mut Held<E>,
    j: u32,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) {
    let before = comptime!(shape.passes.before(pass) as u32);
    let first = comptime!(shape.passes.roots_at(pass) as u32);
    let place = j % before;
    #[unroll]
    for r in 1..comptime!(shape.passes.radix(pass)) {
        if comptime!(r.is_power_of_two()) {
            let root = table[(place + comptime!(first + (r as u32 - 1) * before)) as usize];
            of.re[r] = root[0usize];
            of.im[r] = root[1usize];
        } else {
            let high = comptime!(1 << r.ilog2());
            let low = comptime!(r - (1 << r.ilog2()));
            let (re, im) = product::<E>((of.re[high], of.im[high]), (of.re[low], of.im[low]));
            of.re[r] = re;
            of.im[r] = im;
        }
    }
}

/// Brings what a pass needs from shared memory, times roots of unity.
#[cube]
pub fn gather<E: Float>(
    shared: &Shared<E>,
    table: &Array<Vector<E, Const<2>>>,
    held: &mut Held<E>,
    #[comptime] round: usize,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) {
    let radix = comptime!(shape.passes.radix(pass));
    let mut of = Held::<E> { re: Array::<E>::new(radix), im: Array::<E>::new(radix) };
    // The pass before this one, of the round before where this is its first.
    let last = comptime!(if pass > 0 { pass - 1 } else { shape.passes.count() - 1 });
    let step =
        comptime!((shape.of_line(pass) + shape.of_line(pass) / shape.block(last) * shape.gap(last)) as u32);
    #[unroll]
    for t in 0..comptime!(shape.of_unit(pass)) {
        let (row, j, inside) = small(t, round, pass, shape);
        if inside {
            if comptime!(pass > 0) {
                roots::<E>(table, &mut of, j, pass, shape);
            }
            let first = place(row, j, last, shape);
            #[unroll]
            for r in 0..radix {
                let mut value = shared.get(first + comptime!(r as u32 * step));
                if comptime!(pass > 0 && r > 0) {
                    value = product::<E>(value, (of.re[r], of.im[r]));
                }
                let (re, im) = value;
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
    table: &Array<Vector<E, Const<2>>>,
    words: &Words,
    held: &Held<E>,
    #[comptime] round: usize,
    #[comptime] pass: usize,
    #[comptime] shape: Shape,
) {
    let radix = comptime!(shape.passes.radix(pass));
    let before = comptime!(shape.passes.before(pass) as u32);
    let (block, gap) = comptime!((shape.block(pass) as u32, shape.gap(pass) as u32));
    let ends = comptime!(pass + 1 == shape.passes.count());
    #[unroll]
    for t in 0..comptime!(shape.of_unit(pass)) {
        let (row, j, inside) = small(t, round, pass, shape);
        if inside {
            let start = row * comptime!(shape.pitch as u32);
            let first = start + j / before * comptime!(block + gap) + j % before;
            #[unroll]
            for r in 0..radix {
                let at = j % before + comptime!(r as u32 * before);
                let mut value = (held.re[comptime!(t * radix + r)], held.im[comptime!(t * radix + r)]);
                if comptime!(ends && round + 1 < shape.rounds()) {
                    // Multiply by the spectrum of the chirp; swapping the parts makes the next transform a
                    // backward one.
                    let (re, im) = value;
                    let (re, im) = times::<E>(table, words.spectrum, at, re, im);
                    value = (im, re);
                } else if comptime!(ends) {
                    value = settled::<E>(table, words, at, value, comptime!(shape.to));
                }
                shared.set(first + comptime!(r as u32 * before), value);
            }
        }
    }
}
