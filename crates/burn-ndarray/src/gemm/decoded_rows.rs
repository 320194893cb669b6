//! Products of a few rows with a matrix whose rows are decoded to floats as they are read, some columns at a
//! time.

use crate::gemm::product::{AddRows, STREAMS};
use crate::miri::shrink;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{HasSpec, TensorSpec};
use bytemuck::Pod;

/// Columns of a part, whose rows the first cache holds.
const WIDE: usize = shrink(512, 64);

/// Function that writes elements of a row from a column on.
pub type ReadRow<'a, E> = &'a (dyn Fn(usize, usize, &mut [E]) + Sync);

/// Multiplies contiguous `lhs` `[.., depth]` with a matrix of `cols` columns.
pub fn decoded_rows<E: Pod + Default + Send + Sync>(
    lhs: &NdTensor,
    read: ReadRow<'_, E>,
    cols: usize,
    add_rows: AddRows<E>,
) -> NdTensor {
    let (shape, rank) = (lhs.shape(), lhs.shape().rank());
    let depth = shape[rank - 1];
    let spec = TensorSpec { shape: shape.with(rank - 1, cols), dtype: lhs.dtype() };
    let (x, rows) = (lhs.slice::<E>(), lhs.len() / depth);
    NdTensor::with(spec, |out: &mut [E]| {
        out.fill(E::default());
        let start = Shared(out.as_mut_ptr());
        let size = cols.div_ceil(parallel::threads()).next_multiple_of(64).min(WIDE);
        parallel::for_ranges(cols.div_ceil(size), size * depth * (rows + 1), &|parts| {
            let mut place = [E::default(); STREAMS * WIDE];
            for part in parts {
                let (first, count) = (part * size, size.min(cols - part * size));
                for from in (0..depth).step_by(STREAMS) {
                    let last = STREAMS.min(depth - from) - 1;
                    for (k, row) in place.chunks_mut(WIDE).take(last + 1).enumerate() {
                        read(from + k, first, &mut row[..count]);
                    }
                    // Missing streams repeat the last row, multiplied by zero.
                    let ys = core::array::from_fn(|k| &place[k.min(last) * WIDE..][..count]);
                    for row in 0..rows {
                        let xs = core::array::from_fn(|k| match k <= last {
                            true => x[row * depth + from + k],
                            false => E::default(),
                        });
                        // SAFETY: the parts of rows do not overlap, and each is written by one thread.
                        let out = unsafe {
                            core::slice::from_raw_parts_mut(start.get().add(row * cols + first), count)
                        };
                        add_rows(out, xs, ys);
                    }
                }
            }
        });
    })
}
