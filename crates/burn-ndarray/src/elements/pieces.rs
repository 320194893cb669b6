//! Kernels that compute narrow elements in a wider type, on a part of a tensor after the other: at most
//! [`most_bytes`] of each operand are widened at the same time, unless one entry of the first dimension has
//! more.

use crate::elements::dtype::wide;
use crate::kernels::cast::{cast, cast_to_part};
use crate::kernels::copy;
use crate::kernels::layout;
use crate::miri::shrink;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{HasSpec, Shape, TensorSpec};

/// Bytes of wide elements.
const PIECE: usize = shrink(4 << 20, 1 << 14);
/// Threads that share a piece: so many have enough to do with it, and caches that hold it.
const THREADS: usize = 4;

/// Bytes of a piece for the threads that there are.
fn most_bytes() -> usize {
    PIECE * parallel::threads().div_ceil(THREADS)
}

/// Applies `kernel` piece by piece along the first dimension, where each entry of the result depends only on
/// the same entry of the operands. The result has the dtype of the first operand; `kernel` gets a range of
/// entries, and the shape of their result, whose dtype may still be the wide one.
pub fn along_first<const N: usize>(
    operands: [NdTensor; N],
    shape: Shape,
    kernel: impl Fn([NdTensor; N], Shape) -> NdTensor,
) -> NdTensor {
    let dtype = operands[0].spec().dtype;
    let bytes = operands.iter().map(NdTensor::len).chain([shape.num_elements()]).max().unwrap_or(0);
    let bytes = bytes.saturating_mul(wide(dtype).size());
    let most = most_bytes();
    if wide(dtype) == dtype || bytes <= most || shape[0] < 2 {
        return cast(kernel(operands, shape), dtype);
    }
    let (count, strides) = (shape[0], shape.strides());
    let together = (most / bytes.div_ceil(count)).max(1);
    let mut out = NdTensor::new(TensorSpec { shape, dtype });
    for first in (0..count).step_by(together) {
        let end = count.min(first + together);
        let part = |x: &NdTensor| layout::narrow(x.clone(), 0, first..end);
        let shape = out.shape().with(0, end - first);
        let result = kernel(operands.each_ref().map(part), shape.clone());
        if result.spec().dtype == dtype {
            copy::assign(&mut out, &shape, &strides, first * strides[0], &result);
        } else {
            cast_to_part(&mut out, first * strides[0], &result.into_contiguous());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::DType;

    #[test]
    fn pieces_make_up_the_whole() {
        let piece = most_bytes();
        let shape = Shape::from([300, piece / 512]);
        let value = |i: usize| (i * 7919 % 253) as u8;
        let x = NdTensor::with::<u8>(TensorSpec::new(shape.clone(), DType::U8), |xs| {
            xs.iter_mut().enumerate().for_each(|(i, x)| *x = value(i));
        });
        for leaves_wide in [false, true] {
            let most = core::cell::Cell::new(0);
            let y = along_first([x.clone()], shape.clone(), |[x], shape| {
                assert_eq!(*x.shape(), shape);
                most.set(most.get().max(x.len() * 8));
                let wide = cast(x, DType::U64);
                if leaves_wide { wide } else { cast(wide, DType::U8) }
            });
            assert!(most.get() <= piece && most.get() > piece / 2, "{} bytes", most.get());
            assert_eq!(y.dtype(), DType::U8);
            assert!(y.slice::<u8>().iter().enumerate().all(|(i, &y)| y == value(i)));
        }
    }
}
