//! Parts of tensors along a dimension, on the host.

use crate::group::CollectiveCall;
use crate::{CollectiveError, Part};
use burn_ir::{Shape, TensorData};
use core::ops::Range;
use std::sync::Arc;

/// Bytes of a tensor as `[outer, inner]` around a dimension, of which `inner` has that dimension and all
/// behind it.
fn outer_and_inner(data: &TensorData, dim: usize) -> (usize, usize) {
    let outer: usize = data.shape[..dim].iter().product();
    let inner: usize = data.shape[dim..].iter().product();
    (outer, inner * data.dtype.size())
}

/// Splits `len` elements into `count` ranges, which differ by one element at most.
pub fn even_ranges(len: usize, count: usize) -> Vec<Range<usize>> {
    let (each, more) = (len / count, len % count);
    let start = |index: usize| index * each + index.min(more);
    (0..count).map(|index| start(index)..start(index + 1)).collect()
}

/// Splits a tensor along `dim`, whose size `count` divides, into parts whose bytes are contiguous.
pub fn split_along(
    call: &CollectiveCall,
    data: TensorData,
    dim: usize,
    count: usize,
) -> Result<(Vec<Part>, Shape), CollectiveError> {
    let shape = data.shape.with(dim, data.shape[dim] / count);
    let (outer, inner) = outer_and_inner(&data, dim);
    let piece = inner / count;
    let data = if outer == 1 {
        data
    } else {
        let mut by_part = call.zeroed(data.shape.clone(), data.dtype)?;
        let (from, to) = (data.as_bytes(), by_part.as_mut_bytes());
        for part in 0..count {
            for row in 0..outer {
                let (source, target) = (row * inner + part * piece, (part * outer + row) * piece);
                to[target..target + piece].copy_from_slice(&from[source..source + piece]);
            }
        }
        by_part
    };
    let (data, bytes) = (Arc::new(data), outer * piece);
    let parts = (0..count).map(|part| Part::range(&data, part * bytes..(part + 1) * bytes)).collect();
    Ok((parts, shape))
}

/// Concatenates tensors of the spec of `own` along `dim`, given as their bytes.
pub fn concatenate_along(
    call: &CollectiveCall,
    own: &TensorData,
    parts: &[Part],
    dim: usize,
) -> Result<TensorData, CollectiveError> {
    let size = own.shape[dim].saturating_mul(parts.len());
    let mut all = call.zeroed(own.shape.with(dim, size), own.dtype)?;
    let (outer, inner) = outer_and_inner(own, dim);
    let to = all.as_mut_bytes();
    for (index, part) in parts.iter().enumerate() {
        for (row, bytes) in part.as_bytes().chunks_exact(inner.max(1)).take(outer).enumerate() {
            let target = (row * parts.len() + index) * inner;
            to[target..target + inner].copy_from_slice(bytes);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::even_ranges;

    #[test]
    fn even_ranges_cover_everything_once() {
        assert_eq!(even_ranges(7, 3), [0..3, 3..5, 5..7]);
        assert_eq!(even_ranges(1, 3), [0..1, 1..1, 1..1]);
        assert_eq!(even_ranges(0, 2), [0..0, 0..0]);
    }
}
