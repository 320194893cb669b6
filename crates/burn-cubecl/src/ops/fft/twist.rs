//! Turns of results between the columns and rows of a long line.

use super::pass::Held;
use super::shape::Shape;
use super::source::{product, times};
use super::words::Words;
use cubecl::prelude::*;

/// The root of so many turns back, as a part of the long line: a product of two.
#[cube]
fn root<N: Float>(table: &Array<Vector<N, Const<2>>>, words: &Words, turns: u32) -> (N, N) {
    let high = turns >> words.shift;
    let low = turns - (high << words.shift);
    let root = table[(words.twist + low) as usize];
    times::<N>(table, words.twist + (1u32 << words.shift), high, root[0usize], root[1usize])
}

/// Turns the results of small transform `t` of the last pass, of which the first is result `j` of this part
/// of a long line. Roots of powers of two are loaded, others are products of two: neighbours load from far
/// apart.
#[cube]
pub fn twist<N: Float>(
    held: &mut Held<N>,
    table: &Array<Vector<N, Const<2>>>,
    words: &Words,
    part: u32,
    j: u32,
    #[comptime] t: usize,
    #[comptime] shape: Shape,
) {
    let radix = comptime!(shape.last_radix());
    let step = comptime!((shape.passes.size / shape.last_radix()) as u32);
    let mut roots = Held::<N> { re: Array::<N>::new(radix), im: Array::<N>::new(radix) };
    let (re, im) = root::<N>(table, words, part * j);
    roots.re[0usize] = re;
    roots.im[0usize] = im;
    #[unroll]
    for digit in 0..comptime!(radix.next_power_of_two().ilog2()) {
        let high = comptime!(1usize << digit);
        let factor = root::<N>(table, words, part * comptime!(step << digit));
        #[unroll]
        for low in 0..comptime!((1usize << digit).min(radix - (1usize << digit))) {
            let (re, im) = product::<N>((roots.re[low], roots.im[low]), factor);
            roots.re[comptime!(high + low)] = re;
            roots.im[comptime!(high + low)] = im;
        }
    }
    #[unroll]
    for r in 0..radix {
        let at = comptime!(t * radix + r);
        let (re, im) = product::<N>((held.re[at], held.im[at]), (roots.re[r], roots.im[r]));
        held.re[at] = re;
        held.im[at] = im;
    }
}
