//! Where elements lie: offsets of a row-major index in views.

use crate::launch::tensor::CubeTensor;
use burn_backend::{Dims, HasSpec, Shape};
use cubecl::prelude::*;

/// The dimensions of several views of one shape, as few as they can be, the innermost first.
#[derive(Clone, Debug)]
pub struct Merged {
    pub sizes: Vec<usize>,
    /// Strides by view.
    pub strides: Vec<Vec<usize>>,
}

impl Merged {
    /// Merges dimensions of views with these strides.
    pub fn new(shape: &Shape, views: &[Dims]) -> Self {
        let mut merged = Merged { sizes: Vec::new(), strides: vec![Vec::new(); views.len()] };
        for d in (0..shape.rank()).rev().filter(|&d| shape[d] != 1) {
            let continues = |(view, strides): (&Dims, &Vec<usize>)| {
                strides
                    .last()
                    .is_some_and(|last| view[d] == last.wrapping_mul(merged.sizes[strides.len() - 1]))
            };
            if !merged.sizes.is_empty() && views.iter().zip(&merged.strides).all(continues) {
                *merged.sizes.last_mut().expect("not empty") *= shape[d];
            } else {
                merged.sizes.push(shape[d]);
                views.iter().zip(&mut merged.strides).for_each(|(view, strides)| strides.push(view[d]));
            }
        }
        merged
    }

    pub fn rank(&self) -> usize {
        self.sizes.len()
    }
}

/// Strides of `x` as it is repeated to `shape`.
pub fn broadcast(x: &CubeTensor, shape: &Shape) -> Dims {
    let own = &x.spec().shape;
    let extra = shape.rank() - own.rank();
    let stride = |d: usize| if d < extra || own[d - extra] == 1 { 0 } else { x.strides()[d - extra] };
    (0..shape.rank()).map(stride).collect()
}

/// The words of a list of numbers. Those below zero wrap, as offsets do that are computed with them.
pub fn words(numbers: &[usize]) -> impl Iterator<Item = u32> + '_ {
    numbers.iter().map(|&number| number as u32)
}

/// Index of element `at` of a view with these dimensions, the innermost first.
#[cube]
pub fn place(at: u32, sizes: &Sequence<u32>, strides: &Sequence<u32>, start: u32) -> u32 {
    let mut rest = at + 0u32;
    let mut place = start + 0u32;
    #[unroll]
    for d in 0..sizes.len() {
        let size = *sizes.index(d);
        place += (rest % size) * *strides.index(d);
        rest = rest / size;
    }
    place
}

/// The number of this unit among all.
#[cube]
pub fn position() -> u32 {
    ABSOLUTE_POS as u32
}

/// The number of the vector `at` of this unit, which has `each` of them, where cubes of `units` are in a
/// line.
#[cube]
pub fn position_of_many(#[comptime] units: u32, #[comptime] each: u32, #[comptime] at: u32) -> u32 {
    CUBE_POS_X * comptime!(units * each) + comptime!(units * at) + UNIT_POS_X
}

#[cube]
pub fn next(at: u32) -> u32 {
    at + 1
}

#[cube]
pub fn is_below(at: u32, end: u32) -> bool {
    at < end
}
