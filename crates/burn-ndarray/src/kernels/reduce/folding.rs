use super::fold::Fold;
use super::folded::Folded;
use super::order::{Order, PIECE};
use super::sink::Sink;
use super::source::ReductionSource;
use crate::elements::collapsed::{Collapsed, collapse};
use crate::tensor::NdTensor;
use burn_backend::{Dims, Shape};

/// The pieces of all results, and how they lie in memory.
pub struct Folding<E> {
    pub fold: Fold,
    pub source: ReductionSource<E>,
    pub sink: Sink<E>,
    /// Where the sequences start, in the operand and in the results: kept dimensions, then reduced ones
    /// outside of sequences.
    pub grid: Collapsed<2>,
    /// The elements of a piece, and of the last piece of a sequence.
    piece: Collapsed<1>,
    last: Collapsed<1>,
    /// Pieces of a sequence, and from one to the next.
    pub pieces: usize,
    pub(super) piece_step: usize,
}

impl<E: Folded> Folding<E> {
    pub fn new(fold: Fold, x: &NdTensor, dims: &[usize], order: &Order, sink: Sink<E>) -> Self {
        let (shape, strides) = (x.shape(), x.strides());
        let pick = |list: &[usize], dims: &[usize]| dims.iter().map(|&d| list[d]).collect::<Dims>();
        let kept = (0..shape.rank()).filter(|d| !dims.contains(d));
        let places: Dims = kept.chain(order.outer.iter().copied()).collect();
        let sizes = Shape::from(&pick(shape, &places)[..]);
        let results: Dims = sizes.strides().iter().map(|&step| step * order.pieces).collect();
        let grid = collapse(&sizes, [&pick(&strides, &places), &results]);
        let (mut sizes, steps) = (pick(shape, &order.sequence), pick(&strides, &order.sequence));
        let mut piece_of = |rows: usize| {
            sizes.iter_mut().take(1).for_each(|size| *size = rows);
            collapse(&sizes, [&steps])
        };
        let first = order.sequence.first().map_or(1, |&d| shape[d]);
        let last = piece_of(first - (order.pieces - 1) * order.rows);
        let piece_step = steps.first().map_or(0, |step| step.wrapping_mul(order.rows));
        let piece = piece_of(order.rows);
        Folding {
            fold,
            source: ReductionSource::new(x),
            sink,
            grid,
            piece,
            last,
            pieces: order.pieces,
            piece_step,
        }
    }

    /// That of one dimension of a contiguous tensor, if a piece holds it: what [`Folding::new`] finds, at
    /// once.
    pub fn of_neighbours(fold: Fold, x: &NdTensor, dims: &[usize], sink: Sink<E>) -> Option<Self> {
        let (shape, &[d]) = (x.shape(), dims) else { return None };
        if !x.is_contiguous() || shape[d] > PIECE {
            return None;
        }
        let (outer, inner): (usize, usize) = (shape[..d].iter().product(), shape[d + 1..].iter().product());
        let grid = match (outer, inner) {
            (_, 1) => Collapsed { shape: [outer].into(), strides: [[shape[d]].into(), [1].into()] },
            (1, _) => Collapsed { shape: [inner].into(), strides: [[1].into(), [1].into()] },
            _ => Collapsed {
                shape: [outer, inner].into(),
                strides: [[shape[d] * inner, 1].into(), [inner, 1].into()],
            },
        };
        let piece = Collapsed::line(shape[d], inner);
        let (last, source) = (piece.clone(), ReductionSource::new(x));
        Some(Folding { fold, source, sink, grid, piece, last, pieces: 1, piece_step: 0 })
    }

    /// The elements of a piece.
    pub fn piece(&self, index: usize) -> &Collapsed<1> {
        if index + 1 == self.pieces { &self.last } else { &self.piece }
    }

    /// From the start of a sequence to that of a piece.
    pub fn piece_start(&self, index: usize) -> usize {
        self.piece_step.wrapping_mul(index)
    }
}
