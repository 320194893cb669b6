//! Products of a few rows with a large matrix of half precision, which is widened to `f32` in parts that a cache holds: memory is
//! read once, and no `f32` copy of the matrix is written.

use crate::elements::dtype::{load_bf16, load_f16};
use crate::gemm::decoded_rows::decoded_rows;
use crate::gemm::few_rows::{add_rows_f32, dots_f32};
use crate::gemm::product::Matrix;
use crate::kernels::cast::cast;
use crate::memory::list;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, HasSpec, Shape, TensorSpec};

/// Rows up to which this is faster than a product in blocks.
const FEW: usize = 8;
/// Elements of a matrix from which on a copy of it costs more than the product.
const LARGE: usize = 1 << 16;
/// Elements that are widened at a time, unless a column has more.
const PART: usize = 1 << 13;
/// Columns that are multiplied together.
const TOGETHER: usize = 8;

/// The product, of this shape, if it is one of a few rows with a large matrix of half precision.
pub fn half_rows(lhs: &NdTensor, rhs: &NdTensor, shape: &Shape) -> Option<NdTensor> {
    let widen = match rhs.dtype() {
        DType::F16 => load_f16,
        DType::BF16 => load_bf16,
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
    let line = |step: usize, index: usize, from: usize, len: usize| {
        // SAFETY: the elements lie within the matrix, and those of a line are neighbours.
        unsafe { core::slice::from_raw_parts(start.get().wrapping_add(index.wrapping_mul(step) + from), len) }
    };
    let x = cast(lhs.clone(), DType::F32).into_contiguous().reshaped(Shape::from([rows, depth]));
    let product = if col_step == 1 {
        let read = |row: usize, col: usize, out: &mut [f32]| widen(line(row_step, row, col, out.len()), out);
        decoded_rows(&x, &read, cols, add_rows_f32)
    } else if row_step == 1 {
        by_columns(&x, cols, &|col, out| widen(line(col_step, col, 0, depth), out))
    } else {
        return None;
    };
    Some(cast(product, rhs.dtype()).reshaped(shape.clone()))
}

/// Multiplies with columns that `read` writes.
fn by_columns(x: &NdTensor, cols: usize, read: &(dyn Fn(usize, &mut [f32]) + Sync)) -> NdTensor {
    let (rows, depth) = (x.shape()[0], x.shape()[1]);
    let x = x.slice::<f32>();
    NdTensor::with(TensorSpec::new([rows, cols], DType::F32), |out: &mut [f32]| {
        let start = Shared(out.as_mut_ptr());
        let size = (PART / depth).next_multiple_of(TOGETHER).max(TOGETHER);
        parallel::for_pieces(cols.div_ceil(size), size * depth * (rows + 1) / 4, &|pieces| {
            let mut place = list(0.0, size * depth);
            for part in pieces.flatten() {
                let (first, count) = (part * size, size.min(cols - part * size));
                for (k, column) in place.chunks_mut(depth).take(count).enumerate() {
                    read(first + k, column);
                }
                for row in 0..rows {
                    let columns = Matrix::new(place.as_ptr(), 1, depth);
                    // SAFETY: the row and the columns have `depth` elements, and each column of the result is written by one thread.
                    unsafe {
                        let out = start.get().add(row * cols + first);
                        dots_f32((count, depth), out, x[row * depth..].as_ptr(), columns);
                    }
                }
            }
        });
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::matmul::matmul;
    use crate::kernels::layout::permute;

    #[test]
    fn few_rows_times_a_matrix_of_half_precision_in_every_layout() {
        for dtype in [DType::F16, DType::BF16] {
            for [rows, depth, cols] in [[1, 640, 300], [3, 33, 2001], [8, 5000, 19], [2, 257, 256]] {
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
