//! Products with quantized matrices.

use super::quantization::{
    difference, gradient_schemes, group, kinds, large_packed, name, numbers, packed, random_matrices,
    random_packed,
};
use super::*;

/// Checks of [`Family::QuantizedMatmul`].
pub struct QuantizedMatmulChecks;

impl QuantizedMatmulChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &QuantizedMatmulArgs<Array>) -> Outputs<Expected> {
        quantized_matmul(args).into()
    }
}

impl OperationChecks for QuantizedMatmulChecks {
    fn cases(&self, emit: Emit<'_>) {
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
            // A block of an empty matrix may be larger than any memory.
            let scheme = QuantizationScheme { value, level: Block(1 << 62), mode };
            of(ordinary([2, 1], DType::F32), packed(scheme, [1, 0], DType::F32), "");
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let (lhs, rhs) = (spec([ROWS, COLS + 1], dtype), large_packed([COLS + 1, ROWS], dtype));
        vec![Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs { lhs, rhs })))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |scheme| {
            let (lhs, rhs) = (spread([2, 2, 3], F, -1.9, 2.0), packed(scheme, [3, 4], F));
            Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs { lhs, rhs })))
        };
        gradient_schemes().map(|(name, scheme)| call(name, op(scheme))).into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let (lhs, shape) = random_matrices(calls);
        let rhs = random_packed(calls, shape, lhs.dtype);
        Operation::Quantized(Quantized::QuantizedMatmul(Box::new(QuantizedMatmulArgs { lhs, rhs })))
    }
}

/// Checks of [`Family::IntegerMatmul`].
pub struct IntegerMatmulChecks;

impl IntegerMatmulChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &IntegerMatmulArgs<Array>) -> Outputs<Expected> {
        integer_matmul(args).into()
    }
}

impl OperationChecks for IntegerMatmulChecks {
    fn cases(&self, emit: Emit<'_>) {
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
        of(
            packed(scheme(affine, Tensor), [70, 200], f),
            packed(scheme(affine, Channel(1)), [200, 90], f),
            "",
        );
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        let (lhs, rhs) = (large_packed([ROWS, COLS + 1], dtype), large_packed([COLS + 1, ROWS], dtype));
        vec![Operation::Quantized(Quantized::IntegerMatmul(Box::new(IntegerMatmulArgs { lhs, rhs })))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
        let (lhs, rhs) = (packed(scheme, [2, 3], F), packed(scheme, [3, 4], F));
        let args = IntegerMatmulArgs { lhs, rhs };
        vec![constant("", Operation::Quantized(Quantized::IntegerMatmul(Box::new(args))))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let (x, shape) = random_matrices(calls);
        let [rows, cols] = [0, 1].map(|dim| x.shape.get(dim).copied().unwrap_or(1));
        let lhs = random_packed(calls, [rows, cols].into(), x.dtype);
        let rhs = random_packed(calls, shape, x.dtype);
        Operation::Quantized(Quantized::IntegerMatmul(Box::new(IntegerMatmulArgs { lhs, rhs })))
    }
}

fn quantized_matmul(args: &QuantizedMatmulArgs<Array>) -> Expected {
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
fn integer_matmul(args: &IntegerMatmulArgs<Array>) -> Expected {
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
