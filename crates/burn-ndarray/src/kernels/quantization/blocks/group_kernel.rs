//! Products of rows of blocks with a group of up to eight rows of activations, on AVX-512 VNNI.
//!
//! A row of blocks becomes bytes without a sign and `f32` scales once, whatever its format. Lanes of vectors
//! are rows of activations: an instruction adds four products to the sum of each, and a whole block needs one
//! conversion and one scale for all rows.

use super::format::{Block, Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, SuperBlock};
use super::row_group::{GroupLayout, LANES, RowGroup, STEP, SumKind, Words};
use super::unit::Unit;
use super::x86::Vnni;
use crate::memory::list;
use crate::threads::parallel::Shared;
use crate::threads::pieces::Pieces;
use alloc::vec::Vec;
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
    pub depth: usize,
    pub x: &'a RowGroup,
    /// Rows of the matrix, the columns of the result.
    pub columns: usize,
    /// Result, `[rows, columns]`.
    pub out: Shared<f32>,
}

/// Rows of blocks as bytes and scales: the value of an element is `scale code + minimum`.
struct DecodedRows {
    depth: usize,
    sub_blocks: usize,
    codes: Vec<u8>,
    scales: Vec<f32>,
    minima: Vec<f32>,
}

/// One of them.
#[derive(Clone, Copy)]
struct DecodedRow {
    codes: *const u8,
    scales: *const f32,
    minima: *const f32,
}

impl DecodedRows {
    fn new(depth: usize, sub_block: usize) -> Self {
        let sub_blocks = depth / sub_block;
        DecodedRows {
            depth,
            sub_blocks,
            codes: list(0, depth * TOGETHER),
            scales: list(0.0, sub_blocks * TOGETHER),
            minima: list(0.0, sub_blocks * TOGETHER),
        }
    }

    fn row(&self, row: usize) -> DecodedRow {
        DecodedRow {
            codes: self.codes[row * self.depth..].as_ptr(),
            scales: self.scales[row * self.sub_blocks..].as_ptr(),
            minima: self.minima[row * self.sub_blocks..].as_ptr(),
        }
    }
}

/// How rows of a format are decoded.
trait RowFormat {
    /// Elements for which activations have a scale.
    const BLOCK: usize;
    /// Elements with a scale and a minimum.
    const SUB_BLOCK: usize;
    const SUMS: SumKind;

    /// # Safety
    /// The machine has AVX-512 VNNI and VL.
    unsafe fn decode(row: &[u8], codes: &mut [u8], scales: &mut [f32], minima: &mut [f32]);
}

/// A format of blocks of 32 elements.
struct Blocks<F, const BYTES: usize>(PhantomData<F>);

impl<F: Block<BYTES>, const BYTES: usize> RowFormat for Blocks<F, BYTES> {
    const BLOCK: usize = 32;
    const SUB_BLOCK: usize = 32;
    const SUMS: SumKind = if F::IS_SIGNED { SumKind::Offset } else { SumKind::Scaled };

    #[inline(always)]
    unsafe fn decode(row: &[u8], codes: &mut [u8], scales: &mut [f32], minima: &mut [f32]) {
        let blocks = row.as_chunks::<BYTES>().0;
        let parts = codes.as_chunks_mut::<32>().0.iter_mut().zip(scales).zip(minima);
        for (block, ((codes, scale), minimum)) in blocks.iter().zip(parts) {
            let [d, m] = F::scales::<Vnni>(block);
            // SAFETY: by the contract; the codes have 32 bytes.
            unsafe {
                let own = F::codes::<Vnni>(block);
                let own = if F::IS_SIGNED { _mm256_xor_si256(own, _mm256_set1_epi8(-128)) } else { own };
                _mm256_storeu_si256(codes.as_mut_ptr().cast(), own);
                *scale = _mm256_cvtss_f32(d);
                *minimum = _mm256_cvtss_f32(m);
            }
        }
    }
}

/// A format of super-blocks of 256 elements, with sub-blocks of `SUB` that have a scale of their own.
struct SuperBlocks<F, const BYTES: usize, const SUB: usize>(PhantomData<F>);

impl<F: SuperBlock<BYTES>, const BYTES: usize, const SUB: usize> RowFormat for SuperBlocks<F, BYTES, SUB> {
    const BLOCK: usize = 256;
    const SUB_BLOCK: usize = SUB;
    const SUMS: SumKind = SumKind::Codes;

    #[inline(always)]
    unsafe fn decode(row: &[u8], codes: &mut [u8], scales: &mut [f32], minima: &mut [f32]) {
        let blocks = row.as_chunks::<BYTES>().0;
        let parts = scales.chunks_exact_mut(256 / SUB).zip(minima.chunks_exact_mut(256 / SUB));
        for ((block, codes), (scales, minima)) in blocks.iter().zip(codes.as_chunks_mut::<256>().0).zip(parts)
        {
            let (own, [s, t], [d, m]) =
                (F::codes::<Vnni>(block), F::sub_scales::<Vnni>(block), F::scales::<Vnni>(block));
            // SAFETY: by the contract; the codes have 256 bytes, and the others `256 / SUB` numbers.
            unsafe {
                for (part, own) in own.into_iter().enumerate() {
                    _mm256_storeu_si256(codes[part * 32..].as_mut_ptr().cast(), own);
                }
                store_scales(s, _mm256_cvtss_f32(d), scales);
                store_scales(t, -_mm256_cvtss_f32(m), minima);
            }
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

/// Multiplies some rows of the matrix with the group.
///
/// # Safety
/// The machine has AVX-512 VNNI and VL; the group and the rows have the sizes of the format.
#[inline(always)]
unsafe fn tile<F: RowFormat>(rows: &[DecodedRow; TOGETHER], x: &RowGroup) -> [__m256; TOGETHER] {
    let per_block = F::BLOCK / F::SUB_BLOCK;
    let mut totals = [Vnni::splat(0.0); TOGETHER];
    // SAFETY: by the contract: indices are below the numbers of codes, sub-blocks and blocks.
    unsafe {
        for (block, scale) in x.scales.iter().enumerate() {
            let scale = floats(scale);
            let mut sums = [Vnni::splat(0.0); TOGETHER];
            for index in block * per_block..(block + 1) * per_block {
                let dots = dots::<F>(rows, x, index);
                let own = floats(x.sums.get_unchecked(index));
                for (row, of) in rows.iter().enumerate() {
                    let of_scale = Vnni::splat(*of.scales.add(index));
                    let (to, factor) = match per_block {
                        1 => (&mut totals[row], Vnni::multiply(scale, of_scale)),
                        _ => (&mut sums[row], of_scale),
                    };
                    *to = Vnni::add_scaled(*to, dots[row], factor);
                    if F::SUMS != SumKind::Offset {
                        *to = Vnni::multiply_add(*to, Vnni::splat(*of.minima.add(index)), own);
                    }
                }
            }
            if per_block > 1 {
                for (total, sum) in totals.iter_mut().zip(sums) {
                    *total = Vnni::multiply_add(*total, sum, scale);
                }
            }
        }
    }
    totals
}

/// The sums of products of a sub-block, whole numbers.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn dots<F: RowFormat>(
    rows: &[DecodedRow; TOGETHER],
    x: &RowGroup,
    index: usize,
) -> [__m256i; TOGETHER] {
    // SAFETY: by the contract.
    unsafe {
        let start = match F::SUMS {
            SumKind::Offset => ints(x.sums.get_unchecked(index)),
            SumKind::Scaled | SumKind::Codes => Vnni::no_ints(),
        };
        let mut dots = [start; TOGETHER];
        for step in 0..F::SUB_BLOCK / STEP {
            let at = index * (F::SUB_BLOCK / STEP) + step;
            let own = ints(x.codes.get_unchecked(at));
            for (dot, of) in dots.iter_mut().zip(rows) {
                let codes = _mm256_set1_epi32(of.codes.add(at * STEP).cast::<i32>().read_unaligned());
                *dot = _mm256_dpbusd_epi32(*dot, codes, own);
            }
        }
        dots
    }
}

/// Writes some columns of the result.
///
/// # Safety
/// The machine has AVX-512 VNNI and VL, the result has room, and nothing else touches these columns.
#[inline(always)]
unsafe fn run_format<F: RowFormat>(problem: &GroupProblem<'_>, pieces: Pieces<'_>) {
    let GroupProblem { depth, columns, row_bytes, .. } = *problem;
    let mut decoded = DecodedRows::new(depth, F::SUB_BLOCK);
    let sub_blocks = decoded.sub_blocks;
    for range in pieces {
        for first in range.clone().step_by(TOGETHER) {
            let count = TOGETHER.min(range.end - first);
            for row in 0..count {
                let bytes = &problem.weights[(first + row) * row_bytes..][..row_bytes];
                let codes = &mut decoded.codes[row * depth..][..depth];
                let scales = &mut decoded.scales[row * sub_blocks..][..sub_blocks];
                let minima = &mut decoded.minima[row * sub_blocks..][..sub_blocks];
                // SAFETY: by the contract.
                unsafe {
                    prefetch(bytes, TOGETHER * row_bytes);
                    F::decode(bytes, codes, scales, minima);
                }
            }
            // Missing rows repeat the first one.
            let mut rows = [decoded.row(0); TOGETHER];
            for (row, to) in rows.iter_mut().enumerate().take(count) {
                *to = decoded.row(row);
            }
            // SAFETY: by the contract.
            unsafe {
                let found = tile::<F>(&rows, problem.x);
                store(&found, problem.out.get().add(first), columns, problem.x.rows, count);
            }
        }
    }
}

/// Asks for the bytes that come `ahead` bytes after these, which may be after the end: they are read while
/// this row is multiplied.
///
/// # Safety
/// The machine has SSE.
#[inline(always)]
unsafe fn prefetch(bytes: &[u8], ahead: usize) {
    for line in (0..bytes.len()).step_by(64) {
        // SAFETY: by the contract; a prefetch of an address that is not there does nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(ahead + line).cast()) };
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
