use super::matrices::{Matrices, View, first_of};
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
    lhs: &Array<E>,
    rhs: &Array<E>,
    matrices: &Matrices,
    left: &View,
    right: &View,
    place: &Place,
) -> S {
    let mut from = first_of(left, place.which, matrices) + place.row * left.by_row;
    let mut to = first_of(right, place.which, matrices) + place.col * right.by_col;
    let mut sum = S::from_int(0);
    for _ in 0..matrices.depth {
        sum += S::cast_from(lhs[from as usize]) * S::cast_from(rhs[to as usize]);
        from += left.by_col;
        to += right.by_row;
    }
    sum
}
