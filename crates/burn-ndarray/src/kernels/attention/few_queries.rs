//! Attention of few queries, as decoding computes it (Flash-Decoding; Dao et al., 2023): keys and values are
//! read once for all heads that share them, in the precision in which they are stored. Threads share heads
//! and pieces of the keys; the maximum and the sum of each piece are merged at the end.

use super::PAD;
use super::element::Element;
use super::pack::{HeadRows, Scratch, padded, rows};
use super::problem::{Out, Problem, View, wide};
use super::product::StridedRows;
use super::score_tile::{Softened, Tile};
use super::stored::{Pass, Stored};
use crate::elements::number::Number;
use crate::kernels::math::Float;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{AttentionArgs, DType, HasSpec, TensorSpec, attention_dtype, bf16, f16};
use core::ops::Range;

/// Queries up to which keys are not packed.
const FEW: usize = 8;
/// Keys of a piece. It does not depend on the number of threads, so neither does the result.
const PIECE: usize = 128;

/// Computes the attention in the dtype of the computation and the logarithms of the sums, if there are few
/// queries, and rows of keys and values have adjacent elements.
pub fn few_queries(args: &AttentionArgs<NdTensor>) -> Option<(NdTensor, NdTensor)> {
    let is_dense = |x: &NdTensor| x.strides()[3] == 1;
    let (query, dtype) = (args.query.shape(), args.query.spec().dtype);
    let is_few = (1..=FEW).contains(&query[2]) && query[1] > 0;
    if !is_few || !is_dense(&args.key) || !is_dense(&args.value) {
        return None;
    }
    let AttentionArgs { query, key, value, mask, causal, scale } = args.clone();
    // Keys and values are widened as they are read.
    let args = AttentionArgs { query: wide(query), key, value, mask: mask.map(wide), causal, scale };
    match dtype {
        DType::F64 => Some(typed::<f64>(&args, scale)),
        DType::F32 => Some(typed::<f32>(&args, scale as f32)),
        DType::F16 => Some(typed::<f16>(&args, scale as f32)),
        DType::BF16 => Some(typed::<bf16>(&args, scale as f32)),
        DType::I64 | DType::I32 | DType::I16 | DType::I8 | DType::Bool => None,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 => None,
    }
}

/// Partial results of pieces, one after the other: those of batch 0 and key head 0 first.
struct Partial<E> {
    /// Sums of values, `[pieces, rows, size_out]`.
    sums: Shared<E>,
    /// State of the softmax of each row.
    state: Shared<Softened<E>>,
}

/// An attention whose keys and values are stored as `S`.
struct Decode<'a, S: Stored> {
    problem: &'a Problem<S::Wide>,
    key: View<S>,
    value: View<S>,
    /// Queries of the heads that share a key.
    rows: usize,
    /// Pieces of the keys.
    pieces: usize,
}

fn typed<S: Stored>(args: &AttentionArgs<NdTensor>, scale: S::Wide) -> (NdTensor, NdTensor) {
    let problem = Problem::new(args, scale);
    let spec = args.query.spec();
    let dtype = attention_dtype(spec.dtype);
    let mut result = NdTensor::new(TensorSpec { shape: spec.shape.with(3, problem.size_out), dtype });
    let mut log_sums = NdTensor::new(TensorSpec::new(&spec.shape[..3], dtype));
    let out = Out {
        result: Shared(result.start_mut().cast::<S::Wide>()),
        log_sums: Shared(log_sums.start_mut().cast::<S::Wide>()),
    };
    let decode = Decode::<S> {
        key: View::new(&args.key),
        value: View::new(&args.value),
        rows: problem.group() * problem.queries,
        pieces: problem.keys.div_ceil(PIECE),
        problem: &problem,
    };
    let heads = problem.batch * problem.key_heads;
    let units = heads * decode.pieces;
    let mut buffers = [
        Buffer::new(units * decode.rows * problem.size_out * size_of::<S::Wide>()),
        Buffer::new(units * decode.rows * size_of::<Softened<S::Wide>>()),
    ];
    let [sums, state] = buffers.each_mut().map(Buffer::as_mut_slice::<u8>);
    let [sums, state] = [sums, state].map(|bytes| bytes.expect("a new buffer is unique").as_mut_ptr());
    let partial = Partial { sums: Shared(sums.cast()), state: Shared(state.cast()) };
    let cost = PIECE.min(problem.keys) * decode.rows * (problem.size + problem.size_out) / 8;
    parallel::for_ranges(units, cost.max(1), &|range| {
        // SAFETY: the tensors and the buffers are there, and each piece has its own part of the buffers.
        unsafe { decode.run(&partial, range) };
    });
    let cost = decode.rows * decode.pieces * problem.size_out / 8;
    parallel::for_ranges(heads, cost.max(1), &|range| {
        // SAFETY: as above; each head has its own part of the results.
        range.for_each(|head| unsafe { decode.merge(&partial, head, out) });
    });
    (result, log_sums)
}

impl<S: Stored> Decode<'_, S> {
    /// Pieces, by number.
    ///
    /// # Safety
    /// The tensors and the buffers are there; nothing else touches the parts of these pieces.
    unsafe fn run(&self, partial: &Partial<S::Wide>, range: Range<usize>) {
        let (problem, width) = (self.problem, padded(self.problem.size));
        let lengths = [self.rows * width, self.rows * PIECE];
        let mut scratch = Scratch::new::<S::Wide>(&lengths);
        let [query, scores] = scratch.parts(lengths);
        let mut packed = None;
        for unit in range {
            let (head, piece) = (unit / self.pieces, unit % self.pieces);
            // SAFETY: by the contract.
            unsafe {
                if packed != Some(head) {
                    self.pack_queries(head, query);
                    packed = Some(head);
                }
                let query = StridedRows { start: query.as_mut_ptr(), step: width };
                self.piece(
                    [head, piece],
                    [query, StridedRows { start: scores.as_mut_ptr(), step: PIECE }],
                    Partial {
                        sums: Shared(partial.sums.get().add(unit * self.rows * problem.size_out)),
                        state: Shared(partial.state.get().add(unit * self.rows)),
                    },
                );
            }
        }
    }

    /// Copies the queries of a key head, times the scale.
    ///
    /// # Safety
    /// As for [`Decode::run`].
    unsafe fn pack_queries(&self, head: usize, to: &mut [S::Wide]) {
        let problem = self.problem;
        let (batch, first) = (head / problem.key_heads, head % problem.key_heads * problem.group());
        let length = problem.queries * padded(problem.size);
        for (member, to) in to.chunks_exact_mut(length.max(1)).enumerate() {
            let place = HeadRows { batch, head: first + member, first: 0, count: problem.queries };
            // SAFETY: by the contract.
            unsafe { rows(&problem.query, place, problem.size, problem.scale, to) };
        }
    }

    /// Attention to one piece of the keys.
    ///
    /// # Safety
    /// As for [`Decode::run`]; the workspace has the sizes that it made, and the buffers are those of the
    /// piece.
    unsafe fn piece(
        &self,
        [head, piece]: [usize; 2],
        [query, scores]: [StridedRows<*mut S::Wide>; 2],
        out: Partial<S::Wide>,
    ) {
        let (problem, start) = (self.problem, piece * PIECE);
        let (batch, key_head) = (head / problem.key_heads, head % problem.key_heads);
        let keys = PIECE.min(problem.keys - start);
        let [first_key, first_value] =
            [self.key.rows(batch, key_head), self.value.rows(batch, key_head)].map(|rows| rows.after(start));
        let tile = Tile { rows: scores, len: keys.next_multiple_of(PAD) };
        let rows = self.rows;
        // SAFETY: by the contract.
        unsafe {
            let size = problem.size;
            S::score(Pass { rows, keys, size, stored: first_key, dense: query, scores });
            for member in 0..problem.group() {
                let first = scores.start.add(member * problem.queries * scores.step);
                let tile = Tile { rows: StridedRows { start: first, step: scores.step }, len: tile.len };
                let at = [batch, key_head * problem.group() + member];
                problem.hide(tile, at, (0, problem.queries), (start, keys));
            }
            let state = core::slice::from_raw_parts_mut(out.state.get(), rows);
            state.fill(Softened::NONE);
            S::Wide::soften(tile, state);
            let size = problem.size_out;
            core::slice::from_raw_parts_mut(out.sums.get(), rows * size).fill(<S::Wide as Number>::ZERO);
            let sums = StridedRows { start: out.sums.get(), step: size };
            S::weigh(Pass { rows, keys, size, stored: first_value, dense: sums, scores });
        }
    }

    /// Merges the pieces of a key head: sums of values are rescaled to the largest score of all.
    ///
    /// # Safety
    /// As for [`Decode::run`], of the results of the head.
    unsafe fn merge(&self, partial: &Partial<S::Wide>, head: usize, out: Out<S::Wide>) {
        let zero = <S::Wide as Number>::ZERO;
        let (rows, size) = (self.rows, self.problem.size_out);
        // Heads that share a key follow each other, and so do their results.
        for row in 0..rows {
            let place = |piece: usize| (head * self.pieces + piece) * rows + row;
            // SAFETY: by the contract; so below.
            let state = |piece: usize| unsafe { partial.state.get().add(place(piece)).read() };
            let states = || (0..self.pieces).map(state);
            let max = states().fold(<S::Wide as Number>::LOWEST, |max, part| Float::max(max, part.max));
            let base = if max == <S::Wide as Number>::LOWEST { zero } else { max };
            let factor = |part: Softened<S::Wide>| (part.max - base).exp::<false>();
            let sum = states().fold(zero, |sum, part| sum + part.sum * factor(part));
            let is_blind = sum == zero;
            let log = if is_blind { zero } else { base + sum.log::<false>() };
            // SAFETY: as above.
            let result = unsafe {
                out.log_sums.get().add(head * rows + row).write(log);
                core::slice::from_raw_parts_mut(out.result.get().add((head * rows + row) * size), size)
            };
            result.fill(zero);
            for piece in (0..self.pieces).filter(|_| !is_blind) {
                let factor = factor(state(piece)) / sum;
                // SAFETY: as above.
                let sums =
                    unsafe { core::slice::from_raw_parts(partial.sums.get().add(place(piece) * size), size) };
                result.iter_mut().zip(sums).for_each(|(to, &x)| *to = *to + x * factor);
            }
        }
    }
}
