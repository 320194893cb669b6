//! Where the elements of an input of a block are.

use crate::elements::collapsed::{Collapsed, broadcast_strides, collapse};
use crate::kernels::copy;
use crate::kernels::layout;
use crate::tensor::NdTensor;
use alloc::vec::Vec;
use burn_backend::Shape;

/// All elements of a block as rows of neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
}

/// An input, repeated to the grid.
#[derive(Debug)]
pub struct Input {
    pub x: NdTensor,
    /// Steps from row to row.
    rows: Collapsed<1>,
    /// The step between all rows, if it is one.
    row_step: Option<usize>,
    /// Whether a row is one element, repeated.
    pub repeated: bool,
}

impl Input {
    fn new(x: NdTensor, rows: Collapsed<1>, repeated: bool) -> Self {
        let row_step = (rows.rows() == 1).then(|| rows.step(0));
        Input { x, rows, row_step, repeated }
    }

    /// Where a row starts, in elements.
    #[inline]
    pub fn row(&self, row: usize) -> usize {
        if let Some(step) = self.row_step {
            return row.wrapping_mul(step);
        }
        let inner = self.rows.inner();
        self.rows.row(row / inner)[0].wrapping_add((row % inner).wrapping_mul(self.rows.step(0)))
    }

    /// The step between all rows, if it is one.
    #[inline]
    pub fn row_step(&self) -> Option<usize> {
        self.row_step
    }
}

/// Whether the last dimensions hold neighbours, or one element for all of a row; `None` if neither.
fn is_repeated(x: &NdTensor, shape: &[usize], kept: usize) -> Option<bool> {
    let row = collapse(&shape[kept..], [&broadcast_strides(x, shape)[kept..]]);
    match row.step(0) {
        _ if row.rows() != 1 => None,
        0 => Some(true),
        1 => Some(false),
        _ => None,
    }
}

/// Lays a grid over inputs: rows are the last `folded` dimensions, or as many as make long rows if that is 0.
/// Inputs that do not lie in rows are copied; those that are `whole` must not be repeated along a row.
pub fn lay_out(shape: &Shape, folded: usize, inputs: Vec<NdTensor>, whole: &[bool]) -> (Grid, Vec<Input>) {
    let (rank, len) = (shape.rank(), shape.num_elements());
    let flat = |x: &NdTensor| x.is_contiguous() && (x.len() == len || x.len() == 1);
    if folded == 0 && inputs.iter().all(flat) {
        let input = |x: NdTensor| {
            let repeated = x.len() != len;
            Input::new(x, Collapsed::line(1, 0), repeated)
        };
        return (Grid { rows: 1, columns: len }, inputs.into_iter().map(input).collect());
    }
    let mut inputs = inputs;
    let first_kept = if folded == 0 { rank - 1 } else { rank - folded };
    for (x, &whole) in inputs.iter_mut().zip(whole) {
        let fits =
            |x: &NdTensor| is_repeated(x, shape, first_kept).is_some_and(|repeated| !(whole && repeated));
        if !fits(x) {
            *x = copy::to_contiguous(x);
        }
        if !fits(x) {
            *x = copy::to_contiguous(&layout::expand(x.clone(), shape.clone()));
        }
    }
    let longest = |kept: &usize| inputs.iter().all(|x| is_repeated(x, shape, *kept).is_some());
    let kept = if folded == 0 { (0..rank).find(longest).unwrap_or(first_kept) } else { first_kept };
    let grid = Grid { rows: shape[..kept].iter().product(), columns: shape[kept..].iter().product() };
    let input = |x: NdTensor| {
        let rows = collapse(&shape[..kept], [&broadcast_strides(&x, shape)[..kept]]);
        let repeated = is_repeated(&x, shape, kept).expect("made so");
        Input::new(x, rows, repeated)
    };
    (grid, inputs.into_iter().map(input).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::{DType, TensorSpec};

    fn of(shape: &[usize]) -> NdTensor {
        NdTensor::new(TensorSpec { shape: Shape::from(shape), dtype: DType::F32 })
    }

    #[test]
    fn rows_are_as_long_as_inputs_allow() {
        let shape = Shape::from([4, 3, 5]);
        let (grid, _) = lay_out(&shape, 0, alloc::vec![of(&[4, 3, 5]), of(&[1, 1, 1])], &[false; 2]);
        assert_eq!((grid.rows, grid.columns), (1, 60));
        let (grid, inputs) = lay_out(&shape, 0, alloc::vec![of(&[4, 3, 5]), of(&[1, 3, 5])], &[false; 2]);
        assert_eq!((grid.rows, grid.columns), (4, 15));
        assert_eq!((inputs[0].row_step(), inputs[1].row_step()), (Some(15), Some(0)));
        let (grid, inputs) = lay_out(&shape, 0, alloc::vec![of(&[4, 1, 5]), of(&[4, 3, 1])], &[false; 2]);
        assert_eq!((grid.rows, grid.columns), (12, 5));
        assert_eq!((inputs[0].row(7), inputs[1].row(7)), (10, 7));
        assert!(!inputs[0].repeated && inputs[1].repeated);
    }

    #[test]
    fn what_does_not_lie_in_rows_is_copied() {
        let shape = Shape::from([6, 4]);
        let turned = layout::permute(of(&[4, 6]), &[1, 0]);
        let (grid, inputs) = lay_out(&shape, 0, alloc::vec![turned, of(&[6, 1])], &[false; 2]);
        assert!(inputs[0].x.is_contiguous());
        assert_eq!((grid.rows, grid.columns), (6, 4));
        let (_, inputs) = lay_out(&shape, 1, alloc::vec![of(&[6, 1])], &[true]);
        assert!(!inputs[0].repeated && inputs[0].x.len() == 24);
        let (_, inputs) = lay_out(&Shape::from([2, 3, 4]), 2, alloc::vec![of(&[2, 1, 4])], &[false]);
        assert_eq!(inputs[0].x.len(), 24);
    }
}
