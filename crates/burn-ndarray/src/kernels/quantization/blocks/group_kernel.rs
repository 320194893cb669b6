//! Products of rows of blocks with a group of up to eight rows of activations, on AVX-512 VNNI.
//!
//! A block becomes bytes without a sign and `f32` scales once, whatever its format, and stays in registers.
//! Lanes of vectors are rows of activations: an instruction adds four products for each of four rows, and
//! four more of codes sixteen later in its other half, so that one shuffle serves all rows. A whole block
//! needs one conversion and one scale for all of them.

use super::format::{Block, Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, SuperBlock};
use super::row_group::{GroupLayout, LANES, PART, PART_WORDS, RowGroup, SumKind, Words};
use super::unit::Unit;
use super::x86::Vnni;
use crate::threads::parallel::Shared;
use crate::threads::pieces::Pieces;
use burn_backend::BlockFormat;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// Rows of the matrix that are multiplied together: each load of activations serves all of them.
const TOGETHER: usize = 4;

/// Product of a group of rows with the rows of a matrix.
#[derive(Debug)]
pub struct GroupProblem<'a> {
    pub format: BlockFormat,
    /// Rows of blocks, and the bytes of one.
    pub weights: &'a [u8],
    pub row_bytes: usize,
    pub x: &'a RowGroup,
    /// Rows of the matrix, the columns of the result.
    pub columns: usize,
    /// Result, `[rows, columns]`.
    pub out: Shared<f32>,
}

/// Most vectors of codes of a block, and most of its sub-blocks.
const PARTS: usize = 8;
const SUB_BLOCKS: usize = 16;

/// A block as bytes and scales: the value of an element is `scale code + minimum`.
#[derive(Clone, Copy)]
struct DecodedBlock {
    codes: [__m256i; PARTS],
    /// The scale and the minimum of a block that has no sub-blocks, in all lanes: see [`Unit::float16`].
    whole: [__m256; 2],
    scales: [f32; SUB_BLOCKS],
    minima: [f32; SUB_BLOCKS],
}

impl DecodedBlock {
    /// The scale and the minimum of sub-block `index` of a format.
    #[inline(always)]
    fn sub_block<F: RowFormat>(&self, index: usize) -> [__m256; 2] {
        match F::BLOCK == F::SUB_BLOCK {
            true => self.whole,
            false => [Vnni::splat(self.scales[index]), Vnni::splat(self.minima[index])],
        }
    }
}

/// How blocks of a format are decoded.
trait RowFormat {
    /// Elements for which activations have a scale, and the bytes of as many.
    const BLOCK: usize;
    const BYTES: usize;
    /// Elements with a scale and a minimum.
    const SUB_BLOCK: usize;
    const SUMS: SumKind;

    /// Decodes a block. Codes and scales that it does not have are not written.
    ///
    /// # Safety
    /// The machine has AVX-512 VNNI and VL; the block may be read.
    unsafe fn decode(block: *const u8, to: &mut DecodedBlock);
}

/// A format of blocks of 32 elements.
struct Blocks<F, const BYTES: usize>(PhantomData<F>);

impl<F: Block<BYTES>, const BYTES: usize> RowFormat for Blocks<F, BYTES> {
    const BLOCK: usize = 32;
    const BYTES: usize = BYTES;
    const SUB_BLOCK: usize = 32;
    const SUMS: SumKind = if F::IS_SIGNED { SumKind::Offset } else { SumKind::Scaled };

    #[inline(always)]
    unsafe fn decode(block: *const u8, to: &mut DecodedBlock) {
        // SAFETY: by the contract.
        unsafe {
            let block = &*block.cast::<[u8; BYTES]>();
            let own = F::codes::<Vnni>(block);
            to.codes[0] = if F::IS_SIGNED { _mm256_xor_si256(own, _mm256_set1_epi8(-128)) } else { own };
            to.whole = F::scales::<Vnni>(block);
        }
    }
}

/// A format of super-blocks of 256 elements, with sub-blocks of `SUB` that have a scale of their own.
struct SuperBlocks<F, const BYTES: usize, const SUB: usize>(PhantomData<F>);

impl<F: SuperBlock<BYTES>, const BYTES: usize, const SUB: usize> RowFormat for SuperBlocks<F, BYTES, SUB> {
    const BLOCK: usize = 256;
    const BYTES: usize = BYTES;
    const SUB_BLOCK: usize = SUB;
    const SUMS: SumKind = SumKind::Codes;

    #[inline(always)]
    unsafe fn decode(block: *const u8, to: &mut DecodedBlock) {
        // SAFETY: by the contract; there are `256 / SUB` sub-blocks.
        unsafe {
            let block = &*block.cast::<[u8; BYTES]>();
            to.codes = F::codes::<Vnni>(block);
            let ([s, t], [d, m]) = (F::sub_scales::<Vnni>(block), F::scales::<Vnni>(block));
            store_scales(s, _mm256_cvtss_f32(d), &mut to.scales[..256 / SUB]);
            store_scales(t, -_mm256_cvtss_f32(m), &mut to.minima[..256 / SUB]);
        }
    }
}

/// Writes sixteen scales times `factor`, or every second one to eight numbers.
///
/// # Safety
/// The machine has AVX-512; `to` has 16 or 8 elements.
#[inline(always)]
unsafe fn store_scales(scales: __m128i, factor: f32, to: &mut [f32]) {
    // SAFETY: by the contract.
    unsafe {
        let all = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(scales)), _mm512_set1_ps(factor));
        if to.len() == 16 {
            _mm512_storeu_ps(to.as_mut_ptr(), all);
        } else {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 0, 0, 0, 0, 0, 0, 0, 0);
            let even = _mm512_castps512_ps256(_mm512_permutexvar_ps(even, all));
            _mm256_storeu_ps(to.as_mut_ptr(), even);
        }
    }
}

/// Reads a word of each row.
///
/// # Safety
/// The machine has AVX2.
#[inline(always)]
unsafe fn ints(words: &Words) -> __m256i {
    // SAFETY: by the contract; a vector has eight words.
    unsafe { _mm256_load_si256(core::ptr::from_ref(words).cast()) }
}

/// As [`ints`], of `f32`.
///
/// # Safety
/// The machine has AVX2.
#[inline(always)]
unsafe fn floats(words: &Words) -> __m256 {
    // SAFETY: by the contract.
    unsafe { _mm256_castsi256_ps(ints(words)) }
}

/// Multiplies some rows of the matrix with the group, and asks for the bytes from `next` on meanwhile.
///
/// # Safety
/// The machine has AVX-512 VNNI and VL; the group and the rows have the sizes of the format.
#[inline(always)]
unsafe fn tile<F: RowFormat>(
    rows: &[*const u8; TOGETHER],
    x: &RowGroup,
    next: *const u8,
) -> [__m256; TOGETHER] {
    let mut totals = [Vnni::splat(0.0); TOGETHER];
    // SAFETY: by the contract: indices are below the numbers of codes, sub-blocks and blocks.
    unsafe {
        let none = DecodedBlock {
            codes: [Vnni::no_ints(); PARTS],
            whole: [Vnni::splat(0.0); 2],
            scales: [0.0; SUB_BLOCKS],
            minima: [0.0; SUB_BLOCKS],
        };
        let mut decoded = [none; TOGETHER];
        for (block, scale) in x.scales.iter().enumerate() {
            // A part of the next rows with each block, so that memory is never waited for.
            for line in (0..TOGETHER * F::BYTES).step_by(64) {
                _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(block * TOGETHER * F::BYTES + line).cast());
            }
            for (row, to) in rows.iter().zip(&mut decoded) {
                F::decode(row.add(block * F::BYTES), to);
            }
            block_products::<F>(&decoded, x, block, floats(scale), &mut totals);
        }
    }
    totals
}

/// Adds the products of a block of each row, whose activations have a scale.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn block_products<F: RowFormat>(
    decoded: &[DecodedBlock; TOGETHER],
    x: &RowGroup,
    block: usize,
    scale: __m256,
    totals: &mut [__m256; TOGETHER],
) {
    let (parts, per_part) = (F::BLOCK / PART, PART / F::SUB_BLOCK);
    let mut sums = [Vnni::splat(0.0); TOGETHER];
    // SAFETY: by the contract.
    unsafe {
        for part in 0..parts {
            let index = block * parts + part;
            let own = x.codes.as_ptr().add(index * PART_WORDS).cast::<[Words; PART_WORDS]>();
            let all = part_dots(decoded, part, &*own);
            for (row, dots) in all.into_iter().enumerate() {
                for sub in 0..per_part {
                    let of_x = x.sums.get_unchecked(index * per_part + sub);
                    let dots = match (per_part, F::SUMS) {
                        (1, SumKind::Offset) => {
                            _mm256_add_epi32(_mm256_add_epi32(dots[0], dots[1]), ints(of_x))
                        }
                        (1, _) => _mm256_add_epi32(dots[0], dots[1]),
                        _ => dots[sub],
                    };
                    let [of_scale, minimum] = decoded[row].sub_block::<F>(part * per_part + sub);
                    let (to, factor) = match F::BLOCK == F::SUB_BLOCK {
                        true => (&mut totals[row], Vnni::multiply(scale, of_scale)),
                        false => (&mut sums[row], of_scale),
                    };
                    *to = Vnni::add_scaled(*to, dots, factor);
                    if F::SUMS != SumKind::Offset {
                        *to = Vnni::multiply_add(*to, minimum, floats(of_x));
                    }
                }
            }
        }
    }
    if F::BLOCK != F::SUB_BLOCK {
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total = Vnni::multiply_add(*total, sum, scale);
        }
    }
}

/// For each row of the matrix, the sums of products of sixteen codes of a part with each row of activations,
/// and those of the other sixteen.
///
/// # Safety
/// The machine has AVX-512 VNNI and VL.
#[inline(always)]
unsafe fn part_dots(
    decoded: &[DecodedBlock; TOGETHER],
    part: usize,
    x: &[Words; PART_WORDS],
) -> [[__m256i; 2]; TOGETHER] {
    let mut sums = [[Vnni::no_ints(); 2]; TOGETHER];
    // SAFETY: by the contract.
    unsafe {
        for (step, own) in x.as_chunks::<2>().0.iter().enumerate() {
            let own = [ints(&own[0]), ints(&own[1])];
            for (of, sums) in decoded.iter().zip(&mut sums) {
                let codes = spread(of.codes[part], step);
                sums[0] = _mm256_dpbusd_epi32(sums[0], codes, own[0]);
                sums[1] = _mm256_dpbusd_epi32(sums[1], codes, own[1]);
            }
        }
        for sums in &mut sums {
            // The lower halves have the first sixteen codes of four rows each.
            let [x, y] = *sums;
            *sums = [_mm256_permute2x128_si256::<0x20>(x, y), _mm256_permute2x128_si256::<0x31>(x, y)];
        }
    }
    sums
}

/// Word `index` of each half of a vector, four times.
///
/// # Safety
/// The machine has AVX2.
#[inline(always)]
unsafe fn spread(x: __m256i, index: usize) -> __m256i {
    // SAFETY: by the contract.
    unsafe {
        match index {
            0 => _mm256_shuffle_epi32::<0x00>(x),
            1 => _mm256_shuffle_epi32::<0x55>(x),
            2 => _mm256_shuffle_epi32::<0xAA>(x),
            _ => _mm256_shuffle_epi32::<0xFF>(x),
        }
    }
}

/// Writes some columns of the result.
///
/// # Safety
/// The machine has AVX-512 VNNI and VL, the result has room, and nothing else touches these columns.
#[inline(always)]
unsafe fn run_format<F: RowFormat>(problem: &GroupProblem<'_>, pieces: Pieces<'_>) {
    let GroupProblem { columns, row_bytes, .. } = *problem;
    for range in pieces {
        for first in range.clone().step_by(TOGETHER) {
            let count = TOGETHER.min(range.end - first);
            let start = problem.weights[first * row_bytes..][..count * row_bytes].as_ptr();
            // Missing rows repeat the first one.
            let mut rows = [start; TOGETHER];
            for (row, to) in rows.iter_mut().enumerate().take(count) {
                *to = start.wrapping_add(row * row_bytes);
            }
            // SAFETY: by the contract.
            unsafe {
                let found = tile::<F>(&rows, problem.x, start.wrapping_add(TOGETHER * row_bytes));
                store(&found, problem.out.get().add(first), columns, problem.x.rows, count);
            }
        }
    }
}

/// Writes `count` columns of each row of a result with `columns` columns.
///
/// # Safety
/// The machine has AVX2; the result has room.
#[inline(always)]
unsafe fn store(found: &[__m256; TOGETHER], to: *mut f32, columns: usize, rows: usize, count: usize) {
    let mut results = [[0.0; LANES]; TOGETHER];
    // SAFETY: by the contract.
    unsafe {
        for (found, to) in found.iter().zip(&mut results) {
            _mm256_storeu_ps(to.as_mut_ptr(), *found);
        }
        for row in 0..rows {
            let to = to.add(row * columns);
            for (column, result) in results.iter().enumerate().take(count) {
                to.add(column).write(result[row]);
            }
        }
    }
}

/// Calls `$run` with the type that decodes a format.
macro_rules! with_format {
    (@ $name:ident, $type:ty, $run:expr) => {{
        type $name = $type;
        $run
    }};
    ($format:expr, $name:ident => $run:expr) => {
        match $format {
            BlockFormat::Q4_0 => with_format!(@ $name, Blocks<Q4_0, 18>, $run),
            BlockFormat::Q4_1 => with_format!(@ $name, Blocks<Q4_1, 20>, $run),
            BlockFormat::Q5_0 => with_format!(@ $name, Blocks<Q5_0, 22>, $run),
            BlockFormat::Q5_1 => with_format!(@ $name, Blocks<Q5_1, 24>, $run),
            BlockFormat::Q8_0 => with_format!(@ $name, Blocks<Q8_0, 34>, $run),
            BlockFormat::Q2K => with_format!(@ $name, SuperBlocks<Q2K, 84, 16>, $run),
            BlockFormat::Q3K => with_format!(@ $name, SuperBlocks<Q3K, 110, 16>, $run),
            BlockFormat::Q4K => with_format!(@ $name, SuperBlocks<Q4K, 144, 32>, $run),
            BlockFormat::Q5K => with_format!(@ $name, SuperBlocks<Q5K, 176, 32>, $run),
            BlockFormat::Q6K => with_format!(@ $name, SuperBlocks<Q6K, 210, 16>, $run),
        }
    };
}

/// Sizes of the group for a product with a format.
pub fn layout(format: BlockFormat, depth: usize) -> GroupLayout {
    with_format!(format, F => GroupLayout {
        depth,
        block: <F as RowFormat>::BLOCK,
        sub_block: <F as RowFormat>::SUB_BLOCK,
        sums: <F as RowFormat>::SUMS,
    })
}

/// Writes some columns of the result, which nothing else touches.
///
/// # Safety
/// The machine has AVX-512 VNNI and VL, and the result has room for all rows and columns.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
pub unsafe fn run(problem: &GroupProblem<'_>, pieces: Pieces<'_>) {
    // SAFETY: by the contract.
    with_format!(problem.format, F => unsafe { run_format::<F>(problem, pieces) })
}
