use super::decode::{Decoded, Decoder, decode};
use crate::elements::dtype::wide;
use crate::gemm::few_rows::{AddRows, STREAMS};
use crate::gemm::matmul::matmul;
use crate::gemm::product::Product;
use crate::kernels::cast::cast;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, HasSpec, QuantizedMatmulArgs, TensorSpec};

/// Rows up to which the weight is not written out: it is read as it lies, some rows of some columns at a time.
const FEW: usize = 8;
/// Columns of such a part, whose rows the first cache holds.
const WIDE: usize = 512;

pub fn quantized_matmul(args: QuantizedMatmulArgs<NdTensor>) -> NdTensor {
    let dtype = args.lhs.dtype();
    let computed = wide(dtype);
    let args = QuantizedMatmulArgs { lhs: cast(args.lhs, computed), ..args };
    let product =
        if computed == DType::F64 { typed::<f64>(args, computed) } else { typed::<f32>(args, computed) };
    cast(product, dtype)
}

fn typed<E: Product + Decoded>(args: QuantizedMatmulArgs<NdTensor>, dtype: DType) -> NdTensor {
    let QuantizedMatmulArgs { lhs, rhs } = args;
    let (depth, cols) = (rhs.shape[0], rhs.shape[1]);
    let is_few = depth > 0 && cols > 0 && lhs.len() <= FEW * depth;
    match E::ADD_ROWS {
        Some(add_rows) if is_few => {
            few(&lhs.into_contiguous(), &Decoder::<E>::new(rhs, dtype), cols, add_rows)
        }
        Some(_) | None => matmul(lhs, decode::<E>(rhs, dtype)),
    }
}

/// The product with a matrix that is decoded as it is read.
fn few<E: Product + Decoded>(
    lhs: &NdTensor,
    rhs: &Decoder<E>,
    cols: usize,
    add_rows: AddRows<E>,
) -> NdTensor {
    let (shape, rank) = (lhs.shape(), lhs.shape().rank());
    let depth = shape[rank - 1];
    let spec = TensorSpec { shape: shape.with(rank - 1, cols), dtype: lhs.dtype() };
    let (x, rows) = (lhs.slice::<E>(), lhs.len() / depth);
    NdTensor::with(spec, |out: &mut [E]| {
        out.fill(E::ZERO);
        let start = Shared(out.as_mut_ptr());
        let size = cols.div_ceil(parallel::threads()).next_multiple_of(64).min(WIDE);
        parallel::for_ranges(cols.div_ceil(size), size * depth * (rows + 1), &|parts| {
            let mut place = [E::ZERO; STREAMS * WIDE];
            for part in parts {
                let (first, count) = (part * size, size.min(cols - part * size));
                for from in (0..depth).step_by(STREAMS) {
                    let last = STREAMS.min(depth - from) - 1;
                    for (k, row) in place.chunks_mut(WIDE).take(last + 1).enumerate() {
                        rhs.read((from + k) * cols + first, &mut row[..count]);
                    }
                    // Missing streams repeat the last row, multiplied by zero.
                    let ys = core::array::from_fn(|k| &place[k.min(last) * WIDE..][..count]);
                    for row in 0..rows {
                        let xs = core::array::from_fn(|k| match k <= last {
                            true => x[row * depth + from + k],
                            false => E::ZERO,
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
