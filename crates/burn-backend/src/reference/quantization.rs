//! Quantized tensors in whole numbers of 32 bits.

use super::precision::{narrow, wide};
use crate::{Backend, ops};
use alloc::vec::Vec;
use burn_ir::{
    BinaryOp, CompareOp, DType, Dims, FLOAT8_NAN, Float8, HasSpec, IntegerMatmulArgs, Packed,
    QuantizationScheme, QuantizeArgs, QuantizedMatmulArgs, ReduceOp, Scalar, Shape, TensorData, TensorSpec,
    UnaryOp,
};

/// Returns a shape that groups consecutive elements with one scale: `[.., scales, step]`.
fn grouped(scheme: QuantizationScheme, shape: &Shape) -> [usize; 3] {
    let (step, count) = scheme.grid(shape);
    let outer = shape.num_elements().checked_div(step * count).unwrap_or(0);
    // Blocks of an empty tensor may be larger than any memory.
    [outer, count, step.min(shape.num_elements())]
}

/// Reshapes scales or zero points to broadcast with [`grouped`] elements.
fn beside<B: Backend>(list: B::Tensor) -> B::Tensor {
    let count = list.spec().shape[0];
    B::reshape(list, Shape::new([1, count, 1]))
}

/// Creates `count` integers from `start` on.
fn steps<B: Backend>(start: usize, step: i64, count: usize, device: &B::Device) -> B::Tensor {
    let spec = TensorSpec::new([count], DType::I32);
    B::reshape(B::range(spec, Scalar::Int(start as i64), Scalar::Int(step), device), Shape::new([1, count]))
}

/// Creates a tensor of these numbers.
fn given<B: Backend>(values: Vec<f64>, dtype: DType, device: &B::Device) -> B::Tensor {
    let count = values.len();
    B::from_data(TensorData::new(values, [count]).convert_dtype(dtype), device)
}

/// See [`QuantizationScheme`].
pub fn quantize<B: Backend>(args: QuantizeArgs<B::Tensor>) -> B::Tensor {
    let QuantizeArgs { x, scale, zero, scheme } = args;
    let shape = x.shape();
    let x = B::reshape(wide::<B>(x), grouped(scheme, &shape).into());
    let ratio = ops::div::<B>(x, beside::<B>(wide::<B>(scale)));
    let codes = match scheme.value.float8() {
        Some(format) => encode::<B>(format, ratio),
        None => {
            let dtype = ratio.dtype();
            let unknown = B::compare(CompareOp::NotEqual, ratio.clone(), ratio.clone());
            let rounded = B::mask_fill(B::unary(UnaryOp::Round, ratio), unknown, Scalar::Int(0));
            let moved = match zero {
                Some(zero) => ops::add::<B>(rounded, B::cast(beside::<B>(zero), dtype)),
                None => rounded,
            };
            let (low, high) = scheme.range();
            B::cast(B::clamp(moved, Some(Scalar::Float(low)), Some(Scalar::Float(high))), DType::I32)
        }
    };
    pack::<B>(codes, scheme, &shape)
}

/// Packs the numbers into words.
fn pack<B: Backend>(codes: B::Tensor, scheme: QuantizationScheme, shape: &Shape) -> B::Tensor {
    let (device, words, lanes) = (B::device(&codes), scheme.words(shape), scheme.value.per_word());
    let (count, bits) = (shape.num_elements(), scheme.value.bits());
    let rest = TensorSpec::new([words * lanes - count], DType::I32);
    let rest = B::full(rest, Scalar::Int(0), &device);
    let padded = B::cat([B::reshape(codes, Shape::new([count])), rest].into(), 0);
    let lone = B::binary_scalar(BinaryOp::And, padded, Scalar::Int((1 << bits) - 1));
    let lone = B::reshape(lone, Shape::new([words, lanes]));
    let placed = B::binary(BinaryOp::ShiftLeft, lone, steps::<B>(0, bits as i64, lanes, &device));
    // No two have a bit in common.
    B::reshape(B::reduce(ReduceOp::Sum, placed, Dims::from([1])), Shape::new([words]))
}

/// Unpacks the numbers of words, as a list; codes of floats are unsigned.
fn unpack<B: Backend>(values: B::Tensor, scheme: QuantizationScheme, shape: &Shape) -> B::Tensor {
    let (device, words, lanes) = (B::device(&values), scheme.words(shape), scheme.value.per_word());
    let bits = scheme.value.bits();
    let column = B::reshape(values, Shape::new([words, 1]));
    // To the top, and back with the sign.
    let top = steps::<B>(32 - bits, -(bits as i64), lanes, &device);
    let top = B::binary(BinaryOp::ShiftLeft, column, top);
    let codes = B::binary_scalar(BinaryOp::ShiftRight, top, Scalar::Int(32 - bits as i64));
    let codes = match scheme.value.float8() {
        Some(_) => B::binary_scalar(BinaryOp::And, codes, Scalar::Int(255)),
        None => codes,
    };
    let list = B::reshape(codes, Shape::new([words * lanes]));
    B::slice(list, core::iter::once(burn_ir::Slice::from(0..shape.num_elements())).collect())
}

/// Returns the numbers less their zero points, [`grouped`].
fn differences<B: Backend>(
    values: B::Tensor,
    zero: Option<B::Tensor>,
    scheme: QuantizationScheme,
    shape: &Shape,
) -> B::Tensor {
    let numbers = B::reshape(unpack::<B>(values, scheme, shape), grouped(scheme, shape).into());
    match zero {
        Some(zero) => ops::sub::<B>(numbers, beside::<B>(zero)),
        None => numbers,
    }
}

/// See [`QuantizationScheme`].
pub fn dequantize<B: Backend>(x: Packed<B::Tensor>) -> B::Tensor {
    let Packed { values, scale, zero, scheme, shape } = x;
    let (dtype, scale) = (scale.dtype(), beside::<B>(wide::<B>(scale)));
    let numbers = match scheme.value.float8() {
        Some(format) => {
            let codes = unpack::<B>(values, scheme, &shape);
            let table = (0..=255).map(|code| format.decode(code).into()).collect();
            let table = given::<B>(table, scale.dtype(), &B::device(&scale));
            B::reshape(B::select(table, 0, codes), grouped(scheme, &shape).into())
        }
        None => B::cast(differences::<B>(values, zero, scheme, &shape), scale.dtype()),
    };
    B::reshape(narrow::<B>(ops::mul::<B>(numbers, scale), dtype), shape)
}

/// Computes the product with the dequantized right side.
pub fn quantized_matmul<B: Backend>(args: QuantizedMatmulArgs<B::Tensor>) -> B::Tensor {
    let QuantizedMatmulArgs { lhs, rhs } = args;
    let rhs = narrow::<B>(B::dequantize(rhs), lhs.dtype());
    B::matmul(lhs, rhs)
}

/// Computes a product of integers, scaled by rows and columns.
pub fn integer_matmul<B: Backend>(args: IntegerMatmulArgs<B::Tensor>) -> B::Tensor {
    let IntegerMatmulArgs { lhs, rhs } = args;
    let dtype = lhs.scale.dtype();
    let numbers = |x: Packed<B::Tensor>| {
        let Packed { values, zero, scheme, shape, .. } = x;
        B::reshape(differences::<B>(values, zero, scheme, &shape), shape)
    };
    let side = |scale: &B::Tensor, shape: [usize; 2]| B::reshape(wide::<B>(scale.clone()), shape.into());
    let rows = side(&lhs.scale, [lhs.scale.spec().shape[0], 1]);
    let cols = side(&rhs.scale, [1, rhs.scale.spec().shape[0]]);
    let sums = B::matmul(numbers(lhs), numbers(rhs));
    let scales = ops::mul::<B>(rows, cols);
    let sums = B::cast(sums, scales.dtype());
    narrow::<B>(ops::mul::<B>(sums, scales), dtype)
}

/// Encodes numbers: the code is the number of code thresholds at or below each.
fn encode<B: Backend>(format: Float8, x: B::Tensor) -> B::Tensor {
    let (device, dtype, shape) = (B::device(&x), x.dtype(), x.shape());
    let column = B::reshape(x.clone(), Shape::new([shape.num_elements(), 1]));
    let begins = (0..format.largest().1).map(|code| {
        let at = |code| f64::from(format.decode(code));
        let middle = f64::midpoint(at(code), at(code + 1));
        // Round half to even: a midpoint above an odd code belongs to the next code, one above an even code
        // does not.
        match (code % 2, dtype) {
            (1, _) => middle,
            (_, DType::F64) => middle.next_up(),
            _ => f64::from((middle as f32).next_up()),
        }
    });
    let begins = given::<B>(begins.collect(), dtype, &device);
    let begins = B::reshape(begins, Shape::new([1, format.largest().1.into()]));
    let reached = B::compare(CompareOp::GreaterEqual, B::unary(UnaryOp::Abs, column), begins);
    let codes = B::reduce(ReduceOp::Sum, B::cast(reached, DType::I32), Dims::from([1]));
    let codes = B::reshape(codes, shape);
    let nothing = B::compare_scalar(CompareOp::Equal, codes.clone(), Scalar::Int(0));
    let negative = B::compare_scalar(CompareOp::Less, x.clone(), Scalar::Int(0));
    let sign = B::binary_scalar(BinaryOp::Mul, B::cast(negative, DType::I32), Scalar::Int(0x80));
    let signed = ops::add::<B>(codes, B::mask_fill(sign, nothing, Scalar::Int(0)));
    let unknown = B::compare(CompareOp::NotEqual, x.clone(), x);
    B::mask_fill(signed, unknown, Scalar::Int(FLOAT8_NAN.into()))
}
