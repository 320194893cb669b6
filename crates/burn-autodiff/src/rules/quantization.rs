use super::{B, Operand, Saves, Sink, Tensor};
use burn_backend::TypedCalls;
use burn_backend::ops::{mul, sum_dims, transpose};
use burn_backend::{Backend, BlockMatmulArgs, HasSpec, Packed, QuantizedMatmulArgs, Scalar, Shape};

/// Saved operands of a dequantization: words and zero points.
pub const DEQUANTIZE: Saves = Saves::Inputs(0b101);
/// Saved operands of a quantized matrix product: words, scales and zero points.
pub const QUANTIZED_MATMUL: Saves = Saves::Inputs(0b1110);

/// Computes the gradient of the scales: the sums of `grad` times the numbers less their zero points, which
/// are the values dequantized with a scale of 1.
pub fn dequantize(x: Packed<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let ones = B::full(x.scale.spec.clone(), Scalar::Int(1), &B::device(&grad));
    let values = sink.value(&x.values);
    let zero = x.zero.as_ref().map(|zero| sink.value(zero));
    sink.add(&x.scale, || {
        let (step, count) = x.scheme.grid(&x.shape);
        let numbers =
            B::dequantize(Packed { values, scale: ones, zero, scheme: x.scheme, shape: x.shape.clone() });
        let terms = mul::<B>(grad, numbers);
        let rest = terms.spec().shape.num_elements().checked_div(step * count).unwrap_or(0);
        let sums = sum_dims::<B>(B::reshape(terms, Shape::new([rest, count, step])), [0, 2].into());
        B::reshape(sums, Shape::new([count]))
    });
}

/// Computes the gradient of the left side: `grad` times the transposed weight. A gradient of the scales is
/// recorded in parts.
pub fn quantized_matmul(args: QuantizedMatmulArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let QuantizedMatmulArgs { lhs, rhs } = args;
    let rhs = rhs.map_ref(|x| sink.value(x));
    sink.add(&lhs, || {
        let weight = B::dequantize(rhs);
        let dtype = lhs.spec.dtype;
        let weight = if weight.dtype() == dtype { weight } else { B::cast(weight, dtype) };
        B::matmul(grad, transpose::<B>(weight))
    });
}

/// Computes the gradient of the left side: `grad` times the transposed weight, which is the same bytes.
pub fn block_matmul(args: BlockMatmulArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let BlockMatmulArgs { lhs, rhs } = args;
    let rhs = rhs.map_ref(|x| sink.value(x));
    sink.add(&lhs, || B::block_matmul(BlockMatmulArgs { lhs: grad, rhs: rhs.transpose() }));
}
