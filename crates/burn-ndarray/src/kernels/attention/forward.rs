use super::element::Element;
use super::few_queries::{few_quantized, few_queries};
use super::pack::{HeadRows, Scratch, columns, padded, rows, rows_or_view};
use super::problem::{Out, Problem, widened};
use super::product::{Left, Product, ROWS, StridedRows};
use super::score_tile::{Softened, Tile};
use super::{KEYS, PAD, QUERIES};
use crate::NdArray;
use crate::elements::number::Number;
use crate::kernels::cast::cast;
use crate::kernels::math::Float;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{AttentionArgs, DType, HasSpec, QuantizedAttentionArgs, TensorSpec, reference};
use core::ops::Range;

/// Results, and the logarithms of the sums of exponentials.
pub fn attention(args: AttentionArgs<NdTensor>) -> (NdTensor, NdTensor) {
    let dtype = args.query.spec().dtype;
    let (result, log_sums) = few_queries(&args).unwrap_or_else(|| {
        let args = widened(args);
        if dtype == DType::F64 { typed(&args, args.scale) } else { typed(&args, args.scale as f32) }
    });
    (cast(result, dtype), log_sums)
}

/// As [`attention`]. More than a few queries attend to a dequantized copy.
pub fn quantized_attention(args: QuantizedAttentionArgs<NdTensor>) -> (NdTensor, NdTensor) {
    let dtype = args.query.spec().dtype;
    match few_quantized(&args) {
        Some((result, log_sums)) => (cast(result, dtype), log_sums),
        None => reference::quantized_attention::<NdArray>(args),
    }
}

fn typed<E: Element>(args: &AttentionArgs<NdTensor>, scale: E) -> (NdTensor, NdTensor) {
    let problem = Problem::new(args, scale);
    let TensorSpec { shape, dtype } = args.query.spec();
    let mut result = NdTensor::new(TensorSpec { shape: shape.with(3, problem.size_out), dtype: *dtype });
    let mut log_sums = NdTensor::new(TensorSpec::new(&shape[..3], *dtype));
    let out = Out {
        result: Shared(result.start_mut().cast::<E>()),
        log_sums: Shared(log_sums.start_mut().cast::<E>()),
    };
    let tiles = problem.queries.div_ceil(QUERIES);
    let cost = QUERIES * problem.keys * (padded(problem.size) + padded(problem.size_out) + 4 * PAD) / 8;
    parallel::for_ranges(problem.batch * problem.heads * tiles, cost.max(1), &|range| {
        // SAFETY: the tensors are there, and each tile has its own part of the results.
        unsafe { run(&problem, out, range) };
    });
    (result, log_sums)
}

/// Tiles of queries, by number.
///
/// # Safety
/// The tensors of the problem are there; nothing else touches the results of these tiles.
unsafe fn run<E: Element>(problem: &Problem<E>, out: Out<E>, range: Range<usize>) {
    let (size, size_out) = (problem.size, problem.size_out);
    let lengths = [
        problem.keys.next_multiple_of(KEYS) * size,
        problem.keys * padded(size_out),
        QUERIES * padded(size),
        QUERIES * KEYS,
        QUERIES * padded(size_out),
    ];
    let mut scratch = Scratch::new::<E>(&lengths);
    let [key, value, query, scores, sums] = scratch.parts(lengths);
    let tiles = problem.queries.div_ceil(QUERIES);
    let mut packed = None;
    for tile in range {
        let (batch, head) = (tile / tiles / problem.heads, tile / tiles % problem.heads);
        let key_head = head / problem.group();
        let place = HeadRows { batch, head: key_head, first: 0, count: problem.keys };
        let known = packed.filter(|&(place, _)| place == (batch, key_head));
        let (_, values) = known.unwrap_or_else(|| {
            // SAFETY: the rows are those of the tensors.
            let values = unsafe {
                columns(&problem.key, place, size, key);
                rows_or_view(&problem.value, place, size_out, value)
            };
            ((batch, key_head), values)
        });
        packed = Some(((batch, key_head), values));
        let first = tile % tiles * QUERIES;
        let place = HeadRows { batch, head, first, count: QUERIES.min(problem.queries - first) };
        let mut state = [Softened::NONE; QUERIES];
        // SAFETY: as above.
        unsafe {
            rows(&problem.query, place, size, problem.scale, query);
            let work = QueryTile { query, key, values, scores: scores.as_mut_ptr(), sums };
            look(problem, place, work, &mut state[..place.count]);
            write(problem, place, sums, &state[..place.count], out);
        }
    }
}

/// Operands and workspace of one tile of queries.
struct QueryTile<'a, E> {
    query: &'a [E],
    /// Packed in tiles: see [`columns`].
    key: &'a [E],
    values: StridedRows<*const E>,
    scores: *mut E,
    sums: &'a mut [E],
}

/// Sums of values, each times `e^(score - max)`.
///
/// # Safety
/// As for [`run`]; memory is as long as [`run`] made it.
unsafe fn look<E: Element>(
    problem: &Problem<E>,
    place: HeadRows,
    work: QueryTile<'_, E>,
    state: &mut [Softened<E>],
) {
    let (size, width) = (problem.size, padded(problem.size_out));
    let HeadRows { batch, head, first, count } = place;
    let queries = count.next_multiple_of(ROWS);
    work.sums.fill(<E as Number>::ZERO);
    let seen = problem.keys_before(first + count);
    for start in (0..seen).step_by(KEYS) {
        let keys = KEYS.min(seen - start);
        let scores =
            Tile { rows: StridedRows { start: work.scores, step: KEYS }, len: keys.next_multiple_of(PAD) };
        // SAFETY: by the contract.
        unsafe {
            let left = Left { start: work.query.as_ptr(), step: padded(size), turned: false };
            let right = StridedRows { start: work.key[start * size..].as_ptr(), step: KEYS };
            let sizes = [queries, scores.len, size];
            E::product(Product { sizes, left, right, out: scores.rows, accumulate: false });
            problem.hide(scores, [batch, head], (first, count), (start, keys));
            E::soften(scores, state);
            for (known, sums) in state.iter().zip(work.sums.chunks_exact_mut(width.max(1))) {
                if known.factor != <E as Float>::ONE {
                    sums.iter_mut().for_each(|sum| *sum = *sum * known.factor);
                }
            }
            E::product(Product {
                sizes: [queries, width, keys],
                left: Left { start: work.scores, step: KEYS, turned: false },
                right: work.values.after(start),
                out: StridedRows { start: work.sums.as_mut_ptr(), step: width },
                accumulate: true,
            });
        }
    }
}

/// Divides sums by those of the exponentials.
///
/// # Safety
/// As for [`run`].
unsafe fn write<E: Element>(
    problem: &Problem<E>,
    place: HeadRows,
    sums: &[E],
    state: &[Softened<E>],
    out: Out<E>,
) {
    let (size, width) = (problem.size_out, padded(problem.size_out));
    let row = (place.batch * problem.heads + place.head) * problem.queries + place.first;
    for (at, known) in state.iter().enumerate() {
        let blind = known.sum == <E as Number>::ZERO;
        let (factor, log) = if blind {
            (<E as Number>::ZERO, <E as Number>::ZERO)
        } else {
            (<E as Float>::ONE / known.sum, known.max + known.sum.log::<false>())
        };
        // SAFETY: by the contract.
        unsafe {
            out.log_sums.get().add(row + at).write(log);
            let result = core::slice::from_raw_parts_mut(out.result.get().add((row + at) * size), size);
            let sums = &sums[at * width..][..size];
            result.iter_mut().zip(sums).for_each(|(to, &sum)| *to = sum * factor);
        }
    }
}
