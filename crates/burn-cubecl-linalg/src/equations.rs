//! Equations of a block of a triangle, in the order in which they are solved.

use crate::working::sizes;
use burn_backend::{HasSpec, Shape, Triangle};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{View, broadcast, word};
use cubecl::prelude::*;

/// Returns the words of `x = a^-1 x` that kernels read as `Matrices` and the views of `a` and `x`.
pub fn equation_words(a: &CubeTensor, x: &CubeTensor) -> Vec<u32> {
    let [batch, rows, cols] = sizes(x);
    let shape = x.shape();
    let outer = &shape[..shape.rank() - 2];
    let mut words = [batch, rows, cols, rows].map(word).to_vec();
    words.extend(outer.iter().rev().map(|&size| word(size)));
    let wide: Shape = outer.iter().copied().chain([rows, rows]).collect();
    words.extend(View::words(&broadcast(a, &wide), a.offset()));
    words.extend(View::words(x.strides(), x.offset()));
    words
}

/// The row that is the unknown of a step.
#[cube]
pub fn row_of(step: u32, rows: u32, #[comptime] triangle: Triangle) -> u32 {
    if comptime!(triangle.upper) { rows - 1u32 - step } else { step + 0u32 }
}

/// Steps between which the loop over them stays the same.
const STEPS: u32 = 8;

/// Elements of shared memory for a triangle: rows have an element more than they need, so that neighbours of
/// a column are in different banks.
pub fn room(width: u32) -> usize {
    ((width + STEPS) * (width + 1)) as usize
}

/// Block of a triangle of so many rows, whose first element is at `corner`, from step `start` on.
#[derive(CubeType, Clone)]
pub struct TriangleBlock {
    pub corner: u32,
    pub start: u32,
    pub rows: u32,
}

/// Brings a block of a triangle to shared memory, by so many units, with ones on the diagonal after its end.
#[cube]
pub fn load_triangle<E: Float>(
    a: &Array<E>,
    known: &mut SharedMemory<E>,
    view: &View,
    block: &TriangleBlock,
    #[comptime] triangle: Triangle,
    #[comptime] width: u32,
    #[comptime] units: u32,
) {
    let (start, rows) = (block.start, block.rows);
    let mut at = UNIT_POS + 0u32;
    while at < comptime!(width * width) {
        // Neighbours load neighbours.
        let (slow, fast) = (at / width, at % width);
        let is_turned = view.by_row == 1u32;
        let (i, j) = (select(is_turned, fast, slow), select(is_turned, slow, fast));
        let mut value = select(i == j, E::new(1.0), E::new(0.0));
        if start + i < rows && j <= i && (comptime!(!triangle.unit) || j < i) {
            let (row, col) = (row_of(start + i, rows, triangle), row_of(start + j, rows, triangle));
            value = a[(block.corner + row * view.by_row + col * view.by_col) as usize];
        }
        known[(i * comptime!(width + 1) + j) as usize] = value;
        at += units;
    }
}

/// Column of the right side: its first element, its stride and its rows.
#[derive(CubeType, Clone)]
pub struct Column {
    pub first: u32,
    pub by_row: u32,
    pub rows: u32,
}

/// Solves the equations of a block for the column of a unit, which the elements in `x` become. What is
/// known leaves the registers, so that the next unknown is always the first; the loop is written out for
/// fewer and fewer of them.
#[cube]
pub fn solve_block<E: Float>(
    own: &mut Array<E>,
    known: &SharedMemory<E>,
    x: &mut Array<E>,
    column: &Column,
    #[comptime] triangle: Triangle,
    #[comptime] width: u32,
) {
    let steps = comptime!(if width < STEPS { width } else { STEPS });
    #[unroll]
    for round in 0..comptime!(width / steps) {
        let left = comptime!(width - round * steps);
        for within in 0..steps {
            let step = comptime!(round * steps) + within;
            let corner = step * comptime!(width + 2);
            let mut value = own[0];
            if comptime!(!triangle.unit) {
                value = value / known[corner as usize];
            }
            if step < column.rows {
                x[(column.first + row_of(step, column.rows, triangle) * column.by_row) as usize] = value;
            }
            #[unroll]
            for i in 1..left {
                let at = comptime!(i as usize);
                let factor = known[(corner + comptime!(i * (width + 1))) as usize];
                own[comptime!(at - 1)] = own[at] - factor * value;
            }
        }
    }
}
