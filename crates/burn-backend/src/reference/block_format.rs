//! Matrices of quantized blocks in whole numbers of 32 bits: the formulas of [`BlockFormat`], for all blocks
//! at once.

use super::precision::narrow;
use crate::{Backend, ops};
use alloc::vec::Vec;
use burn_ir::{
    BinaryOp, BlockFormat, BlockMatmulArgs, DType, HasSpec, PackedBlocks, Scalar, Shape, Slice, TensorData,
    TensorSpec, f16,
};

/// Bytes of blocks as `I32`, `[blocks, bytes of a block]`.
struct Blocks<B: Backend> {
    bytes: B::Tensor,
    count: usize,
}

/// Integers by block: the operations of the formulas, each along all blocks.
impl<B: Backend> Blocks<B> {
    fn reshape(&self, x: B::Tensor, sizes: &[usize]) -> B::Tensor {
        B::reshape(x, core::iter::once(self.count).chain(sizes.iter().copied()).collect())
    }

    /// Bytes `start..start + len` of each block.
    fn part(&self, start: usize, len: usize) -> B::Tensor {
        let slices = [Slice::from(0..self.count), Slice::from(start..start + len)];
        B::slice(self.bytes.clone(), slices.into_iter().collect())
    }

    /// Bytes as integers with a sign.
    fn signed(&self, start: usize, len: usize) -> B::Tensor {
        let top = B::binary_scalar(BinaryOp::ShiftLeft, self.part(start, len), Scalar::Int(24));
        B::binary_scalar(BinaryOp::ShiftRight, top, Scalar::Int(24))
    }

    /// The half-precision number at `start`, `[blocks, 1, 1]` of dtype `F32`.
    fn half(&self, start: usize) -> B::Tensor {
        let [low, high] = [0, 1].map(|at| self.part(start + at, 1));
        let code = ops::add::<B>(low, B::binary_scalar(BinaryOp::Mul, high, Scalar::Int(256)));
        let table: Vec<f32> = (0..=u16::MAX).map(|bits| f16::from_bits(bits).to_f32()).collect();
        let size = table.len();
        let table = B::from_data(TensorData::new(table, [size]), &B::device(&code));
        let code = B::reshape(code, Shape::new([self.count]));
        self.reshape(B::select(table, 0, code), &[1, 1])
    }

    /// Bits `step k..` of every byte for each `k` below `planes`: `[blocks, groups, planes, size]` of bytes
    /// in `groups` of `size`, masked to `mask`.
    fn planes(
        &self,
        bytes: B::Tensor,
        [groups, planes, size]: [usize; 3],
        step: i64,
        mask: i64,
    ) -> B::Tensor {
        let bytes = self.reshape(bytes, &[groups, 1, size]);
        let device = B::device(&bytes);
        let spec = TensorSpec::new([planes], DType::I32);
        let shifts = B::range(spec, Scalar::Int(0), Scalar::Int(step), &device);
        let shifts = B::reshape(shifts, Shape::new([1, 1, planes, 1]));
        let moved = B::binary(BinaryOp::ShiftRight, bytes, shifts);
        B::binary_scalar(BinaryOp::And, moved, Scalar::Int(mask))
    }

    /// Numbers of 4 bits of 16 bytes, `[blocks, 32]`.
    fn nibbles(&self, start: usize) -> B::Tensor {
        self.reshape(self.planes(self.part(start, 16), [1, 2, 16], 4, 15), &[32])
    }

    /// Numbers of 5 bits, `[blocks, 32]`: the highest are bits of four bytes in front of the others.
    fn five_bits(&self, start: usize) -> B::Tensor {
        // Byte `k` has the bits of elements `8 k..`, the first in its lowest bit.
        let bits = self.planes(self.part(start, 4), [4, 8, 1], 1, 1);
        with_high::<B>(self.nibbles(start + 4), self.reshape(bits, &[32]), 4)
    }

    /// Scales and minima of 6 bits, `[blocks, 8, 1]` each: the first four of each have six bits of a byte,
    /// the others four bits, and two that the first ones leave.
    fn six_bits(&self, start: usize) -> [B::Tensor; 2] {
        let [scales, minima, both] = [0, 4, 8].map(|at| self.part(start + at, 4));
        [0, 4].map(|shift| {
            let first = if shift == 0 { &scales } else { &minima }.clone();
            let low = B::binary_scalar(BinaryOp::ShiftRight, both.clone(), Scalar::Int(shift));
            let low = B::binary_scalar(BinaryOp::And, low, Scalar::Int(15));
            let high = B::binary_scalar(BinaryOp::ShiftRight, first.clone(), Scalar::Int(6));
            let first = B::binary_scalar(BinaryOp::And, first, Scalar::Int(63));
            self.reshape(B::cat([first, with_high::<B>(low, high, 4)].into(), 1), &[8, 1])
        })
    }

    /// `d scale (q - offset) - m minimum` for `[blocks, sub-blocks, size]` numbers; parts that a format lacks
    /// are none.
    fn value(
        &self,
        q: B::Tensor,
        [sub_blocks, size]: [usize; 2],
        offset: i64,
        (d, scale): (B::Tensor, Option<B::Tensor>),
        minimum: Option<B::Tensor>,
    ) -> B::Tensor {
        let q = B::binary_scalar(BinaryOp::Sub, self.reshape(q, &[sub_blocks, size]), Scalar::Int(offset));
        let q = B::cast(q, DType::F32);
        let scale = match scale {
            Some(scale) => ops::mul::<B>(d, B::cast(self.reshape(scale, &[sub_blocks, 1]), DType::F32)),
            None => d,
        };
        let product = ops::mul::<B>(q, scale);
        match minimum {
            Some(minimum) => ops::sub::<B>(product, minimum),
            None => product,
        }
    }

    /// `m t`, with `m` the half-precision number at `at` and `t` by sub-block.
    fn minimum(&self, at: usize, t: B::Tensor, sub_blocks: usize) -> B::Tensor {
        ops::mul::<B>(self.half(at), B::cast(self.reshape(t, &[sub_blocks, 1]), DType::F32))
    }

    fn decode(&self, format: BlockFormat) -> B::Tensor {
        let plain = [1, 32];
        // Blocks add their minimum; super-blocks subtract theirs.
        let added = || Some(ops::neg::<B>(self.half(2)));
        match format {
            BlockFormat::Q8_0 => self.value(self.signed(2, 32), plain, 0, (self.half(0), None), None),
            BlockFormat::Q4_0 => self.value(self.nibbles(2), plain, 8, (self.half(0), None), None),
            BlockFormat::Q4_1 => self.value(self.nibbles(4), plain, 0, (self.half(0), None), added()),
            BlockFormat::Q5_0 => self.value(self.five_bits(2), plain, 16, (self.half(0), None), None),
            BlockFormat::Q5_1 => self.value(self.five_bits(4), plain, 0, (self.half(0), None), added()),
            BlockFormat::Q2K => {
                let q = self.planes(self.part(16, 64), [2, 4, 32], 2, 3);
                let halves = |shift| {
                    let scales = self.part(0, 16);
                    let moved = B::binary_scalar(BinaryOp::ShiftRight, scales, Scalar::Int(shift));
                    B::binary_scalar(BinaryOp::And, moved, Scalar::Int(15))
                };
                let minimum = self.minimum(82, halves(4), 16);
                self.value(q, [16, 16], 0, (self.half(80), Some(halves(0))), Some(minimum))
            }
            BlockFormat::Q3K => {
                let low = self.planes(self.part(32, 64), [2, 4, 32], 2, 3);
                let high = self.planes(self.part(0, 32), [1, 8, 32], 1, 1);
                let [low, high] = [low, high].map(|x| self.reshape(x, &[256]));
                let scale = self.reshape(self.planes(self.part(96, 8), [1, 2, 8], 4, 15), &[16]);
                let top = self.reshape(self.planes(self.part(104, 4), [1, 4, 4], 2, 3), &[16]);
                let scale = B::binary_scalar(BinaryOp::Sub, with_high::<B>(scale, top, 4), Scalar::Int(32));
                let q = with_high::<B>(low, high, 2);
                self.value(q, [16, 16], 4, (self.half(108), Some(scale)), None)
            }
            BlockFormat::Q4K => {
                let q = self.planes(self.part(16, 128), [4, 2, 32], 4, 15);
                let [scale, t] = self.six_bits(4);
                self.value(q, [8, 32], 0, (self.half(0), Some(scale)), Some(self.minimum(2, t, 8)))
            }
            BlockFormat::Q5K => {
                let low = self.planes(self.part(48, 128), [4, 2, 32], 4, 15);
                let high = self.planes(self.part(16, 32), [1, 8, 32], 1, 1);
                let [low, high] = [low, high].map(|x| self.reshape(x, &[256]));
                let [scale, t] = self.six_bits(4);
                let q = with_high::<B>(low, high, 4);
                self.value(q, [8, 32], 0, (self.half(0), Some(scale)), Some(self.minimum(2, t, 8)))
            }
            BlockFormat::Q6K => {
                let low = self.planes(self.part(0, 128), [2, 2, 64], 4, 15);
                let high = self.planes(self.part(128, 64), [2, 4, 32], 2, 3);
                let [low, high] = [low, high].map(|x| self.reshape(x, &[256]));
                let (q, scale) = (with_high::<B>(low, high, 4), self.signed(192, 16));
                self.value(q, [16, 16], 32, (self.half(208), Some(scale)), None)
            }
        }
    }
}

/// `low + 2^shift high`, which have no bit in common.
fn with_high<B: Backend>(low: B::Tensor, high: B::Tensor, shift: i64) -> B::Tensor {
    ops::add::<B>(low, B::binary_scalar(BinaryOp::Mul, high, Scalar::Int(1 << shift)))
}

/// See [`BlockFormat`].
pub fn dequantize_blocks<B: Backend>(x: PackedBlocks<B::Tensor>) -> B::Tensor {
    let (shape, dtype) = (x.shape(), x.dtype);
    let PackedBlocks { blocks, format, transposed, .. } = x;
    if shape.num_elements() == 0 {
        return B::full(TensorSpec { shape, dtype }, Scalar::Int(0), &B::device(&blocks));
    }
    let stored = blocks.shape();
    let count = stored[0] * stored[1] / format.bytes();
    let bytes = B::reshape(B::cast(blocks, DType::I32), Shape::new([count, format.bytes()]));
    let values = Blocks::<B> { bytes, count }.decode(format);
    let rows = B::reshape(values, if transposed { [shape[1], shape[0]].into() } else { shape });
    let rows = narrow::<B>(rows, dtype);
    if transposed { ops::transpose::<B>(rows) } else { rows }
}

/// Computes the product with the dequantized right side.
pub fn block_matmul<B: Backend>(args: BlockMatmulArgs<B::Tensor>) -> B::Tensor {
    let BlockMatmulArgs { lhs, rhs } = args;
    let (shape, dtype) = (lhs.shape(), lhs.dtype());
    let rhs = B::dequantize_blocks(PackedBlocks { dtype, ..rhs });
    let (inner, columns, rank) = (rhs.spec().shape[0], rhs.spec().shape[1], shape.rank());
    let rows = shape[..rank - 1].iter().product();
    let product = B::matmul(B::reshape(lhs, Shape::new([rows, inner])), rhs);
    B::reshape(product, shape.with(rank - 1, columns))
}
