//! Products of a few rows with a large matrix of half precision, which is widened to `f32` in registers or in
//! parts that a cache holds: memory is read once, and no `f32` copy of the matrix is written.

use crate::elements::dtype::{load_bf16, load_f16};
use crate::gemm::decoded_rows::decoded_rows;
use crate::gemm::few_rows::add_rows_f32;
use crate::kernels::cast::cast;
use crate::kernels::math::{brain_to_single, half_to_single};
use crate::miri::shrink;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, HasSpec, Shape, TensorSpec};
use core::slice;

/// Rows up to which this is faster than a product in blocks.
const FEW: usize = 8;
/// Elements of a matrix from which on a copy of it costs more than the product.
const LARGE: usize = shrink(1 << 16, 1 << 7);
/// Columns that are multiplied together, and lanes of the sums of each.
const TOGETHER: usize = 4;
const LANES: usize = 16;

/// Function that widens half-precision numbers, which are as many.
type Widen = fn(&[u16], &mut [f32]);

/// The product, of this shape, if it is one of a few rows with a large matrix of half precision.
pub fn half_rows(lhs: &NdTensor, rhs: &NdTensor, shape: &Shape) -> Option<NdTensor> {
    let (widen, dots): (Widen, Dots) = match rhs.dtype() {
        DType::F16 => (load_f16, dots_f16),
        DType::BF16 => (load_bf16, dots_bf16),
        DType::F64 | DType::F32 | DType::Bool => return None,
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => return None,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 => return None,
    };
    let rank = rhs.shape().rank();
    let (depth, cols) = (rhs.shape()[rank - 2], rhs.shape()[rank - 1]);
    let (rows, strides) = (lhs.len().checked_div(depth)?, rhs.strides());
    let [row_step, col_step] = [strides[rank - 2], strides[rank - 1]];
    let is_matrix = rhs.len() == depth * cols && rhs.len() >= LARGE;
    if !is_matrix || rows == 0 || rows > FEW {
        return None;
    }
    let start = Shared(rhs.start().cast::<u16>().cast_mut());
    let x = cast(lhs.clone(), DType::F32).into_contiguous().reshaped(Shape::from([rows, depth]));
    let product = if col_step == 1 {
        let read = |row: usize, col: usize, out: &mut [f32]| {
            let from = start.get().wrapping_add(row.wrapping_mul(row_step) + col);
            // SAFETY: the elements lie within the matrix, and those of a row are neighbours.
            widen(unsafe { slice::from_raw_parts(from, out.len()) }, out);
        };
        decoded_rows(&x, &read, cols, add_rows_f32)
    } else if row_step == 1 {
        by_columns(&x, Columns { start, step: col_step, depth }, cols, dots)
    } else {
        return None;
    };
    Some(cast(product, rhs.dtype()).reshaped(shape.clone()))
}

/// A matrix of half precision with neighbours along its columns.
#[derive(Clone, Copy)]
struct Columns {
    start: Shared<u16>,
    /// Elements from one column to the next.
    step: usize,
    depth: usize,
}

impl Columns {
    /// # Safety
    /// The column exists.
    unsafe fn get(&self, column: usize) -> &[u16] {
        // SAFETY: by the contract.
        unsafe {
            slice::from_raw_parts(self.start.get().wrapping_add(column.wrapping_mul(self.step)), self.depth)
        }
    }
}

/// Multiplies with columns, some at a time, so that each part of `x` is read once for all of them.
fn by_columns(x: &NdTensor, columns: Columns, cols: usize, dots: Dots) -> NdTensor {
    let (rows, depth) = (x.shape()[0], x.shape()[1]);
    let x = x.slice::<f32>();
    NdTensor::with(TensorSpec::new([rows, cols], DType::F32), |out: &mut [f32]| {
        let start = Shared(out.as_mut_ptr());
        // Eight products take about as long as an addition.
        let cost = (TOGETHER * depth * rows / 8).max(1);
        parallel::for_ranges(cols.div_ceil(TOGETHER), cost, &|parts| {
            for first in parts.map(|part| part * TOGETHER) {
                let count = TOGETHER.min(cols - first);
                // Missing columns repeat the last one, and their products are dropped.
                // SAFETY: these columns exist.
                let own = core::array::from_fn(|k| unsafe { columns.get(first + k.min(count - 1)) });
                for row in 0..rows {
                    let sums = dots(&x[row * depth..][..depth], own);
                    // SAFETY: each column of the result is written by one thread.
                    let out =
                        unsafe { slice::from_raw_parts_mut(start.get().add(row * cols + first), count) };
                    out.copy_from_slice(&sums[..count]);
                }
            }
        });
    })
}

/// Products of a row with columns.
type Dots = fn(&[f32], [&[u16]; TOGETHER]) -> [f32; TOGETHER];

macro_rules! dots {
    ($($name:ident = $body:ident, $widen:ident;)*) => {$(
        #[inline(always)]
        fn $body<const FMA: bool>(x: &[f32], columns: [&[u16]; TOGETHER]) -> [f32; TOGETHER] {
            let (xs, rest) = x.as_chunks::<LANES>();
            let columns = columns.map(|column| &column[..x.len()]);
            let parts = columns.map(|column| &column.as_chunks::<LANES>().0[..xs.len()]);
            let mut sums = [[0.0_f32; LANES]; TOGETHER];
            for (k, x) in xs.iter().enumerate() {
                for c in 0..TOGETHER {
                    for j in 0..LANES {
                        let y = $widen(parts[c][k][j]);
                        sums[c][j] = if FMA { x[j].mul_add(y, sums[c][j]) } else { x[j] * y + sums[c][j] };
                    }
                }
            }
            let mut totals = [0.0; TOGETHER];
            for c in 0..TOGETHER {
                for (x, y) in rest.iter().zip(&columns[c][xs.len() * LANES..]) {
                    totals[c] += x * $widen(*y);
                }
                let mut width = LANES;
                while width > 1 {
                    width /= 2;
                    for j in 0..width {
                        sums[c][j] += sums[c][j + width];
                    }
                }
                totals[c] += sums[c][0];
            }
            totals
        }
        dispatch! { fn $name(x: &[f32], columns: [&[u16]; TOGETHER]) -> [f32; TOGETHER] = $body }
    )*};
}
dots! {
    dots_f16 = dots_f16_body, half_to_single;
    dots_bf16 = dots_bf16_body, brain_to_single;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::matmul::matmul;
    use crate::kernels::layout::permute;

    #[test]
    fn few_rows_times_a_matrix_of_half_precision_in_every_layout() {
        for dtype in [DType::F16, DType::BF16] {
            for [rows, depth, cols] in shrink(
                [[1, 640, 300], [3, 33, 2001], [8, 5000, 19], [2, 257, 256]],
                [[1, 20, 9], [3, 2, 70], [8, 33, 5], [2, 17, 8]],
            ) {
                // Small whole numbers, whose sums both types and `f32` have, but for the last rounding.
                let fill = |shape: [usize; 2], seed: usize| {
                    NdTensor::with(TensorSpec::new(shape, DType::F32), |out: &mut [f32]| {
                        out.iter_mut().enumerate().for_each(|(i, x)| *x = ((i * seed) % 7) as f32 - 3.0);
                    })
                };
                let (x, w) = (fill([rows, depth], 3), fill([depth, cols], 5));
                let expected = cast(matmul(x.clone(), w.clone()), dtype);
                let (x, w) = (cast(x, dtype), cast(w, dtype));
                let turned = permute(permute(w.clone(), &[1, 0]).into_contiguous(), &[1, 0]);
                for w in [w, turned] {
                    let found = half_rows(&x, &w, expected.shape()).expect("it is of few rows");
                    assert_eq!(found.bytes(), expected.bytes(), "{dtype} {rows} {depth} {cols}");
                }
            }
        }
        let x = NdTensor::new(TensorSpec::new([9, 640], DType::BF16));
        let w = NdTensor::new(TensorSpec::new([640, 300], DType::BF16));
        assert!(half_rows(&x, &w, &Shape::from([9, 300])).is_none());
    }
}
