use super::{Expected, matmul};
use crate::array::{Array, replace};
use crate::number::Number;
use crate::tolerance::{self, Tolerance};
use burn_backend::{
    DType, HasSpec, IntegerMatmulArgs, Packed, QuantizationLevel, QuantizationScheme, QuantizationType,
    QuantizeArgs, QuantizedMatmulArgs, Shape, TensorSpec,
};

/// A type as its definition: bits, and either the smallest integer of an affine scheme or the bits and the bias of an exponent.
enum Format {
    Integer { bits: u32 },
    Float { exponent: u32, bias: i32, codes: u8 },
}

fn format(value: QuantizationType) -> Format {
    match value {
        QuantizationType::QInt8 => Format::Integer { bits: 8 },
        QuantizationType::QInt4 => Format::Integer { bits: 4 },
        QuantizationType::QInt2 => Format::Integer { bits: 2 },
        QuantizationType::QFloat8E4M3 => Format::Float { exponent: 4, bias: 7, codes: 0x7E },
        QuantizationType::QFloat8E5M2 => Format::Float { exponent: 5, bias: 15, codes: 0x7B },
    }
}

/// The number with this code, without infinity and NaN.
fn float8(code: u8, exponent_bits: u32, bias: i32) -> f64 {
    let fraction_bits = 7 - exponent_bits;
    let exponent = i32::from(code >> fraction_bits) & ((1 << exponent_bits) - 1);
    let fraction = f64::from(code & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let size = if exponent == 0 {
        fraction * 2_f64.powi(1 - bias)
    } else {
        (1.0 + fraction) * 2_f64.powi(exponent - bias)
    };
    if code < 128 { size } else { -size }
}

/// Rounds to the type that quantization computes in: `f32`, also for half precision, or `f64`.
fn rounded(x: f64, dtype: DType) -> f64 {
    if dtype == DType::F64 { x } else { f64::from(x as f32) }
}

/// The index of the scale of the element at `index`.
fn group(scheme: QuantizationScheme, shape: &Shape, index: &[usize]) -> usize {
    match scheme.level {
        QuantizationLevel::Tensor => 0,
        QuantizationLevel::Channel(dim) => index[dim],
        QuantizationLevel::Block(size) => {
            let last = shape.rank() - 1;
            let row = shape[..last].iter().zip(index).fold(0, |row, (&size, &i)| row * size + i);
            row * (shape[last] / size) + index[last] / size
        }
    }
}

fn integer(list: &Option<Array>, at: usize) -> i128 {
    match list.as_ref().map(|list| list.values[at]) {
        Some(Number::Int(x)) => x,
        Some(Number::Float(_) | Number::Bool(_)) => panic!("a zero point is an integer"),
        None => 0,
    }
}

/// The bits of the number for `ratio`, the element divided by its scale.
fn code(scheme: QuantizationScheme, ratio: f64, zero: i128) -> u32 {
    match format(scheme.value) {
        Format::Integer { bits } => {
            let half = 1_i128 << (bits - 1);
            let low = if scheme.is_affine() { -half } else { 1 - half };
            let near = if ratio.is_nan() { 0.0 } else { ratio.round_ties_even().clamp(-1e6, 1e6) };
            ((near as i128 + zero).clamp(low, half - 1) & ((1 << bits) - 1)) as u32
        }
        Format::Float { .. } if ratio.is_nan() => 0x7F,
        Format::Float { exponent, bias, codes } => {
            let far = |code: u8| (float8(code, exponent, bias) - ratio.abs().min(1e6)).abs();
            let nearest = (0..=codes)
                .min_by(|&x, &y| far(x).partial_cmp(&far(y)).expect("numbers").then((x % 2).cmp(&(y % 2))));
            let code = u32::from(nearest.expect("there are numbers"));
            if ratio < 0.0 && code > 0 { code + 128 } else { code }
        }
    }
}

pub fn quantize(args: &QuantizeArgs<Array>) -> Expected {
    let QuantizeArgs { x, scale, zero, scheme } = args;
    let bits = scheme.value.bits();
    let mut words = vec![0_u32; (x.values.len() * bits).div_ceil(32)];
    for (at, index) in crate::array::indices(x.shape()).enumerate() {
        let group = group(*scheme, x.shape(), &index);
        let ratio = rounded(x.values[at].to_f64() / scale.values[group].to_f64(), x.dtype());
        words[at * bits / 32] |= code(*scheme, ratio, integer(zero, group)) << (at * bits % 32);
    }
    let values = words.iter().map(|&word| Number::Int((word as i32).into())).collect();
    let array = Array { spec: TensorSpec::new([words.len()], DType::I32), values };
    Expected { array, tolerance: Tolerance::Rounded }
}

/// The number of element `at`, less its zero point.
fn difference(x: &Packed<Array>, at: usize, group: usize) -> f64 {
    let bits = x.scheme.value.bits();
    let Number::Int(word) = x.values.values[at * bits / 32] else { panic!("words are integers") };
    let code = (word as u32) >> (at * bits % 32);
    match format(x.scheme.value) {
        Format::Integer { bits } => {
            let code = i128::from(code) & ((1 << bits) - 1);
            let number = if code >> (bits - 1) == 1 { code - (1 << bits) } else { code };
            (number - integer(&x.zero, group)) as f64
        }
        Format::Float { exponent, bias, codes } => {
            let code = code as u8;
            match code & 127 {
                size if size <= codes => float8(code, exponent, bias),
                0x7C if exponent == 5 => {
                    if code < 128 {
                        f64::INFINITY
                    } else {
                        f64::NEG_INFINITY
                    }
                }
                _ => f64::NAN,
            }
        }
    }
}

fn numbers(x: &Packed<Array>) -> Array {
    let mut at = 0..;
    Array::build(x.shape.clone(), x.scale.dtype(), |index| {
        let group = group(x.scheme, &x.shape, index);
        Number::Float(difference(x, at.next().expect("endless"), group) * x.scale.values[group].to_f64())
    })
}

pub fn dequantize(x: &Packed<Array>) -> Expected {
    Expected { array: numbers(x), tolerance: Tolerance::Rounded }
}

pub fn quantized_matmul(args: &QuantizedMatmulArgs<Array>) -> Expected {
    let Expected { mut array, tolerance } = matmul::matmul(&args.lhs, &numbers(&args.rhs));
    let dtype = args.lhs.dtype();
    array.spec.dtype = dtype;
    let Tolerance::Sum { mut magnitudes, terms } = tolerance else { unreachable!("a product is a sum") };
    // Weights may be rounded to half precision first: half a unit of each term, beside the sum's own steps.
    let unit = tolerance::epsilon(dtype);
    let inner = unit.min(tolerance::epsilon(DType::F32));
    let more = if unit > inner { unit / inner / (2.0 + (terms as f64).sqrt()) } else { 0.0 };
    magnitudes.iter_mut().for_each(|magnitude| *magnitude *= 1.0 + more);
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms } }
}

/// A sum of integers, rounded when it becomes a float and once or twice when scales multiply it.
pub fn integer_matmul(args: &IntegerMatmulArgs<Array>) -> Expected {
    let IntegerMatmulArgs { lhs, rhs } = args;
    let (depth, cols) = (lhs.shape[1], rhs.shape[1]);
    let shape = lhs.shape.with(1, cols);
    let array = Array::build(shape, lhs.scale.dtype(), |index| {
        let scale =
            |x: &Packed<Array>, index: &[usize]| x.scale.values[group(x.scheme, &x.shape, index)].to_f64();
        let term = |k: usize| {
            let (left, right) = (replace(index, 1, k), replace(index, 0, k));
            let number =
                |x: &Packed<Array>, at, index: &[usize]| difference(x, at, group(x.scheme, &x.shape, index));
            number(lhs, left[0] * depth + k, &left) * number(rhs, k * cols + right[1], &right)
        };
        let sum: f64 = (0..depth).map(term).sum();
        Number::Float(sum * scale(lhs, index) * scale(rhs, index))
    });
    Expected { array, tolerance: Tolerance::Ulps { ulps: 2.0, floor: 0.0 } }
}
