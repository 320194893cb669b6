//! Attention of few queries, as when a language model decodes: keys and values are read once, where they are.
//!
//! Cubes share the keys of a head in pieces. The queries of all heads that share a key head are the rows of a
//! cube; each piece leaves its maximum, its sum and its sums of values, which a second kernel merges
//! (Flash-Decoding, Dao et al., 2023).

mod cached;
mod merge;
mod pieces;

use crate::device::arithmetic::Abilities;
use crate::device::engine::Engine;
use crate::launch::dependent_launch::Start;
use crate::launch::kernel::{UNITS, launch, launch_vectors};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, word};
use crate::ops::layout::{contiguous, writable};
use burn_backend::*;
use cached::{CacheWords, CachedPieces};
use cubecl::CubeDim;
use merge::{Merge, MergeWords};
use pieces::{PIECE, PieceWords, Pieces, Places};

/// Arrays of the kernel that writes a cache.
const BINDINGS: usize = 10;
/// Bytes of a vector of keys.
const BYTES: usize = 16;
/// Rows of a cube at most, and numbers of their queries: what shared memory holds on every device.
const MOST_ROWS: usize = 32;
const MOST_NUMBERS: usize = 2048;
/// Keys at most: the merge of more pieces takes as long as the pieces.
const MOST_KEYS: usize = 16_384;

/// See [`AttentionArgs`]; `None` where there are more queries, or operands that these kernels do not read.
pub fn attention(args: &AttentionArgs<CubeTensor>) -> Option<(CubeTensor, CubeTensor)> {
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    let sizes = Sizes::of([query, key, value], mask.as_ref()).filter(|_| !causal)?;
    let specs = output_specs(&Operation::Attention(Attention::Attention(Box::new(args.by_ref()))));
    let (out, log_sums) = specs.unwrap_or_else(|error| panic!("{error}")).two();
    let engine = query.engine();
    let [out, log_sums] = [out, log_sums].map(|spec| CubeTensor::empty(spec, engine));
    let [sums, stats] = sizes.partial_results(engine);
    let mut kernel = sizes.kernel(mask.is_some());
    kernel.is_staged = kernel.staged_bytes(sizes.element) <= engine.hardware().max_shared_memory_size;
    let width = kernel.width as usize;
    let values = if kernel.is_staged { width } else { 1 };
    let mut words = sizes.words(*scale);
    for (x, width) in [(key, width), (value, values), (mask.as_ref().unwrap_or(query), 1)] {
        words.extend(Places::of(x, width).words());
    }
    let query = contiguous(query.clone());
    let mask = mask.as_ref().unwrap_or(&query);
    let widths = vec![1, width, values, 1, 1, 1];
    let (inputs, units) = ([&query, key, value, mask], CubeDim::new_1d(UNITS));
    launch_vectors(kernel, &inputs, &[&sums, &stats], widths, &words, sizes.cubes(), units);
    sizes.merge([&sums, &stats], [&out, &log_sums]);
    Some((out, log_sums))
}

/// See [`CachedAttentionArgs`]; by `otherwise` where these kernels do not read the operands.
pub fn cached_attention(
    args: CachedAttentionArgs<CubeTensor>,
    otherwise: impl FnOnce(CachedAttentionArgs<CubeTensor>) -> (CubeTensor, CubeTensor, CubeTensor),
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let (key, value) = (writable(args.attention.key), writable(args.attention.value));
    let args = CachedAttentionArgs { attention: AttentionArgs { key, value, ..args.attention }, ..args };
    match in_pieces(&args) {
        Some(context) => (context, args.attention.key, args.attention.value),
        None => otherwise(args),
    }
}

/// The contexts of a step, whose caches can be written.
fn in_pieces(args: &CachedAttentionArgs<CubeTensor>) -> Option<CubeTensor> {
    let AttentionArgs { query, key: key_cache, value: value_cache, mask, scale, .. } = &args.attention;
    let (engine, shape) = (query.engine(), &query.spec().shape);
    let [sequences, heads, size] = [0, 1, 3].map(|dim| shape[dim]);
    let rows = contiguous(query.clone());
    let keys = [key_cache, value_cache].map(|cache| {
        let strides = cache.strides();
        let own = [args.step * strides[1], strides[0], strides[1], strides[2]];
        let shape = Shape::from([sequences, cache.spec().shape[0], args.keys, size]);
        cache.clone().view(shape, own.into_iter().collect(), cache.offset() + args.start * strides[1])
    });
    let sizes = Sizes::of([&rows, &keys[0], &keys[1]], mask.as_ref())?;
    let pieces = sizes.kernel(mask.is_some());
    // The new rows are in shared memory too.
    let bytes = pieces.staged_bytes(sizes.element) + 2 * size * sizes.element;
    let hardware = engine.hardware();
    // Words are an argument too.
    if bytes > hardware.max_shared_memory_size || BINDINGS + 1 > hardware.max_bindings as usize {
        return None;
    }
    let kernel = CachedPieces {
        pieces,
        rotated: word(args.rotation.spec().shape[2]),
        interleaved: args.interleaved,
        start: Start::of(&keys),
    };
    let width = pieces.width as usize;
    let mut words = sizes.words(*scale);
    for (x, width) in [(&keys[0], width), (&keys[1], width), (mask.as_ref().unwrap_or(&rows), 1)] {
        words.extend(Places::of(x, width).words());
    }
    let positions = key_cache.spec().shape[1];
    let cache = CacheWords { first: word(args.start), step: word(args.step), positions: word(positions) };
    words.extend(cache.words());
    let new = [&args.places, &args.key, &args.value, &args.rotation].map(|x| contiguous(x.clone()));
    let inputs: Vec<&CubeTensor> =
        std::iter::once(&rows).chain(&new).chain([mask.as_ref().unwrap_or(&rows)]).collect();
    let [sums, stats] = sizes.partial_results(engine);
    let outputs = [key_cache, value_cache, &sums, &stats];
    let widths = [&[1; 6][..], &[width, width, 1, 1]].concat();
    launch_vectors(kernel, &inputs, &outputs, widths, &words, sizes.cubes(), CubeDim::new_1d(UNITS));
    let out = CubeTensor::empty(query.spec().clone(), engine);
    let log_sums = CubeTensor::empty(TensorSpec::new([sequences, heads], DType::F32), engine);
    sizes.merge([&sums, &stats], [&out, &log_sums]);
    Some(out)
}

/// Sizes of a call.
struct Sizes {
    batch: usize,
    key_heads: usize,
    queries: usize,
    /// Queries of all heads that share a key head.
    rows: usize,
    head: usize,
    keys: usize,
    /// Bytes of an element.
    element: usize,
}

impl Sizes {
    /// Those of queries, keys and values of four dimensions; `None` where these kernels do not read them.
    fn of([query, key, value]: [&CubeTensor; 3], mask: Option<&CubeTensor>) -> Option<Self> {
        let (shape, key_shape) = (&query.spec().shape, &key.spec().shape);
        let (key_heads, head, keys) = (key_shape[1], shape[3], key_shape[2]);
        let rows = shape[1] / key_heads.max(1) * shape[2];
        let is_few =
            (1..=MOST_ROWS).contains(&rows) && rows * head <= MOST_NUMBERS && (1..=MOST_KEYS).contains(&keys);
        let is_single = matches!(query.dtype(), DType::F32 | DType::F16 | DType::BF16);
        let are_read = is_single && [key, value].iter().all(|x| has_vectors(x, query.dtype()));
        let is_known = mask.is_none_or(|mask| mask.dtype() == DType::Bool);
        let has_exp = Abilities::of(query.engine()).has_exp;
        let is_read = is_few && are_read && is_known && has_exp && *key_shape == value.spec().shape;
        let (batch, queries, element) = (shape[0], shape[2], query.dtype().size());
        (is_read && batch > 0).then_some(Sizes { batch, key_heads, queries, rows, head, keys, element })
    }

    fn pieces(&self) -> usize {
        self.keys.div_ceil(PIECE as usize)
    }

    fn cubes(&self) -> usize {
        self.batch * self.key_heads * self.pieces()
    }

    /// Room for the sums of pieces, and for their maxima and weights.
    fn partial_results(&self, engine: &'static dyn Engine) -> [CubeTensor; 2] {
        let rows = self.batch * self.key_heads * self.rows;
        [self.head, 2]
            .map(|size| CubeTensor::empty(TensorSpec::new([rows, self.pieces(), size], DType::F32), engine))
    }

    /// The kernel of pieces that are staged.
    fn kernel(&self, has_mask: bool) -> Pieces {
        let width = width_of(self.element, self.head);
        Pieces { rows: word(self.rows), head: word(self.head), width: word(width), has_mask, is_staged: true }
    }

    fn words(&self, scale: f64) -> Vec<u32> {
        let words = PieceWords {
            heads: word(self.key_heads),
            queries: word(self.queries),
            keys: word(self.keys),
            pieces: word(self.pieces()),
            scale: (scale as f32).to_bits(),
        };
        words.words()
    }

    /// Launches the second kernel.
    fn merge(&self, pieces: [&CubeTensor; 2], results: [&CubeTensor; 2]) {
        let count = self.batch * self.key_heads * self.rows * self.head;
        let words = MergeWords { count: word(count), pieces: word(self.pieces()) };
        launch(Merge { head: word(self.head) }, &pieces, &results, &words.words(), count);
    }
}

/// Elements of a vector of keys: those of 16 bytes, or half of them.
fn width_of(element: usize, head: usize) -> usize {
    let width = BYTES / element;
    if head.is_multiple_of(width) { width } else { width / 2 }
}

/// Whether the elements are of this type, and the last dimension can be read in vectors.
fn has_vectors(x: &CubeTensor, dtype: DType) -> bool {
    let shape = &x.spec().shape;
    let width = width_of(dtype.size(), shape[3]);
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
            for (has_mask, is_staged) in [(false, false), (true, true), (false, true)] {
                let mask = if has_mask { DType::Bool } else { DType::F32 };
                let inputs = [dtype, dtype, dtype, mask];
                let outputs = [DType::F32, DType::F32];
                let kernel = Pieces { rows, head, width, has_mask, is_staged };
                let values = if is_staged { width as usize } else { 1 };
                let widths = [1, width as usize, values, 1, 1, 1];
                define(kernel, [&inputs, &outputs], &widths, 20);
            }
            let cached = [dtype, DType::I32, dtype, dtype, dtype, DType::Bool];
            let written = [dtype, dtype, DType::F32, DType::F32];
            let widths = [&[1; 6][..], &[width as usize; 2], &[1; 2]].concat();
            for (rotated, interleaved, start) in [(head, true, Start::BeforeWait), (0, false, Start::AtOnce)]
            {
                let pieces = Pieces { rows, head, width, has_mask: true, is_staged: true };
                let kernel = CachedPieces { pieces, rotated, interleaved, start };
                define(kernel, [&cached, &written], &widths, 23);
            }
            let stats = [DType::F32, DType::F32];
            define(Merge { head }, [&stats, &[dtype, DType::F32]], &[1; 4], 2);
        }
    }
}
