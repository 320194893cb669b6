use super::{Emit, floats};
use crate::Case;
use crate::input::{Input, MemoryLayout, ordinary};
use burn_backend::{
    BlockFormat, BlockMatmulArgs, DType, Operation, PackedBlocks, Quantized, TensorData, f16,
};

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
pub fn blocks(format: BlockFormat, rows: usize, count: usize, dtype: DType) -> PackedBlocks<Input> {
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

pub fn dequantize(emit: Emit<'_>) {
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

pub fn matmul(emit: Emit<'_>) {
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
            for rows in [1, 2, 3, 4, 7, 8, 9] {
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
