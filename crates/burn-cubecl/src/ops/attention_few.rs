//! Attention of few queries, as when a language model decodes: keys and values are read once, where they are.
//!
//! Cubes share the keys of a head in pieces. The queries of all heads that share a key head are the rows of a
//! cube; each piece leaves its maximum, its sum and its sums of values, which a second kernel merges
//! (Flash-Decoding, Dao et al., 2023).

use crate::device::arithmetic::Abilities;
use crate::launch::dependent_launch::{self, grid_dependency_wait, prefetch};
use crate::launch::kernel::{A, Body, C, D, Kernel, UNITS, launch, launch_vectors};
use crate::launch::row_groups::{Team, together};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::accumulate::Join;
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

cubecl::define_size!(W);

/// Keys of a piece.
const PIECE: u32 = 64;
/// Values and pieces that a unit asks for at a time.
const VALUES: u32 = 32;
const PIECES: u32 = 16;
/// Vectors of a key that a unit asks for at a time, at most.
const VECTORS: u32 = 16;
/// Bytes of a vector of keys.
const BYTES: usize = 16;
/// Rows of a cube at most, and numbers of their queries: what shared memory holds on every device.
const MOST_ROWS: usize = 32;
const MOST_NUMBERS: usize = 2048;
/// Keys at most: the merge of more pieces takes as long as the pieces.
const MOST_KEYS: usize = 16_384;

/// The score of a hidden key. Finite, so that no difference of two is undefined.
const HIDDEN: f32 = -1e30;

/// First kernel: the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pieces {
    /// Queries of all heads that share a key head.
    rows: u32,
    /// Size of a head.
    head: u32,
    /// Elements of a vector of keys.
    width: u32,
    has_mask: bool,
    /// Bytes of a row of keys, where the launch is a dependent one that prefetches the rows of its piece.
    prefetched: Option<u32>,
}

launch_words! {
    struct PieceWords {
        /// Key heads, queries of a head, and keys.
        heads: u32,
        queries: u32,
        keys: u32,
        pieces: u32,
        /// Bits of the factor of the scores.
        scale: u32,
    }
}

launch_words! {
    /// Where an operand of batches, heads and rows begins, and its strides.
    struct Places {
        start: u32,
        batch: u32,
        head: u32,
        row: u32,
        column: u32,
    }
}

impl Places {
    /// In vectors of `width` elements; 0 where the operand repeats.
    fn of(x: &CubeTensor, width: usize) -> Self {
        let stride = |d: usize| if x.spec().shape[d] == 1 { 0 } else { word(x.strides()[d] / width) };
        Places {
            start: word(x.offset() / width),
            batch: stride(0),
            head: stride(1),
            row: stride(2),
            column: stride(3),
        }
    }
}

#[derive(CubeType)]
struct Read<E: Numeric, N: Size> {
    query: Array<E>,
    key: Array<Vector<E, N>>,
    value: Array<E>,
    mask: Array<u32>,
}

#[derive(CubeType)]
struct Operands {
    key: Places,
    value: Places,
    mask: Places,
}

/// The piece of a cube, and its key head: among all, in its batch, and the batch.
#[cube]
fn own_piece(words: &PieceWords) -> (u32, u32, u32, u32) {
    let piece = CUBE_POS as u32 % words.pieces;
    let group = CUBE_POS as u32 / words.pieces;
    (piece, group, group % words.heads, group / words.heads)
}

/// Where the rows of a cube's piece begin.
#[cube]
fn first_row(words: &PieceWords, places: &Places) -> u32 {
    let (piece, _group, head, batch) = own_piece(words);
    places.start + batch * places.batch + head * places.head + piece * PIECE * places.row
}

#[cube]
fn bytes_of(words: &PieceWords, #[comptime] row: u32) -> u32 {
    let left = words.keys - CUBE_POS as u32 % words.pieces * PIECE;
    select(left < PIECE, left, PIECE) * row
}

#[cube]
fn is_first() -> bool {
    UNIT_POS == 0u32
}

#[cube]
fn pieces<E: Numeric, N: Size>(
    read: &Read<E, N>,
    sums: &mut Array<f32>,
    stats: &mut Array<f32>,
    places: &Operands,
    words: &PieceWords,
    #[comptime] kind: Pieces,
) {
    let numbers = comptime!(kind.rows * kind.head);
    let mut queries = SharedMemory::<f32>::new(comptime!(numbers as usize));
    let mut scores = SharedMemory::<f32>::new(comptime!((kind.rows * PIECE) as usize));
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let (piece, group, head, batch) = own_piece(words);
    let mut at = UNIT_POS + 0u32;
    while at < numbers {
        let query = f32::cast_from(read.query[(group * numbers + at) as usize]);
        queries[at as usize] = query * f32::reinterpret(words.scale);
        at += UNITS;
    }
    sync_cube();
    // Scores: a unit has a key, and every fourth row.
    let own = UNIT_POS % PIECE;
    let key = piece * PIECE + own;
    let is_key = key < words.keys;
    let place = places.key.start
        + batch * places.key.batch
        + head * places.key.head
        + select(is_key, key, 0u32) * places.key.row;
    let mut row = UNIT_POS / PIECE;
    while row < comptime!(kind.rows) {
        let mut score = 0.0f32;
        #[unroll]
        for part in 0..comptime!((kind.head / kind.width).div_ceil(VECTORS)) {
            let begin = comptime!(part * VECTORS);
            let count = comptime!((kind.head / kind.width - begin).min(VECTORS));
            let mut ahead = Array::<Vector<E, N>>::new(comptime!(count as usize));
            #[unroll]
            for i in 0..count {
                ahead[comptime!(i as usize)] = read.key[(place + comptime!(begin + i)) as usize];
            }
            #[unroll]
            for i in 0..count {
                let k = ahead[comptime!(i as usize)];
                let first = row * comptime!(kind.head) + comptime!((begin + i) * kind.width);
                #[unroll]
                for j in 0..comptime!(kind.width as usize) {
                    score += queries[first as usize + j] * f32::cast_from(k[j]);
                }
            }
        }
        let mut is_seen = is_key;
        if comptime!(kind.has_mask) {
            let query = row % words.queries;
            let query_head = head * (comptime!(kind.rows) / words.queries) + row / words.queries;
            let bit = places.mask.start
                + batch * places.mask.batch
                + query_head * places.mask.head
                + query * places.mask.row
                + select(is_key, key, 0u32) * places.mask.column;
            is_seen = is_key && read.mask[bit as usize] == 0u32;
        }
        scores[(row * PIECE + own) as usize] = select(is_seen, score, HIDDEN);
        row += comptime!(UNITS / PIECE);
    }
    sync_cube();
    let first = (group * comptime!(kind.rows) * words.pieces + piece) * 2u32;
    weigh(&mut scores, &mut shared, stats, first, words.pieces * 2u32, comptime!(kind.rows));
    sync_cube();
    // Sums of values: neighbouring units have neighbouring elements.
    let left = words.keys - piece * PIECE;
    let count = select(left < PIECE, left, PIECE);
    let first = places.value.start
        + batch * places.value.batch
        + head * places.value.head
        + piece * PIECE * places.value.row;
    let mut at = UNIT_POS + 0u32;
    while at < numbers {
        let (row, column) = (at / comptime!(kind.head), at % comptime!(kind.head));
        let mut sum = 0.0f32;
        // The weights of places after the last key are 0.
        for i in 0..comptime!(PIECE / VALUES) {
            let mut ahead = Array::<E>::new(comptime!(VALUES as usize));
            #[unroll]
            for j in 0..comptime!(VALUES) {
                let key = i * VALUES + comptime!(j);
                let from = first + select(key < count, key, 0u32) * places.value.row + column;
                ahead[comptime!(j as usize)] = read.value[from as usize];
            }
            #[unroll]
            for j in 0..comptime!(VALUES) {
                let key = i * VALUES + comptime!(j);
                let value = f32::cast_from(ahead[comptime!(j as usize)]);
                sum += scores[(row * PIECE + key) as usize] * value;
            }
        }
        let to = (group * comptime!(kind.rows) + row) * words.pieces + piece;
        sums[(to * comptime!(kind.head) + column) as usize] = sum;
        at += UNITS;
    }
}

/// Makes weights of the scores of each row, and writes the largest score and the sum of the weights; `first`
/// is the place of those of the first row, `stride` the way to the next one.
#[cube]
fn weigh(
    scores: &mut SharedMemory<f32>,
    shared: &mut SharedMemory<f32>,
    stats: &mut Array<f32>,
    first: u32,
    stride: u32,
    #[comptime] rows: u32,
) {
    let team = comptime!(Team { size: PIECE / 2, across: false });
    let teams = comptime!(UNITS / (PIECE / 2));
    let lane = UNIT_POS % comptime!(PIECE / 2);
    #[unroll]
    for step in 0..comptime!(rows.div_ceil(teams)) {
        let row = comptime!(step * teams) + UNIT_POS / comptime!(PIECE / 2);
        let is_row = row < rows;
        let low = select(is_row, row, 0u32) * PIECE + lane;
        let high = low + comptime!(PIECE / 2);
        let (a, b) = (scores[low as usize], scores[high as usize]);
        let largest = together(select(a < b, b, a), shared, team, Join::MAX);
        let (a, b) = (weight(a, largest), weight(b, largest));
        let sum = together(a + b, shared, team, Join::SUM);
        if is_row {
            scores[low as usize] = a;
            scores[high as usize] = b;
            if lane == 0u32 {
                let to = first + row * stride;
                stats[to as usize] = largest;
                stats[(to + 1u32) as usize] = sum;
            }
        }
    }
}

#[cube]
fn weight(score: f32, largest: f32) -> f32 {
    select(score <= HIDDEN, 0.0f32, (score - largest).exp())
}

/// Second kernel: what the pieces give together. A unit has an element of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Merge {
    head: u32,
}

launch_words! {
    struct MergeWords {
        /// Elements of the result.
        count: u32,
        pieces: u32,
    }
}

#[cube]
fn merge<E: Numeric, L: Numeric>(
    sums: &Array<f32>,
    stats: &Array<f32>,
    out: &mut Array<E>,
    log_sums: &mut Array<L>,
    words: &MergeWords,
    #[comptime] kind: Merge,
) {
    let at = ABSOLUTE_POS as u32;
    if at < words.count {
        let (row, column) = (at / comptime!(kind.head), at % comptime!(kind.head));
        let first = row * words.pieces;
        let rounds = (words.pieces + comptime!(PIECES - 1)) / PIECES;
        let mut largest = stats[(first * 2u32) as usize];
        let mut total = 0.0f32;
        let mut sum = 0.0f32;
        for round in 0..rounds {
            let mut maxima = Array::<f32>::new(comptime!(PIECES as usize));
            let mut weights = Array::<f32>::new(comptime!(PIECES as usize));
            let mut values = Array::<f32>::new(comptime!(PIECES as usize));
            let mut next = largest + 0.0f32;
            #[unroll]
            for j in 0..comptime!(PIECES) {
                let piece = round * PIECES + comptime!(j);
                let of = first + select(piece < words.pieces, piece, 0u32);
                maxima[comptime!(j as usize)] = stats[(of * 2u32) as usize];
                weights[comptime!(j as usize)] = stats[(of * 2u32 + 1u32) as usize];
                values[comptime!(j as usize)] = sums[(of * comptime!(kind.head) + column) as usize];
            }
            #[unroll]
            for j in 0..comptime!(PIECES as usize) {
                next = select(next < maxima[j], maxima[j], next);
            }
            let old = (largest - next).exp();
            total *= old;
            sum *= old;
            #[unroll]
            for j in 0..comptime!(PIECES) {
                let is_piece = round * PIECES + comptime!(j) < words.pieces;
                let factor = (maxima[comptime!(j as usize)] - next).exp();
                let factor = select(is_piece, factor, 0.0f32);
                total += factor * weights[comptime!(j as usize)];
                sum += factor * values[comptime!(j as usize)];
            }
            largest = next;
        }
        // A row that sees no key is 0, one with NaN is NaN.
        let is_seen = total != 0.0f32;
        let divisor = select(is_seen, total, 1.0f32);
        out[at as usize] = E::cast_from(select(is_seen, sum / divisor, 0.0f32));
        if column == 0u32 {
            log_sums[row as usize] = L::cast_from(select(is_seen, largest + divisor.ln(), 0.0f32));
        }
    }
}

impl Kernel for Pieces {
    const NAME: &'static str = "attention_pieces";
    // Places are those of views, and of keys that exist.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        body.scope.register_size::<W>(self.width as usize);
        let read = ReadExpand::<A, W> {
            query: body.array(0),
            key: body.array(1),
            value: body.array(2),
            // Without a mask the queries take its place; they are not read as such.
            mask: body.array(3),
        };
        let (sums, stats) = (body.array(4), body.array(5));
        let words = body.read::<PieceWords>();
        let places = OperandsExpand {
            key: body.read::<Places>(),
            value: body.read::<Places>(),
            mask: body.read::<Places>(),
        };
        if let Some(row) = self.prefetched {
            let arrays = [body.variable(1), body.variable(2)];
            let scope = &mut body.scope;
            let is_first = is_first::expand(scope);
            branch::if_expand(scope, is_first, |scope| {
                for (array, places) in arrays.iter().zip([places.key.clone(), places.value.clone()]) {
                    let first = first_row::expand(scope, words.clone(), places);
                    let bytes = bytes_of::expand(scope, words.clone(), row);
                    prefetch(scope, array, &first, &bytes);
                }
            });
            grid_dependency_wait(scope);
        }
        pieces::expand::<A, W>(&mut body.scope, read, sums, stats, places, words, *self);
    }
}

impl Kernel for Merge {
    const NAME: &'static str = "attention_merge";
    // Units look at the number of elements, and at that of pieces.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (sums, stats, out, log_sums) = (body.array(0), body.array(1), body.array(2), body.array(3));
        let words = body.read::<MergeWords>();
        merge::expand::<C, D>(&mut body.scope, sums, stats, out, log_sums, words, *self);
    }
}

/// See [`AttentionArgs`]; `None` where there are more queries, or operands that these kernels do not read.
pub fn attention(args: &AttentionArgs<CubeTensor>) -> Option<(CubeTensor, CubeTensor)> {
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    let (shape, key_shape) = (&query.spec().shape, &key.spec().shape);
    let (heads, head, keys) = (key_shape[1], shape[3], key_shape[2]);
    let rows = shape[1] / heads.max(1) * shape[2];
    let is_few =
        (1..=MOST_ROWS).contains(&rows) && rows * head <= MOST_NUMBERS && (1..=MOST_KEYS).contains(&keys);
    let is_single = matches!(query.dtype(), DType::F32 | DType::F16 | DType::BF16);
    let are_read = is_single && [key, value].iter().all(|x| has_vectors(x, query.dtype()));
    let is_known = mask.as_ref().is_none_or(|mask| mask.dtype() == DType::Bool) && !causal;
    let has_exp = Abilities::of(query.engine()).has_exp;
    if !is_few || !are_read || !is_known || !has_exp || *key_shape != value.spec().shape || shape[0] == 0 {
        return None;
    }
    let specs = output_specs(&Operation::Attention(Attention::Attention(Box::new(args.by_ref()))));
    let (out, log_sums) = specs.unwrap_or_else(|error| panic!("{error}")).two();
    let engine = query.engine();
    let [out, log_sums] = [out, log_sums].map(|spec| CubeTensor::empty(spec, engine));
    let pieces = keys.div_ceil(PIECE as usize);
    let groups = shape[0] * heads;
    let empty = |size| CubeTensor::empty(TensorSpec::new([groups * rows, pieces, size], DType::F32), engine);
    let (sums, stats) = (empty(head), empty(2));
    let width = width_of(query.dtype(), head);
    let has_mask = mask.is_some();
    let prefetched = prefetched_row_bytes([key, value]);
    let kernel = Pieces { rows: word(rows), head: word(head), width: word(width), has_mask, prefetched };
    let words = PieceWords {
        heads: word(heads),
        queries: word(shape[2]),
        keys: word(keys),
        pieces: word(pieces),
        scale: (*scale as f32).to_bits(),
    };
    let places =
        [Places::of(key, width), Places::of(value, 1), Places::of(mask.as_ref().unwrap_or(query), 1)];
    let words: Vec<u32> = words.words().into_iter().chain(places.iter().flat_map(Places::words)).collect();
    let query = contiguous(query.clone());
    let mask = mask.as_ref().unwrap_or(&query);
    let widths = vec![1, width, 1, 1, 1, 1];
    let (inputs, units) = ([&query, key, value, mask], CubeDim::new_1d(UNITS));
    launch_vectors(kernel, &inputs, &[&sums, &stats], widths, &words, groups * pieces, units);
    let count = groups * rows * head;
    let words = MergeWords { count: word(count), pieces: word(pieces) };
    launch(Merge { head: word(head) }, &[&sums, &stats], &[&out, &log_sums], &words.words(), count);
    Some((out, log_sums))
}

/// Bytes of a row of keys and of values, if they can be prefetched: contiguous rows of whole vectors.
fn prefetched_row_bytes(operands: [&CubeTensor; 2]) -> Option<u32> {
    let head = operands[0].spec().shape[3];
    let bytes = head * operands[0].dtype().size();
    let are_neighbours = |x: &CubeTensor| x.spec().shape[2] == 1 || x.strides()[2] == head;
    let is_whole = |x: &CubeTensor| {
        (x.offset() * x.dtype().size()).is_multiple_of(BYTES)
            && x.strides().iter().take(2).all(|stride| (stride * x.dtype().size()).is_multiple_of(BYTES))
    };
    let are_known = bytes.is_multiple_of(BYTES) && operands.iter().all(|x| are_neighbours(x) && is_whole(x));
    (dependent_launch::is_supported(operands[0].engine()) && are_known).then_some(word(bytes))
}

/// Elements of a vector of keys: those of 16 bytes, or half of them.
fn width_of(dtype: DType, head: usize) -> usize {
    let width = BYTES / dtype.size();
    if head.is_multiple_of(width) { width } else { width / 2 }
}

/// Whether the elements are of this type, and the last dimension can be read in vectors.
fn has_vectors(x: &CubeTensor, dtype: DType) -> bool {
    let shape = &x.spec().shape;
    let width = width_of(dtype, shape[3]);
    let reads = |d: usize| {
        shape[d] == 1 || x.strides()[d] < isize::MAX as usize && x.strides()[d].is_multiple_of(width)
    };
    let is_row = x.strides()[3] == 1 && shape[3].is_multiple_of(width) && shape[3] > 1;
    x.dtype() == dtype && is_row && x.offset().is_multiple_of(width) && (0..3).all(reads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;

    #[test]
    fn kernels_expand() {
        for (rows, head, width, dtype) in [(1, 64, 4, DType::F32), (12, 128, 8, DType::F16)] {
            for (has_mask, prefetched) in [(false, None), (true, Some(256))] {
                let mask = if has_mask { DType::Bool } else { DType::F32 };
                let inputs = [dtype, dtype, dtype, mask];
                let outputs = [DType::F32, DType::F32];
                let kernel = Pieces { rows, head, width, has_mask, prefetched };
                let widths = [1, width as usize, 1, 1, 1, 1];
                define(kernel, [&inputs, &outputs], &widths, 20);
            }
            let stats = [DType::F32, DType::F32];
            define(Merge { head }, [&stats, &[dtype, DType::F32]], &[1; 4], 2);
        }
    }
}
