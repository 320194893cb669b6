//! Attention of few queries, as when a language model decodes: keys and values are read once, where they are.
//!
//! Cubes share the keys of a head in pieces. The queries of all heads that share a key head are the rows of a
//! cube; each piece leaves its maximum, its sum and its sums of values, which a second kernel merges
//! (Flash-Decoding, Dao et al., 2023).

mod merge;
mod pieces;

use crate::device::arithmetic::Abilities;
use crate::launch::kernel::{UNITS, launch, launch_vectors};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, word};
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::CubeDim;
use merge::{Merge, MergeWords};
use pieces::{PIECE, PieceWords, Pieces, Places};

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
    let element = query.dtype().size();
    let mut kernel =
        Pieces { rows: word(rows), head: word(head), width: word(width), has_mask, is_staged: true };
    kernel.is_staged = kernel.staged_bytes(element) <= engine.hardware().max_shared_memory_size;
    let words = PieceWords {
        heads: word(heads),
        queries: word(shape[2]),
        keys: word(keys),
        pieces: word(pieces),
        scale: (*scale as f32).to_bits(),
    };
    let values = if kernel.is_staged { width } else { 1 };
    let places =
        [Places::of(key, width), Places::of(value, values), Places::of(mask.as_ref().unwrap_or(query), 1)];
    let words: Vec<u32> = words.words().into_iter().chain(places.iter().flat_map(Places::words)).collect();
    let query = contiguous(query.clone());
    let mask = mask.as_ref().unwrap_or(&query);
    let widths = vec![1, width, values, 1, 1, 1];
    let (inputs, units) = ([&query, key, value, mask], CubeDim::new_1d(UNITS));
    launch_vectors(kernel, &inputs, &[&sums, &stats], widths, &words, groups * pieces, units);
    let count = groups * rows * head;
    let words = MergeWords { count: word(count), pieces: word(pieces) };
    launch(Merge { head: word(head) }, &[&sums, &stats], &[&out, &log_sums], &words.words(), count);
    Some((out, log_sums))
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
            for (has_mask, is_staged) in [(false, false), (true, true), (false, true)] {
                let mask = if has_mask { DType::Bool } else { DType::F32 };
                let inputs = [dtype, dtype, dtype, mask];
                let outputs = [DType::F32, DType::F32];
                let kernel = Pieces { rows, head, width, has_mask, is_staged };
                let values = if is_staged { width as usize } else { 1 };
                let widths = [1, width as usize, values, 1, 1, 1];
                define(kernel, [&inputs, &outputs], &widths, 20);
            }
            let stats = [DType::F32, DType::F32];
            define(Merge { head }, [&stats, &[dtype, DType::F32]], &[1; 4], 2);
        }
    }
}
