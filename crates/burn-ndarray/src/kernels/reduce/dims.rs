//! Reductions along any dimensions of tensors of any layout.
//!
//! Elements are read where they lie; those of narrow dtypes, and those that do not lie side by side, are
//! brought into order a piece at a time. Workspace: at most 1 MiB a thread, and where a result has several
//! pieces (see [`super::order`]) one element of the type of arithmetic for each of them, so at most one for
//! 512 elements of the tensor.

use super::by_accumulator::ByAccumulator;
use super::columns::Columns;
use super::fold::{Fold, Runs};
use super::folded::Folded;
use super::folding::Folding;
use super::order::{Order, PIECE};
use super::sink::Sink;
use crate::elements::collapsed::Collapsed;
use crate::elements::dtype::{wide, with_wide};
use crate::memory::Buffer;
use crate::simd::prefetch_far;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{DType, Dims, HasSpec, ReduceOp, Scalar, Shape, TensorSpec};
use core::ops::Range;

/// Results that are folded before they are written.
const BATCH: usize = 64;
/// Elements of short runs that are brought into order together.
const TOGETHER: usize = 4096;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Most bytes of a run that are prefetched: the hardware continues a longer one by itself.
const MOST_AHEAD: usize = 512;

pub fn reduce(op: ReduceOp, x: NdTensor, dims: &[usize]) -> NdTensor {
    let dtype = x.spec().dtype;
    let shape = reduced_shape(x.shape(), dims);
    if dtype == DType::Bool && x.len() == 0 {
        return crate::kernels::create::full(TensorSpec { shape, dtype }, Scalar::Bool(op == ReduceOp::All));
    }
    with_wide!("reduce", wide(dtype), E => reduce_typed::<E>(op, &x, dims, shape))
}

fn reduced_shape(shape: &Shape, dims: &[usize]) -> Shape {
    (0..shape.rank()).map(|d| if dims.contains(&d) { 1 } else { shape[d] }).collect()
}

fn reduce_typed<E: Folded>(op: ReduceOp, x: &NdTensor, dims: &[usize], shape: Shape) -> NdTensor {
    let (fold, dtype) = (Fold::of(op), x.spec().dtype);
    let count: usize = dims.iter().map(|&d| x.shape()[d]).product();
    let mut out = NdTensor::new(TensorSpec { shape, dtype });
    let len = out.len();
    let sink = Sink::new(out.start_mut(), dtype, (op == ReduceOp::Mean).then(|| E::of(count)));
    if x.len() == 0 {
        // SAFETY: each result is written.
        (0..len).for_each(|at| unsafe { sink.write(at, 1, &mut [fold.identity()]) });
        return out;
    }
    if let Some(folding) = Folding::of_neighbours(fold, x, dims, sink) {
        folding.run();
        return out;
    }
    let order = Order::new(x.shape(), |d| dims.contains(&d));
    let pieces = order.pieces * order.outer.iter().map(|&d| x.shape()[d]).product::<usize>();
    if pieces == 1 {
        Folding::new(fold, x, dims, &order, sink).run();
        return out;
    }
    let mut folded = Buffer::new(len * pieces * size_of::<E>());
    let folded: &mut [E] = folded.as_mut_slice().expect("a new buffer is unique");
    let between = Sink::<E>::new(folded.as_mut_ptr().cast(), E::dtype(), None);
    Folding::new(fold, x, dims, &order, between).run();
    let folded = &*folded;
    parallel::for_ranges(len, pieces, &|range| {
        for at in range {
            let result = fold.pieces(folded[at * pieces..][..pieces].iter().copied());
            // SAFETY: each result is written once.
            unsafe { sink.write(at, 1, &mut [result]) };
        }
    });
    out
}

impl<E: Folded> Folding<E> {
    fn run(&self) {
        if let Some(columns) = Columns::new(self) {
            return if columns.is_by_accumulator() {
                ByAccumulator::new(&columns).run()
            } else {
                columns.run()
            };
        }
        let most = self.piece(0);
        let size = most.rows() * most.inner();
        parallel::for_ranges(self.grid.rows() * self.grid.inner() * self.pieces, size, &|range| {
            self.fold_range(range);
        });
    }

    /// Folds pieces, each of which is one run of elements.
    fn fold_range(&self, range: Range<usize>) {
        let mut scratch: Option<Buffer> = None;
        let mut at = range.start;
        while at < range.end {
            let (index, piece) = (at / self.pieces, at % self.pieces);
            let start = self.grid.place(index)[0].wrapping_add(self.piece_start(piece));
            // Pieces of one size that are equally far apart.
            let (count, step) = match self.pieces {
                1 => (self.grid.inner() - index % self.grid.inner(), self.grid.step(0)),
                pieces => ((pieces - 1 - piece).max(1), self.piece_step),
            };
            let count = count.min(range.end - at);
            self.fold_runs((at, start), (count, step), self.piece(piece), &mut scratch);
            at += count;
        }
    }

    /// Folds `count` pieces that start `step` apart in the operand, for the results from `at` on.
    fn fold_runs(
        &self,
        (at, start): (usize, usize),
        (count, step): (usize, usize),
        piece: &Collapsed<1>,
        scratch: &mut Option<Buffer>,
    ) {
        let size = piece.rows() * piece.inner();
        let in_order = self.source.is_wide && piece.rows() == 1 && (piece.step(0) == 1 || size == 1);
        let batch = if in_order { BATCH } else { (TOGETHER / size).clamp(1, BATCH) };
        let mut results = [E::ZERO; BATCH];
        for first in (0..count).step_by(batch) {
            let results = &mut results[..batch.min(count - first)];
            let start = start.wrapping_add(step.wrapping_mul(first));
            if !in_order && self.source.is_medium {
                self.prefetch(start.wrapping_add(step.wrapping_mul(results.len())), piece);
            }
            // SAFETY: the pieces lie within the tensor, and each result is written once.
            unsafe {
                if in_order {
                    let runs = Runs { start: self.source.at(start).cast::<E>(), size, step, squares: false };
                    E::fold_runs(self.fold, runs, results);
                } else if !self.fold_interleaved(start, step, piece, results) {
                    let room = || Buffer::new(self.source.room(PIECE.max(TOGETHER)) * size_of::<E>());
                    let scratch = scratch.get_or_insert_with(room).as_mut_slice::<E>().expect("it is unique");
                    let sizes: Dims =
                        [results.len()].into_iter().chain(piece.shape.iter().copied()).collect();
                    let steps: Dims = [step].into_iter().chain(piece.strides[0].iter().copied()).collect();
                    self.source.gather(start, &sizes, &steps, scratch);
                    let runs = Runs { start: scratch.as_ptr(), size, step: size, squares: false };
                    E::fold_runs(self.fold, runs, results);
                }
                self.sink.write(at + first, 1, results);
            }
        }
    }

    /// Folds pieces whose elements are a few runs in turns where they lie, if there is a kernel for that;
    /// says whether.
    ///
    /// # Safety
    /// The pieces lie within the tensor.
    unsafe fn fold_interleaved(
        &self,
        start: usize,
        step: usize,
        piece: &Collapsed<1>,
        results: &mut [E],
    ) -> bool {
        let &[count, runs] = &piece.shape[..] else { return false };
        if !self.source.is_wide || piece.strides[0][0] != 1 {
            return false;
        }
        results.iter_mut().enumerate().all(|(k, result)| {
            let first = self.source.at(start.wrapping_add(step.wrapping_mul(k))).cast();
            // SAFETY: by the contract.
            let folded = unsafe { E::fold_interleaved(self.fold, first, piece.step(0), runs, count) };
            folded.map(|folded| *result = folded).is_some()
        })
    }

    /// Prefetches a piece whose neighbours do not lie along its last dimension: the hardware would not notice
    /// in time.
    fn prefetch(&self, start: usize, piece: &Collapsed<1>) {
        let last = piece.shape.len() - 1;
        let Some(d) = piece.nearest(0).filter(|&d| d != last && piece.distance(0, d) == 1) else { return };
        let run = piece.shape[d] * self.source.width;
        let runs = piece.without(d);
        runs.for_rows(0..runs.rows(), |[at]| {
            let run_start = self.source.at(start.wrapping_add(at));
            for line in (0..run.min(MOST_AHEAD)).step_by(LINE) {
                prefetch_far(run_start.wrapping_add(line));
            }
            // The last line, where the run does not begin with one.
            prefetch_far(run_start.wrapping_add(run.min(MOST_AHEAD) - 1));
        });
    }
}
