//! The dimensions of tensors, merged where all operands allow it.

use crate::tensor::NdTensor;
use burn_backend::Dims;
use core::array;
use core::ops::Range;

/// As few dimensions as describe `N` operands; at least one.
#[derive(Clone, Debug)]
pub struct Collapsed<const N: usize> {
    pub shape: Dims,
    pub strides: [Dims; N],
}

/// Merges dimensions that are one evenly spaced dimension for every operand.
pub fn collapse<const N: usize>(shape: &[usize], strides: [&[usize]; N]) -> Collapsed<N> {
    let (mut sizes, mut steps) =
        (Dims::repeat(1, shape.len().max(1)), array::from_fn(|_| Dims::repeat(1, shape.len().max(1))));
    let steps: &mut [Dims; N] = &mut steps;
    // Filled from the back.
    let mut first = sizes.len();
    for d in (0..shape.len()).rev().filter(|&d| shape[d] != 1) {
        let merges = first < sizes.len()
            && (0..N).all(|n| strides[n][d] == steps[n][first].wrapping_mul(sizes[first]));
        if merges {
            sizes[first] *= shape[d];
        } else {
            first -= 1;
            sizes[first] = shape[d];
            (0..N).for_each(|n| steps[n][first] = strides[n][d]);
        }
    }
    let first = first.min(sizes.len() - 1);
    Collapsed {
        shape: Dims::from(&sizes[first..]),
        strides: array::from_fn(|n| Dims::from(&steps[n][first..])),
    }
}

impl Collapsed<1> {
    /// One dimension.
    pub fn line(size: usize, step: usize) -> Self {
        Collapsed { shape: Dims::repeat(size, 1), strides: [Dims::repeat(step, 1)] }
    }
}

impl<const N: usize> Collapsed<N> {
    /// Size of the innermost dimension.
    pub fn inner(&self) -> usize {
        self.shape[self.shape.len() - 1]
    }

    /// Number of rows: positions in all dimensions but the innermost.
    pub fn rows(&self) -> usize {
        self.shape[..self.shape.len() - 1].iter().product()
    }

    /// Step of operand `n` along the innermost dimension.
    pub fn step(&self, n: usize) -> usize {
        self.strides[n][self.shape.len() - 1]
    }

    /// Where a row starts in each operand.
    #[inline(always)]
    pub fn row(&self, row: usize) -> [usize; N] {
        let (mut at, mut rest) = ([0_usize; N], row);
        for d in (0..self.shape.len() - 1).rev() {
            let index = rest % self.shape[d];
            rest /= self.shape[d];
            (0..N).for_each(|n| at[n] = at[n].wrapping_add(index.wrapping_mul(self.strides[n][d])));
        }
        at
    }

    /// Where a position starts in each operand, counted along all dimensions.
    #[inline(always)]
    pub fn place(&self, position: usize) -> [usize; N] {
        let inner = self.inner();
        let mut at = self.row(position / inner);
        (0..N).for_each(|n| at[n] = at[n].wrapping_add((position % inner).wrapping_mul(self.step(n))));
        at
    }

    /// How far apart neighbours along `d` are in operand `n`.
    pub fn distance(&self, n: usize, d: usize) -> usize {
        (self.strides[n][d] as isize).unsigned_abs()
    }

    /// The dimension along which different elements of operand `n` are nearest to each other.
    pub fn nearest(&self, n: usize) -> Option<usize> {
        let moves = |&d: &usize| self.shape[d] > 1 && self.strides[n][d] != 0;
        (0..self.shape.len()).filter(moves).min_by_key(|&d| self.distance(n, d))
    }

    /// The other dimensions, as rows of one element.
    pub fn without(&self, dim: usize) -> Self {
        let others = |list: &[usize]| -> Dims {
            (0..list.len()).filter(|&d| d != dim).map(|d| list[d]).chain([1]).collect()
        };
        Collapsed { shape: others(&self.shape), strides: array::from_fn(|n| others(&self.strides[n])) }
    }

    /// Calls `f` with the offset of each of these rows in each operand.
    #[inline(always)]
    pub fn for_rows(&self, rows: Range<usize>, mut f: impl FnMut([usize; N])) {
        let outer = &self.shape[..self.shape.len() - 1];
        let mut index = Dims::repeat(0, outer.len());
        let (mut at, mut rest) = (self.row(rows.start), rows.start);
        for d in (0..outer.len()).rev() {
            index[d] = rest % outer[d];
            rest /= outer[d];
        }
        let Some(last) = outer.len().checked_sub(1) else {
            return rows.for_each(|_| f(at));
        };
        let (size, steps): (usize, [usize; N]) = (outer[last], array::from_fn(|n| self.strides[n][last]));
        let mut left = rows.len();
        while left > 0 {
            // The innermost of these dimensions needs no count of its own.
            let run = left.min(size - index[last]);
            for _ in 0..run {
                f(at);
                (0..N).for_each(|n| at[n] = at[n].wrapping_add(steps[n]));
            }
            left -= run;
            (0..N).for_each(|n| at[n] = at[n].wrapping_sub(steps[n].wrapping_mul(size)));
            index[last] = 0;
            for d in (0..last).rev() {
                index[d] += 1;
                (0..N).for_each(|n| at[n] = at[n].wrapping_add(self.strides[n][d]));
                if index[d] < outer[d] {
                    break;
                }
                (0..N).for_each(|n| at[n] = at[n].wrapping_sub(self.strides[n][d].wrapping_mul(outer[d])));
                index[d] = 0;
            }
        }
    }
}

/// Strides of `x` when it is repeated to `shape`.
pub fn broadcast_strides(x: &NdTensor, shape: &[usize]) -> Dims {
    let (own, strides) = (x.shape(), x.strides());
    let extra = shape.len() - own.len();
    let stride = |d: usize| {
        if d < extra || (own[d - extra] == 1 && shape[d] != 1) { 0 } else { strides[d - extra] }
    };
    (0..shape.len()).map(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_where_all_operands_allow_it() {
        let both = collapse(&[2, 3, 4], [&[12, 4, 1], &[12, 4, 1]]);
        assert_eq!((&both.shape[..], &both.strides[0][..]), (&[24][..], &[1][..]));
        let bias = collapse(&[8, 3, 5, 5], [&[75, 25, 5, 1], &[0, 1, 0, 0]]);
        assert_eq!(&bias.shape[..], [8, 3, 25]);
        assert_eq!([&bias.strides[0][..], &bias.strides[1][..]], [[75, 25, 1], [0, 1, 0]]);
        let scalar = collapse(&[], [&[]]);
        assert_eq!((scalar.rows(), scalar.inner()), (1, 1));
    }

    #[test]
    fn rows_start_anywhere() {
        let x = collapse(&[2, 3, 4], [&[1, 2, 6]]);
        let mut all = Vec::new();
        x.for_rows(0..x.rows(), |[at]| all.push(at));
        assert_eq!(all, [0, 2, 4, 1, 3, 5]);
        let mut tail = Vec::new();
        x.for_rows(4..6, |[at]| tail.push(at));
        assert_eq!(tail, [3, 5]);
    }
}
