use super::matrices::{Matrices, Operand, first_of};
use cubecl::prelude::*;

/// An element of a product.
#[derive(CubeType, Clone)]
pub struct Place {
    pub which: u32,
    pub row: u32,
    pub col: u32,
}

/// Element `at` in row-major order.
#[cube]
pub fn place_of(at: u32, matrices: &Matrices) -> Place {
    let row = at / matrices.cols;
    Place { which: row / matrices.rows, row: row % matrices.rows, col: at % matrices.cols }
}

/// An element of a product, by one unit.
#[cube]
pub fn plain_sum<E: Numeric, S: Numeric>(
    lhs: &Operand<E>,
    rhs: &Operand<E>,
    matrices: &Matrices,
    place: &Place,
) -> S {
    let mut from = first_of(&lhs.view, place.which, matrices) + place.row * lhs.view.by_row;
    let mut to = first_of(&rhs.view, place.which, matrices) + place.col * rhs.view.by_col;
    let mut sum = S::from_int(0);
    for _ in 0..matrices.depth {
        sum += S::cast_from(lhs.elements[from as usize]) * S::cast_from(rhs.elements[to as usize]);
        from += lhs.view.by_col;
        to += rhs.view.by_row;
    }
    sum
}
