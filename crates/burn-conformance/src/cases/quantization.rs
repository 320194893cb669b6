use super::{Emit, floats};
use crate::Case;
use crate::input::{Input, MemoryLayout, list, ordinary, spread};
use crate::number::Number;
use burn_backend::{
    DType, IntegerMatmulArgs, Operation, Packed, QuantizationLevel, QuantizationMode, QuantizationScheme,
    QuantizationType, QuantizeArgs, Quantized, QuantizedMatmulArgs, Shape,
};

/// Every type in every mode that it has.
fn kinds() -> impl Iterator<Item = (QuantizationType, QuantizationMode)> {
    let symmetric = QuantizationType::ALL.map(|value| (value, QuantizationMode::Symmetric));
    let affine = [QuantizationType::QInt8, QuantizationType::QInt4, QuantizationType::QInt2];
    symmetric.into_iter().chain(affine.map(|value| (value, QuantizationMode::Affine)))
}

/// Every scheme, with shapes that it divides: with whole words and rows, and without; with elements and without.
fn schemes() -> Vec<(QuantizationScheme, Shape)> {
    use QuantizationLevel::*;
    let layouts: [(QuantizationLevel, Shape); 15] = [
        (Tensor, [].into()),
        (Tensor, [1].into()),
        (Tensor, [37].into()),
        (Tensor, [2, 0, 3].into()),
        (Tensor, [5, 9].into()),
        (Tensor, [16, 32].into()),
        (Channel(0), [5, 9].into()),
        (Channel(1), [5, 9].into()),
        (Channel(1), [2, 3, 4, 5].into()),
        (Channel(2), [3, 2, 16].into()),
        (Channel(0), [0, 4].into()),
        (Channel(0), [4, 0].into()),
        (Block(3), [5, 9].into()),
        (Block(16), [3, 2, 32].into()),
        (Block(2), [3, 0].into()),
    ];
    let of = |(value, mode): (_, QuantizationMode)| {
        layouts.clone().map(|(level, shape)| (QuantizationScheme { value, level, mode }, shape))
    };
    kinds().flat_map(of).collect()
}

fn name(scheme: QuantizationScheme, shape: &Shape) -> String {
    let mode = if scheme.is_affine() { "affine" } else { "symmetric" };
    format!("{} {mode}, {:?}, {shape:?}", scheme.value.name(), scheme.level)
}

/// Scales of different sizes, so that numbers fill the range and leave it, and zero points on both sides of zero.
pub fn parameters(scheme: QuantizationScheme, shape: &Shape, dtype: DType) -> (Input, Option<Input>) {
    let count = scheme.scales(shape);
    let (low, high) = scheme.range();
    let scale = spread([count], dtype, 2.25 / high, 4.5 / high);
    let zeros: Vec<Number> = (0..count)
        .map(|i| Number::Int([0.0, low, 1.0, -1.0, high, (low / 3.0).trunc()][i % 6] as i128))
        .collect();
    (scale, scheme.is_affine().then(|| list(&zeros, DType::I32)))
}

/// A quantized tensor with words of every pattern.
pub fn packed(scheme: QuantizationScheme, shape: impl Into<Shape>, dtype: DType) -> Packed<Input> {
    let shape = shape.into();
    let (scale, zero) = parameters(scheme, &shape, dtype);
    let (most, is_float) = (scheme.words(&shape), scheme.value.float8().is_some());
    let mixed = |i: usize| (i as u32 + 1).wrapping_mul(0x9E37_79B9).rotate_left(i as u32 % 32);
    // Codes with all bits set are no numbers: the third bit of the exponent is left out.
    let word = |i: usize| if is_float { mixed(i) & 0xDFDF_DFDF } else { mixed(i) };
    let words: Vec<Number> = (0..most).map(|i| Number::Int((word(i) as i32).into())).collect();
    Packed { values: list(&words, DType::I32), scale, zero, scheme, shape }
}

pub fn quantize(emit: Emit<'_>) {
    let mut of = |name: String, x: Input, scheme: QuantizationScheme| {
        let dtype = x.data.dtype;
        let (scale, zero) = parameters(scheme, &x.data.shape, dtype);
        let args = QuantizeArgs { x, scale, zero, scheme };
        emit(Case::new(name, dtype, Operation::Quantized(Quantized::Quantize(Box::new(args)))));
    };
    for dtype in floats() {
        for (scheme, shape) in schemes() {
            of(name(scheme, &shape), spread(shape, dtype, -4.0, 5.0), scheme);
        }
        for (value, mode) in kinds() {
            let scheme = QuantizationScheme { value, level: QuantizationLevel::Tensor, mode };
            for layout in MemoryLayout::ALL {
                let x = ordinary([5, 9], dtype).laid_out(layout);
                of(format!("{}, {layout:?}", name(scheme, &[5, 9].into())), x, scheme);
            }
            let rare = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 60_000.0, -60_000.0, 1e-4];
            of(format!("{}, rare", name(scheme, &[8].into())), list(&rare.map(Number::Float), dtype), scheme);
        }
    }
    for (value, mode) in kinds() {
        for level in [QuantizationLevel::Channel(1), QuantizationLevel::Block(1)] {
            let scheme = QuantizationScheme { value, level, mode };
            of(
                format!("{}, large", name(scheme, &[331, 211].into())),
                ordinary([331, 211], DType::F32),
                scheme,
            );
        }
    }
    for (value, mode) in kinds() {
        emit(halves(value, mode));
    }
}

/// Quotients in the middle between two numbers, and next to it.
fn halves(value: QuantizationType, mode: QuantizationMode) -> Case {
    let scheme = QuantizationScheme { value, level: QuantizationLevel::Tensor, mode };
    let mut values = Vec::new();
    for at in 0..300_i16 {
        let middle = match value.float8() {
            None => f64::from(at - 150) + 0.5,
            Some(format) => {
                let code = (at.min(253) / 2) as u8;
                let near = |code| f64::from(format.decode(code));
                f64::midpoint(near(code), near(code + 1)) * if at % 2 == 0 { 1.0 } else { -1.0 }
            }
        };
        let middle = if middle.is_finite() { middle as f32 } else { 1.0 };
        values.extend([middle, middle.next_up(), middle.next_down()].map(|x| f64::from(x) * 0.5));
    }
    let values: Vec<Number> = values.into_iter().map(Number::Float).collect();
    let x = list(&values, DType::F32);
    let zero = scheme.is_affine().then(|| list(&[Number::Int(1)], DType::I32));
    let args = QuantizeArgs { x, scale: list(&[Number::Float(0.5)], DType::F32), zero, scheme };
    let name = format!("{}, halves", name(scheme, &[900].into()));
    Case::new(name, DType::F32, Operation::Quantized(Quantized::Quantize(Box::new(args))))
}

pub fn dequantize(emit: Emit<'_>) {
    for dtype in floats() {
        for (scheme, shape) in schemes() {
            let (name, x) = (name(scheme, &shape), packed(scheme, shape, dtype));
            emit(Case::new(name, dtype, Operation::Quantized(Quantized::Dequantize(Box::new(x)))));
        }
    }
    for (value, mode) in kinds() {
        for level in [QuantizationLevel::Channel(1), QuantizationLevel::Block(1)] {
            let (scheme, shape) = (QuantizationScheme { value, level, mode }, Shape::new([331, 211]));
            let name = format!("{}, large", name(scheme, &shape));
            emit(Case::new(
                name,
                DType::F32,
                Operation::Quantized(Quantized::Dequantize(Box::new(packed(scheme, shape, DType::F32)))),
            ));
        }
        if value.float8().is_some() {
            let scheme = QuantizationScheme { value, level: QuantizationLevel::Tensor, mode };
            let words = (0..64).map(|i| Number::Int((0x0302_0100 + i * 0x0404_0404_i64) as i32 as i128));
            let values = list(&words.collect::<Vec<_>>(), DType::I32);
            let scale = list(&[Number::Float(1.5)], DType::F32);
            let x = Packed { values, scale, zero: None, scheme, shape: [256].into() };
            let name = format!("{}, every code", value.name());
            emit(Case::new(name, DType::F32, Operation::Quantized(Quantized::Dequantize(Box::new(x)))));
        }
        for layout in MemoryLayout::ALL {
            let scheme = QuantizationScheme { value, level: QuantizationLevel::Channel(0), mode };
            let x = packed(scheme, [6, 16], DType::F32).map(|x| x.laid_out(layout));
            let name = format!("{}, {layout:?}", name(scheme, &[6, 16].into()));
            emit(Case::new(name, DType::F32, Operation::Quantized(Quantized::Dequantize(Box::new(x)))));
        }
    }
}

pub fn quantized_matmul(emit: Emit<'_>) {
    use QuantizationLevel::*;
    let mut of = |lhs: Input, rhs: Packed<Input>, more: &str| {
        let (shape, dtype) = (lhs.data.shape.clone(), lhs.data.dtype);
        let name = format!("{shape:?} by {}{more}", name(rhs.scheme, &rhs.shape));
        let args = QuantizedMatmulArgs { lhs, rhs };
        emit(Case::new(name, dtype, Operation::Quantized(Quantized::QuantizedMatmul(Box::new(args)))));
    };
    // Few rows and many, one column and many, words that end within rows, no elements.
    let shapes: [(&[usize], [usize; 2]); 10] = [
        (&[1, 7], [7, 5]),
        (&[1, 64], [64, 48]),
        (&[3, 33], [33, 12]),
        (&[2, 3, 9], [9, 16]),
        (&[40, 20], [20, 21]),
        (&[5, 8], [8, 1]),
        (&[0, 4], [4, 8]),
        (&[3, 0], [0, 8]),
        (&[3, 4], [4, 0]),
        (&[2, 2, 2, 35], [35, 3]),
    ];
    for dtype in floats() {
        for (value, mode) in kinds() {
            for (lhs, [rows, cols]) in shapes {
                let block = if cols % 16 == 0 { 16 } else { 1 };
                let levels = [Tensor, Channel(0), Channel(1), Block(block)];
                // Half precision differs in how elements are read and written.
                let count = if matches!(dtype, DType::F16 | DType::BF16) { 1 } else { levels.len() };
                for level in levels.into_iter().rev().take(count) {
                    let rhs = packed(QuantizationScheme { value, level, mode }, [rows, cols], dtype);
                    of(ordinary(lhs, dtype), rhs, "");
                }
            }
        }
    }
    for (value, mode) in kinds() {
        let scheme = QuantizationScheme { value, level: Channel(1), mode };
        for layout in MemoryLayout::ALL {
            let rhs = packed(scheme, [9, 16], DType::F32);
            of(ordinary([3, 9], DType::F32).laid_out(layout), rhs, &format!(", {layout:?}"));
        }
        of(ordinary([2, 9], DType::F16), packed(scheme, [9, 16], DType::F32), ", scales of f32");
        of(ordinary([2, 300], DType::F32), packed(scheme, [300, 520], DType::F32), "");
        of(ordinary([70, 300], DType::F32), packed(scheme, [300, 130], DType::F32), "");
    }
}

pub fn integer_matmul(emit: Emit<'_>) {
    use QuantizationLevel::*;
    let mut of = |lhs: Packed<Input>, rhs: Packed<Input>, more: &str| {
        let dtype = lhs.scale.data.dtype;
        let of = |x: &Packed<Input>| name(x.scheme, &x.shape);
        let name = format!("{} by {}{more}", of(&lhs), of(&rhs));
        let args = IntegerMatmulArgs { lhs, rhs };
        emit(Case::new(name, dtype, Operation::Quantized(Quantized::IntegerMatmul(Box::new(args)))));
    };
    let scheme = |mode, level| QuantizationScheme { value: QuantizationType::QInt8, level, mode };
    let shapes =
        [[1, 7, 5], [3, 33, 12], [8, 64, 16], [17, 19, 23], [0, 4, 8], [3, 0, 8], [3, 4, 0], [1, 1, 1]];
    for dtype in floats() {
        for (left, right) in [
            (QuantizationMode::Symmetric, QuantizationMode::Symmetric),
            (QuantizationMode::Affine, QuantizationMode::Symmetric),
            (QuantizationMode::Symmetric, QuantizationMode::Affine),
            (QuantizationMode::Affine, QuantizationMode::Affine),
        ] {
            for [rows, depth, cols] in shapes {
                for (row, col) in [(Tensor, Tensor), (Channel(0), Channel(1)), (Tensor, Channel(1))] {
                    let lhs = packed(scheme(left, row), [rows, depth], dtype);
                    let rhs = packed(scheme(right, col), [depth, cols], dtype);
                    of(lhs, rhs, "");
                }
            }
        }
    }
    let (affine, f) = (QuantizationMode::Affine, DType::F32);
    of(packed(scheme(affine, Tensor), [70, 200], f), packed(scheme(affine, Channel(1)), [200, 90], f), "");
    // The largest sum that there is: all numbers at one end, all zero points at the other.
    let most = IntegerMatmulArgs::<Input>::MOST;
    let extreme = |shape: [usize; 2]| {
        let mut x = packed(scheme(affine, Tensor), shape, f);
        let words = vec![Number::Int(0x8080_8080_u32 as i32 as i128); x.scheme.words(&x.shape)];
        x.values = list(&words, DType::I32);
        x.zero = Some(list(&[Number::Int(127)], DType::I32));
        x
    };
    of(extreme([1, most]), extreme([most, 1]), ", the largest sum");
}
