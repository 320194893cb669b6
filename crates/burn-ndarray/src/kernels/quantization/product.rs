use super::decode::{Decoded, Decoder, decode};
use crate::elements::dtype::wide;
use crate::gemm::decoded_rows::decoded_rows;
use crate::gemm::matmul::matmul;
use crate::gemm::product::Product;
use crate::kernels::cast::cast;
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, QuantizedMatmulArgs};

/// Rows up to which the weight is not written out: it is read as it lies, some rows of some columns at a
/// time.
const FEW: usize = 8;

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
            let rhs = Decoder::<E>::new(rhs, dtype);
            let read = |row: usize, col: usize, out: &mut [E]| rhs.read(row * cols + col, out);
            decoded_rows(&lhs.into_contiguous(), &read, cols, add_rows)
        }
        Some(_) | None => matmul(lhs, decode::<E>(rhs, dtype)),
    }
}
