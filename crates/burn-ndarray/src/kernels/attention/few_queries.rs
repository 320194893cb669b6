//! Attention of few queries, as decoding computes it (Flash-Decoding; Dao et al., 2023): keys and values are
//! read once for all heads that share them, in the precision in which they are stored. Threads share heads
//! and pieces of the keys; the maximum and the sum of each piece are merged at the end.

use super::PAD;
use super::element::Element;
use super::key_memory::{Dense, KeyMemory, QuantizedView, Wide};
use super::pack::{HeadRows, Scratch, padded, rows};
use super::problem::{Out, Problem, View, wide};
use super::product::StridedRows;
use super::score_tile::{Softened, Tile};
use super::stored::Stored;
use crate::elements::number::Number;
use crate::kernels::math::Float;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{
    AttentionArgs, DType, HasSpec, QuantizedAttentionArgs, TensorSpec, attention_dtype, bf16, f16,
};
use core::ops::Range;

/// Queries up to which keys are not packed.
const FEW: usize = 8;
/// Keys of a piece. It does not depend on the number of threads, so neither does the result.
const PIECE: usize = 128;

/// Computes the attention in the dtype of the computation and the logarithms of the sums, if there are few
/// queries, and rows of keys and values have adjacent elements.
pub fn few_queries(args: &AttentionArgs<NdTensor>) -> Option<(NdTensor, NdTensor)> {
    let is_dense = |x: &NdTensor| x.strides()[3] == 1;
    let dtype = args.query.spec().dtype;
    if !is_few(&args.query) || !is_dense(&args.key) || !is_dense(&args.value) {
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

/// As [`few_queries`], of quantized keys and values in blocks of 32 with scales of `f16`, in `f32`.
pub fn few_quantized(args: &QuantizedAttentionArgs<NdTensor>) -> Option<(NdTensor, NdTensor)> {
    let (key, value) = (QuantizedView::new(&args.key)?, QuantizedView::new(&args.value)?);
    if !is_few(&args.query) || args.query.spec().dtype == DType::F64 {
        return None;
    }
    let size_out = args.value.shape()[3];
    let QuantizedAttentionArgs { query, key: keys, value: values, mask, causal, scale } = args.clone();
    let (query, mask) = (wide(query), mask.map(wide));
    let args = AttentionArgs { query, key: keys.words, value: values.words, mask, causal, scale };
    let mut problem = Problem::new(&args, scale as f32);
    problem.size_out = size_out;
    Some(decode(args.query.spec(), Decode::new(&problem, key, value)))
}

fn is_few(query: &NdTensor) -> bool {
    let shape = query.shape();
    (1..=FEW).contains(&shape[2]) && shape[1] > 0
}

/// Partial results of pieces, one after the other: those of batch 0 and key head 0 first.
struct Partial<E> {
    /// Sums of values, `[pieces, rows, size_out]`.
    sums: Shared<E>,
    /// State of the softmax of each row.
    state: Shared<Softened<E>>,
}

/// An attention to keys and values in `M`.
struct Decode<'a, M: KeyMemory> {
    problem: &'a Problem<Wide<M>>,
    key: M,
    value: M,
    /// Queries of the heads that share a key.
    rows: usize,
    /// Pieces of the keys.
    pieces: usize,
}

fn typed<S: Stored>(args: &AttentionArgs<NdTensor>, scale: S::Wide) -> (NdTensor, NdTensor) {
    let problem = Problem::new(args, scale);
    let (key, value) = (View::<S>::new(&args.key), View::new(&args.value));
    decode(args.query.spec(), Decode::new(&problem, key, value))
}

/// The results for queries of this spec.
fn decode<M: KeyMemory>(spec: &TensorSpec, decode: Decode<'_, M>) -> (NdTensor, NdTensor) {
    let problem = decode.problem;
    let dtype = attention_dtype(spec.dtype);
    let mut result = NdTensor::new(TensorSpec { shape: spec.shape.with(3, problem.size_out), dtype });
    let mut log_sums = NdTensor::new(TensorSpec::new(&spec.shape[..3], dtype));
    let out = Out {
        result: Shared(result.start_mut().cast::<Wide<M>>()),
        log_sums: Shared(log_sums.start_mut().cast::<Wide<M>>()),
    };
    let heads = problem.batch * problem.key_heads;
    let units = heads * decode.pieces;
    let mut buffers = [
        Buffer::new(units * decode.rows * problem.size_out * size_of::<Wide<M>>()),
        Buffer::new(units * decode.rows * size_of::<Softened<Wide<M>>>()),
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

impl<'a, M: KeyMemory> Decode<'a, M> {
    fn new(problem: &'a Problem<Wide<M>>, key: M, value: M) -> Self {
        let (rows, pieces) = (problem.group() * problem.queries, problem.keys.div_ceil(PIECE));
        Decode { problem, key, value, rows, pieces }
    }

    /// Pieces, by number.
    ///
    /// # Safety
    /// The tensors and the buffers are there; nothing else touches the parts of these pieces.
    unsafe fn run(&self, partial: &Partial<Wide<M>>, range: Range<usize>) {
        let (problem, width) = (self.problem, padded(self.problem.size));
        let copied = M::COPIED * problem.size.max(problem.size_out);
        let lengths = [self.rows * width, self.rows * PIECE, copied];
        let mut scratch = Scratch::new::<Wide<M>>(&lengths);
        let [query, scores, room] = scratch.parts(lengths);
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
                    room,
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
    unsafe fn pack_queries(&self, head: usize, to: &mut [Wide<M>]) {
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
        [query, scores]: [StridedRows<*mut Wide<M>>; 2],
        room: &mut [Wide<M>],
        out: Partial<Wide<M>>,
    ) {
        let (problem, start) = (self.problem, piece * PIECE);
        let (batch, key_head) = (head / problem.key_heads, head % problem.key_heads);
        let keys = PIECE.min(problem.keys - start);
        let place = HeadRows { batch, head: key_head, first: start, count: keys };
        let tile = Tile { rows: scores, len: keys.next_multiple_of(PAD) };
        let rows = self.rows;
        // SAFETY: by the contract.
        unsafe {
            let key = Dense { rows, size: problem.size, dense: query, scores };
            self.key.each(place, key, room, M::Elem::score);
            for member in 0..problem.group() {
                let first = scores.start.add(member * problem.queries * scores.step);
                let tile = Tile { rows: StridedRows { start: first, step: scores.step }, len: tile.len };
                let at = [batch, key_head * problem.group() + member];
                problem.hide(tile, at, (0, problem.queries), (start, keys));
            }
            let state = core::slice::from_raw_parts_mut(out.state.get(), rows);
            state.fill(Softened::NONE);
            Wide::<M>::soften(tile, state);
            let size = problem.size_out;
            core::slice::from_raw_parts_mut(out.sums.get(), rows * size).fill(<Wide<M> as Number>::ZERO);
            let sums = StridedRows { start: out.sums.get(), step: size };
            self.value.each(place, Dense { rows, size, dense: sums, scores }, room, M::Elem::weigh);
        }
    }

    /// Merges the pieces of a key head: sums of values are rescaled to the largest score of all.
    ///
    /// # Safety
    /// As for [`Decode::run`], of the results of the head.
    unsafe fn merge(&self, partial: &Partial<Wide<M>>, head: usize, out: Out<Wide<M>>) {
        let zero = <Wide<M> as Number>::ZERO;
        let (rows, size) = (self.rows, self.problem.size_out);
        // Heads that share a key follow each other, and so do their results.
        for row in 0..rows {
            let place = |piece: usize| (head * self.pieces + piece) * rows + row;
            // SAFETY: by the contract; so below.
            let state = |piece: usize| unsafe { partial.state.get().add(place(piece)).read() };
            let states = || (0..self.pieces).map(state);
            let max = states().fold(<Wide<M> as Number>::LOWEST, |max, part| Float::max(max, part.max));
            let base = if max == <Wide<M> as Number>::LOWEST { zero } else { max };
            let factor = |part: Softened<Wide<M>>| (part.max - base).exp::<false>();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{create, layout};
    use alloc::vec::Vec;
    use burn_backend::{QuantizedRows, Scalar, Slice};

    /// Views of the rows from the third on of more keys.
    fn args(queries: usize, size: usize, block: usize, scales: DType) -> QuantizedAttentionArgs<NdTensor> {
        let full = |shape: [usize; 4], dtype| create::full(TensorSpec::new(shape, dtype), Scalar::Int(1));
        let view = |x| layout::slice(x, &[0..1, 0..1, 2..7].map(Slice::from));
        let rows = || QuantizedRows {
            words: view(full([1, 1, 9, size / 4], DType::I32)),
            scale: view(full([1, 1, 9, size / block], scales)),
        };
        let query = full([1, 2, queries, size], DType::F32);
        QuantizedAttentionArgs { query, key: rows(), value: rows(), mask: None, causal: false, scale: 1.0 }
    }

    #[test]
    fn blocks_of_32_are_read_where_they_are() {
        assert!(few_quantized(&args(1, 64, 32, DType::F16)).is_some());
        assert!(few_quantized(&args(8, 64, 32, DType::F16)).is_some());
        for other in [args(9, 64, 32, DType::F16), args(1, 64, 16, DType::F16), args(1, 64, 32, DType::F32)] {
            assert!(few_quantized(&other).is_none());
        }
        // A word of 1 is the number 1 and three zeros.
        let (result, _) = few_quantized(&args(1, 64, 32, DType::F16)).expect("as above");
        let expected: Vec<f32> = (0..128).map(|at| f32::from(u8::from(at % 4 == 0))).collect();
        assert!(result.slice::<f32>().iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-6));
    }
}
