//! Quantization of tensors, and back.

use super::*;

/// Checks of [`Family::Quantize`].
pub struct QuantizeChecks;

impl QuantizeChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &QuantizeArgs<Array>) -> Outputs<Expected> {
        quantize(args).into()
    }
}

impl OperationChecks for QuantizeChecks {
    fn cases(&self, emit: Emit<'_>) {
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
                of(
                    format!("{}, rare", name(scheme, &[8].into())),
                    list(&rare.map(Number::Float), dtype),
                    scheme,
                );
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        let (x, scheme) = (spec([ROWS, COLS + 1], dtype), large_packed([ROWS, COLS + 1], dtype).scheme);
        let args = QuantizeArgs { x, scale: spec([1], dtype), zero: None, scheme };
        vec![Operation::Quantized(Quantized::Quantize(Box::new(args)))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let (x, scale) = (spread([3, 4], F, -1.9, 2.0), list(&[Number::Float(0.25)], F));
        let [(_, scheme), ..] = gradient_schemes();
        let args = QuantizeArgs { x, scale, zero: None, scheme };
        vec![constant("", Operation::Quantized(Quantized::Quantize(Box::new(args))))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let (x, _) = random_matrices(calls);
        let scheme = random_scheme(calls, &x.shape);
        let (scale, zero) = random_groups(calls, scheme, &x.shape, x.dtype);
        Operation::Quantized(Quantized::Quantize(Box::new(QuantizeArgs { x, scale, zero, scheme })))
    }
}

/// Checks of [`Family::Dequantize`].
pub struct DequantizeChecks;

impl DequantizeChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Packed<Array>) -> Outputs<Expected> {
        dequantize(x).into()
    }
}

impl OperationChecks for DequantizeChecks {
    fn cases(&self, emit: Emit<'_>) {
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        let packed = large_packed([ROWS, COLS + 1], dtype);
        vec![Operation::Quantized(Quantized::Dequantize(Box::new(packed)))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |scheme| Operation::Quantized(Quantized::Dequantize(Box::new(packed(scheme, [3, 4], F))));
        gradient_schemes().map(|(name, scheme)| call(name, op(scheme))).into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let (x, _) = random_matrices(calls);
        Operation::Quantized(Quantized::Dequantize(Box::new(random_packed(calls, x.shape, x.dtype))))
    }
}

/// Every type in every mode that it has.
pub(super) fn kinds() -> impl Iterator<Item = (QuantizationType, QuantizationMode)> {
    let symmetric = QuantizationType::ALL.map(|value| (value, QuantizationMode::Symmetric));
    let affine = [QuantizationType::QInt8, QuantizationType::QInt4, QuantizationType::QInt2];
    symmetric.into_iter().chain(affine.map(|value| (value, QuantizationMode::Affine)))
}

/// Every scheme, with shapes that it divides: with whole words and rows, and without; with elements and
/// without.
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

pub(super) fn name(scheme: QuantizationScheme, shape: &Shape) -> String {
    let mode = if scheme.is_affine() { "affine" } else { "symmetric" };
    format!("{} {mode}, {:?}, {shape:?}", scheme.value.name(), scheme.level)
}

/// Scales of different sizes, so that numbers fill the range and leave it, and zero points on both sides of
/// zero.
fn parameters(scheme: QuantizationScheme, shape: &Shape, dtype: DType) -> (Input, Option<Input>) {
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

/// A type as its definition: bits, and either the smallest integer of an affine scheme or the bits and the
/// bias of an exponent.
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
pub(super) fn group(scheme: QuantizationScheme, shape: &Shape, index: &[usize]) -> usize {
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

fn quantize(args: &QuantizeArgs<Array>) -> Expected {
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
pub(super) fn difference(x: &Packed<Array>, at: usize, group: usize) -> f64 {
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

pub(super) fn numbers(x: &Packed<Array>) -> Array {
    let mut at = 0..;
    Array::build(x.shape.clone(), x.scale.dtype(), |index| {
        let group = group(x.scheme, &x.shape, index);
        Number::Float(difference(x, at.next().expect("endless"), group) * x.scale.values[group].to_f64())
    })
}

fn dequantize(x: &Packed<Array>) -> Expected {
    Expected { array: numbers(x), tolerance: Tolerance::Rounded }
}

/// Returns the packed matrix of a large call.
pub(super) fn large_packed(shape: [usize; 2], dtype: DType) -> Packed<TensorSpec> {
    let (shape, scheme) =
        (Shape::from(shape), QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8));
    let values = spec([scheme.words(&shape)], DType::I32);
    Packed { values, scale: spec([1], dtype), zero: None, scheme, shape }
}

/// Schemes of every level whose gradients are checked, with their names.
pub(super) fn gradient_schemes() -> [(String, QuantizationScheme); 4] {
    use QuantizationLevel::*;
    let value = QuantizationType::QInt4;
    let schemes = [
        (Tensor, QuantizationMode::Symmetric),
        (Channel(0), QuantizationMode::Affine),
        (Channel(1), QuantizationMode::Symmetric),
        (Block(2), QuantizationMode::Affine),
    ];
    schemes.map(|(level, mode)| (format!("{level:?}"), QuantizationScheme { value, level, mode }))
}

fn random_scheme(calls: &mut Calls<'_>, shape: &Shape) -> QuantizationScheme {
    let level = match calls.random.below(3) {
        0 => QuantizationLevel::Tensor,
        1 => QuantizationLevel::Channel(calls.random.number(shape.rank())),
        _ => QuantizationLevel::Block(calls.random.number(shape.last().copied().unwrap_or(1))),
    };
    let mode = calls.random.pick(&[QuantizationMode::Symmetric, QuantizationMode::Affine]);
    QuantizationScheme { value: calls.random.pick(&QuantizationType::ALL), level, mode }
}

/// Scales and zero points, almost as many as the scheme asks for.
fn random_groups(
    calls: &mut Calls<'_>,
    scheme: QuantizationScheme,
    shape: &Shape,
    dtype: DType,
) -> (TensorSpec, Option<TensorSpec>) {
    let fits = match scheme.level {
        QuantizationLevel::Tensor => true,
        QuantizationLevel::Channel(dim) => dim < shape.rank(),
        QuantizationLevel::Block(size) => size > 0,
    };
    let count = if fits { scheme.scales(shape) } else { 1 };
    let has_zero = scheme.is_affine() != calls.random.chance(5);
    let scale = calls.exactly([count].into(), dtype);
    (scale, has_zero.then(|| calls.exactly([count].into(), DType::I32)))
}

pub(super) fn random_packed(calls: &mut Calls<'_>, shape: Shape, dtype: DType) -> Packed<TensorSpec> {
    let scheme = random_scheme(calls, &shape);
    let (scale, zero) = random_groups(calls, scheme, &shape, dtype);
    let values = calls.exactly([scheme.words(&shape)].into(), DType::I32);
    Packed { values, scale, zero, scheme, shape }
}

/// Matrices that a random call is of: the left one, and the shape of a right one.
pub(super) fn random_matrices(calls: &mut Calls<'_>) -> (TensorSpec, Shape) {
    let x = calls.float_of_rank(2);
    let cols = x.shape.get(1).copied().unwrap_or(1);
    (x, Shape::new([cols, calls.random.below(5)]))
}
