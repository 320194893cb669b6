//! A linear function along one dimension, as a product with a constant matrix.

use super::lowering::Lowering;
use burn_capture::Value;
use burn_ir::TensorData;

/// Each element along `dim` of `name`, which has the rank and the element type of `like`, becomes the sum of
/// all elements times `weight(from, into)`.
pub(super) fn multiply(
    to: &mut Lowering<'_>,
    name: &str,
    like: Value,
    dim: usize,
    input: usize,
    output: usize,
    weight: impl Fn(usize, usize) -> f64,
) -> String {
    let (rank, dtype) = (to.rank(like), to.dtype(like));
    let weights: Vec<f64> = (0..input * output).map(|at| weight(at / output, at % output)).collect();
    let matrix = TensorData::new(weights, [input, output]).convert_dtype(dtype);
    let matrix = to.writer.constant(matrix);
    let mut swap: Vec<usize> = (0..rank).collect();
    swap.swap(dim, rank - 1);
    if dim + 1 == rank {
        return to.op("MatMul", [name, &matrix]);
    }
    let last = to.transpose(name, swap.iter().copied());
    let product = to.op("MatMul", [&last, &matrix]);
    to.transpose(&product, swap)
}
