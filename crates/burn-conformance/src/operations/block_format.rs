//! Matrices of quantized blocks, as GGUF files store them.

use super::*;

/// Checks of [`Family::DequantizeBlocks`].
pub struct DequantizeBlocksChecks;

impl DequantizeBlocksChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &PackedBlocks<Array>) -> Outputs<Expected> {
        dequantize(x).into()
    }
}

impl OperationChecks for DequantizeBlocksChecks {
    fn cases(&self, emit: Emit<'_>) {
        let mut of = |name: String, x: PackedBlocks<Input>| {
            let dtype = x.dtype;
            emit(Case::new(name, dtype, Operation::Quantized(Quantized::DequantizeBlocks(Box::new(x)))));
        };
        for dtype in floats() {
            for format in BlockFormat::ALL {
                for (rows, count) in [(1, 1), (5, 3), (0, 2), (3, 0)] {
                    let x = blocks(format, rows, count, dtype);
                    of(name(&x), x.clone());
                    let x = x.transpose();
                    of(name(&x), x);
                }
            }
        }
        of("many rows".into(), blocks(BlockFormat::Q4K, 211, 3, DType::F32));
        for layout in MemoryLayout::ALL {
            let x = blocks(BlockFormat::Q5_0, 4, 2, DType::F32);
            of(format!("{}, {layout:?}", name(&x)), x.map(|x| x.laid_out(layout)));
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        vec![Operation::Quantized(Quantized::DequantizeBlocks(Box::new(large_blocks(dtype))))]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let x = blocks(BlockFormat::Q4K, 2, 1, F);
        vec![constant("", Operation::Quantized(Quantized::DequantizeBlocks(Box::new(x))))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.float_of_rank(2);
        let rows = x.shape.first().copied().unwrap_or(1);
        let x = random_blocks(calls, rows, x.dtype);
        Operation::Quantized(Quantized::DequantizeBlocks(Box::new(x)))
    }
}

/// Checks of [`Family::BlockMatmul`].
pub struct BlockMatmulChecks;

impl BlockMatmulChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &BlockMatmulArgs<Array>) -> Outputs<Expected> {
        matmul(args).into()
    }
}

impl OperationChecks for BlockMatmulChecks {
    fn cases(&self, emit: Emit<'_>) {
        let mut of = |lhs: &[usize], x: PackedBlocks<Input>| {
            let (dtype, lhs) = (x.dtype, ordinary(lhs, x.dtype));
            let name = format!("{:?} by {}", lhs.data.shape, name(&x));
            let args = BlockMatmulArgs { lhs, rhs: x };
            emit(Case::new(name, dtype, Operation::Quantized(Quantized::BlockMatmul(Box::new(args)))));
        };
        for dtype in floats() {
            for format in BlockFormat::ALL {
                // Few rows, in groups of four, two and one, and many.
                let depth = 3 * format.elements();
                for rows in [1, 2, 7, 9] {
                    of(&[rows, depth], blocks(format, 5, 3, dtype).transpose());
                }
                of(&[2, 5], blocks(format, 5, 1, dtype));
            }
            let q8 = |rows, count| blocks(BlockFormat::Q8_0, rows, count, dtype).transpose();
            of(&[2, 3, 32], q8(4, 1));
            of(&[0, 32], q8(4, 1));
            of(&[3, 0], q8(4, 0));
            of(&[3, 32], q8(0, 1));
            of(&[1, 64], q8(601, 2));
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let rhs = large_blocks(dtype);
        let product = |rows: usize| {
            let lhs = spec([rows, rhs.shape()[0]], dtype);
            let args = BlockMatmulArgs { lhs, rhs: rhs.clone() };
            Operation::Quantized(Quantized::BlockMatmul(Box::new(args)))
        };
        vec![product(4), product(ROWS)]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let of = |name: &str, depth: usize, rhs| {
            let args = BlockMatmulArgs { lhs: spread([2, depth], F, -1.9, 2.0), rhs };
            call(name, Operation::Quantized(Quantized::BlockMatmul(Box::new(args))))
        };
        vec![
            of("rows", 3, blocks(BlockFormat::Q5_1, 3, 1, F)),
            of("transposed", 32, blocks(BlockFormat::Q8_0, 3, 1, F).transpose()),
        ]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.float_of_rank(2);
        let [rows, cols] = [0, 1].map(|dim| x.shape.get(dim).copied().unwrap_or(1));
        let rhs = random_blocks(calls, cols, x.dtype);
        // Rows of the matrix, or the elements of one of its blocks.
        let inner = if rhs.transposed { rhs.format.elements() } else { cols };
        let lhs = calls.exactly([rows, inner].into(), x.dtype);
        Operation::Quantized(Quantized::BlockMatmul(Box::new(BlockMatmulArgs { lhs, rhs })))
    }
}

/// Where the half-precision numbers of a block lie, the last of them a minimum or absent.
fn halves(format: BlockFormat) -> &'static [usize] {
    match format {
        BlockFormat::Q4_0 | BlockFormat::Q5_0 | BlockFormat::Q8_0 => &[0],
        BlockFormat::Q4_1 | BlockFormat::Q5_1 | BlockFormat::Q4K | BlockFormat::Q5K => &[0, 2],
        BlockFormat::Q2K => &[80, 82],
        BlockFormat::Q3K => &[108],
        BlockFormat::Q6K => &[208],
    }
}

/// Blocks of every pattern of bits, with scales of both signs, in rows of `count` blocks.
fn blocks(format: BlockFormat, rows: usize, count: usize, dtype: DType) -> PackedBlocks<Input> {
    let mixed = |i: usize| ((i as u32 + 1).wrapping_mul(0x9E37_79B9) >> 11) as u8;
    let mut bytes: Vec<u8> = (0..rows * count * format.bytes()).map(mixed).collect();
    for (index, block) in bytes.chunks_mut(format.bytes()).enumerate() {
        for (which, &at) in halves(format).iter().enumerate() {
            // Small, so that products of the numbers of a super-block fit half precision.
            let size = [0.0021, -0.0013, 0.0008][(index + which) % 3]
                * if format.elements() == 32 { 8.0 } else { 1.0 };
            block[at..at + 2].copy_from_slice(&f16::from_f32(size).to_le_bytes());
        }
    }
    let blocks = Input::new(TensorData::new(bytes, [rows, count * format.bytes()]));
    PackedBlocks { blocks, format, transposed: false, dtype }
}

fn name(x: &PackedBlocks<Input>) -> String {
    let turned = if x.transposed { ", transposed" } else { "" };
    format!("{}, {:?}{turned}", x.format.name(), x.blocks.data.shape)
}

fn large_blocks(dtype: DType) -> PackedBlocks<TensorSpec> {
    let format = BlockFormat::Q4K;
    let blocks = spec([ROWS, 2 * format.bytes()], DType::U8);
    PackedBlocks { blocks, format, transposed: true, dtype }
}

/// Rows of one block, almost.
fn random_blocks(calls: &mut Calls<'_>, rows: usize, dtype: DType) -> PackedBlocks<TensorSpec> {
    let format = calls.random.pick(&BlockFormat::ALL);
    let blocks = calls.exactly([rows, format.bytes()].into(), DType::U8);
    PackedBlocks { blocks, format, transposed: calls.random.chance(50), dtype }
}

fn half(block: &[u8], at: usize) -> f64 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f64()
}

fn bit(bytes: &[u8], index: usize) -> u8 {
    bytes[index / 8] >> (index % 8) & 1
}

/// Number of four bits of element `i` of 32: in 16 bytes, the low halves first.
fn nibble(bytes: &[u8], i: usize) -> u8 {
    bytes[i % 16] >> (4 * (i / 16)) & 15
}

/// Scale and minimum of six bits of sub-block `j` of eight.
fn six_bits(bytes: &[u8], j: usize) -> [f64; 2] {
    let pair = match j {
        0..4 => [bytes[j] & 63, bytes[j + 4] & 63],
        _ => [bytes[j + 4] % 16 + 16 * (bytes[j - 4] / 64), bytes[j + 4] / 16 + 16 * (bytes[j] / 64)],
    };
    pair.map(f64::from)
}

/// Element `i` of a block.
fn element(format: BlockFormat, block: &[u8], i: usize) -> f64 {
    // Elements of super-blocks: which half, which run of 32 of it, and which element of that.
    let (part, run, at) = (i / 128, i % 128 / 32, i % 32);
    let number = |q: u8, zero: i32| f64::from(i32::from(q) - zero);
    match format {
        BlockFormat::Q4_0 => half(block, 0) * number(nibble(&block[2..], i), 8),
        BlockFormat::Q4_1 => half(block, 0) * number(nibble(&block[4..], i), 0) + half(block, 2),
        BlockFormat::Q5_0 => half(block, 0) * number(nibble(&block[6..], i) + 16 * bit(&block[2..6], i), 16),
        BlockFormat::Q5_1 => {
            let q = nibble(&block[8..], i) + 16 * bit(&block[4..8], i);
            half(block, 0) * number(q, 0) + half(block, 2)
        }
        BlockFormat::Q8_0 => half(block, 0) * f64::from(block[2 + i].cast_signed()),
        BlockFormat::Q2K => {
            let q = block[16 + 32 * part + at] >> (2 * run) & 3;
            let scales = block[i / 16];
            half(block, 80) * number(scales & 15, 0) * number(q, 0) - half(block, 82) * number(scales >> 4, 0)
        }
        BlockFormat::Q3K => {
            let q = (block[32 + 32 * part + at] >> (2 * run) & 3) + 4 * (block[at] >> (4 * part + run) & 1);
            let j = i / 16;
            let low = if j < 8 { block[96 + j] & 15 } else { block[96 + j - 8] >> 4 };
            let scale = low + 16 * (block[104 + j % 4] >> (2 * (j / 4)) & 3);
            half(block, 108) * number(scale, 32) * number(q, 4)
        }
        BlockFormat::Q4K | BlockFormat::Q5K => {
            let (is_five, j) = (format == BlockFormat::Q5K, i / 32);
            let low = if is_five { 48 } else { 16 };
            let mut q = block[low + 32 * (j / 2) + at] >> (4 * (j % 2)) & 15;
            if is_five {
                q += 16 * (block[16 + at] >> j & 1);
            }
            let [scale, minimum] = six_bits(&block[4..16], j);
            half(block, 0) * scale * number(q, 0) - half(block, 2) * minimum
        }
        BlockFormat::Q6K => {
            let low = block[64 * part + 32 * (run % 2) + at] >> (4 * (run / 2)) & 15;
            let q = low + 16 * (block[128 + 32 * part + at] >> (2 * run) & 3);
            half(block, 208) * f64::from(block[192 + i / 16].cast_signed()) * number(q, 32)
        }
    }
}

fn numbers(x: &PackedBlocks<Array>) -> Array {
    let (format, row_bytes) = (x.format, x.blocks.shape()[1]);
    let bytes: Vec<u8> = x.blocks.values.iter().map(|x| x.to_f64() as u8).collect();
    Array::build(x.shape(), x.dtype, |index| {
        let (row, column) = if x.transposed { (index[1], index[0]) } else { (index[0], index[1]) };
        let block = row * row_bytes + column / format.elements() * format.bytes();
        let block = &bytes[block..block + format.bytes()];
        Number::Float(element(format, block, column % format.elements()))
    })
}

/// Products of scales are rounded in `f32`, and the difference of a minimum, which may be the larger one, is
/// too.
pub fn dequantize(x: &PackedBlocks<Array>) -> Expected {
    let array = numbers(x);
    let largest = array.values.iter().fold(0.0_f64, |largest, x| largest.max(x.to_f64().abs()));
    let inner = tolerance::epsilon(DType::F32).max(tolerance::epsilon(x.dtype)) / tolerance::epsilon(x.dtype);
    Expected { array, tolerance: Tolerance::Ulps { ulps: 4.0 * inner, floor: 2.0 * largest } }
}

/// A product, of which each element of the left side may be wrong by half a step of 8 bits of its block.
pub fn matmul(args: &BlockMatmulArgs<Array>) -> Expected {
    let (lhs, rhs) = (&args.lhs, numbers(&args.rhs));
    let Expected { mut array, tolerance } = super::matmul::matmul(lhs, &rhs);
    array.spec.dtype = lhs.dtype();
    let Tolerance::Sum { mut magnitudes, terms } = tolerance else { unreachable!("a product is a sum") };
    let (depth, columns, size) = (rhs.shape()[0], rhs.shape()[1], args.rhs.format.elements());
    let unit = tolerance::epsilon(lhs.dtype());
    let inner = unit.min(tolerance::epsilon(DType::F32)) * (2.0 + (terms as f64).sqrt());
    for (at, magnitude) in magnitudes.iter_mut().enumerate() {
        let row = &lhs.values[at / columns * depth..][..depth];
        let column = |k: usize| rhs.values[k * columns + at % columns].to_f64().abs();
        let mut error = 0.0;
        for (index, block) in row.chunks(size).enumerate() {
            let step = block.iter().fold(0.0_f64, |largest, x| largest.max(x.to_f64().abs())) / 254.0;
            error += step * (0..block.len()).map(|k| column(index * size + k)).sum::<f64>();
        }
        // Weights may be rounded to half precision, and scales are rounded once or twice in `f32`.
        let rounding = unit.max(32.0 * f64::from(f32::EPSILON)) * *magnitude;
        // `f64` has no 8-bit codes, and its products are exact to its own precision but for the scales.
        let error = if lhs.dtype() == DType::F64 { 0.0 } else { error };
        *magnitude += (1.01 * error + rounding) / inner;
    }
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms } }
}
