//! The order in which the elements of a result are folded.
//!
//! It follows from the shape and from the reduced dimensions, so that strides change no bit: a transposed or
//! flipped view, a slice and a broadcast tensor give what their contiguous copies give. The last reduced
//! dimensions, as many as have [`SEQUENCE`] elements, are one sequence in row-major order. It is cut into
//! pieces of at most [`PIECE`] elements, each of which is folded as [`crate::simd::fold`] folds neighbours;
//! then the pieces of all sequences are folded in order, sums of floats in `f64`.

use burn_backend::Dims;

/// Elements of a sequence: fewer are joined with the reduced dimension before them.
const SEQUENCE: usize = 512;
/// Most elements of a piece.
pub const PIECE: usize = 8192;

/// Order of the elements of a reduction.
#[derive(Debug)]
pub struct Order {
    /// The reduced dimensions before those of a sequence.
    pub outer: Dims,
    /// The dimensions of a sequence; none if a result is one element.
    pub sequence: Dims,
    /// Entries of the first dimension of a sequence that are in one piece.
    pub rows: usize,
    /// Pieces of a sequence.
    pub pieces: usize,
}

impl Order {
    pub fn new(shape: &[usize], reduced: impl Fn(usize) -> bool) -> Self {
        let reduced: Dims = (0..shape.len()).filter(|&d| reduced(d) && shape[d] != 1).collect();
        let (mut first, mut unit, mut len) = (reduced.len(), 1, 1_usize);
        while first > 0 && len < SEQUENCE {
            first -= 1;
            (unit, len) = (len, len * shape[reduced[first]]);
        }
        let (outer, sequence) = reduced.split_at(first);
        let rows = PIECE / unit;
        let pieces = sequence.first().map_or(1, |&d| shape[d].div_ceil(rows));
        Order { outer: outer.into(), sequence: sequence.into(), rows, pieces }
    }
}

/// The order where the reduced dimensions are neighbours in memory.
#[derive(Clone, Copy, Debug)]
pub struct FlatOrder {
    /// Elements of a sequence, and of a piece.
    pub sequence: usize,
    pub piece: usize,
}

impl FlatOrder {
    /// Returns the order of reducing all dimensions of this shape.
    pub fn new(shape: &[usize]) -> Self {
        let Order { sequence, rows, .. } = Order::new(shape, |_| true);
        let unit: usize = sequence.iter().skip(1).map(|&d| shape[d]).product();
        let first = sequence.first().map_or(1, |&d| shape[d]);
        FlatOrder { sequence: first * unit, piece: rows * unit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(shape: &[usize], dims: &[usize]) -> (Vec<usize>, Vec<usize>, usize, usize) {
        let order = Order::new(shape, |d| dims.contains(&d));
        (order.outer.to_vec(), order.sequence.to_vec(), order.rows, order.pieces)
    }

    #[test]
    fn short_dimensions_are_joined_and_long_ones_cut() {
        assert_eq!(order(&[4, 5], &[1]), (vec![], vec![1], 8192, 1));
        assert_eq!(order(&[4, 1, 1], &[1, 2]), (vec![], vec![], 8192, 1));
        assert_eq!(order(&[4, 600], &[0, 1]), (vec![0], vec![1], 8192, 1));
        assert_eq!(order(&[4, 9, 100], &[0, 2]), (vec![], vec![0, 2], 81, 1));
        assert_eq!(order(&[2, 300, 9, 100], &[0, 1, 3]), (vec![0], vec![1, 3], 81, 4));
        assert_eq!(order(&[20_000], &[0]), (vec![], vec![0], 8192, 3));
        let FlatOrder { sequence, piece } = FlatOrder::new(&[2, 300, 100]);
        assert_eq!((sequence, piece), (30_000, 8100));
    }
}
