//! Chains of elementwise steps with AVX-512.

use super::chain_call::{ChainCall, ChainRows, Function, RowFold, RowOperand};
use crate::kernels::math::divide_sixteen::{Divisor, divide};
use crate::kernels::math::erf_table::sixteen::{erf, gelu};
use crate::kernels::math::exp_sixteen::exp;
use crate::kernels::reduce::Fold;
use crate::simd::{ACCUMULATORS, Operand};
use core::arch::x86_64::*;

pub(super) const LANES: usize = ACCUMULATORS;
/// Vectors that go through all steps together: as many as are folded into each other first.
pub(super) const TOGETHER: usize = 4;
/// Elements of them.
pub(super) const BLOCK: usize = TOGETHER * LANES;

/// # Safety
/// As for [`super::chain_kernel::run`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub unsafe fn run(rows: &mut ChainRows<'_>) {
    // Two loops: beside an accumulator, the registers do not hold the constants of all functions.
    if let Some(RowFold { fold, is_mean, to, .. }) = rows.fold {
        for row in 0..rows.rows {
            // SAFETY: by the contract.
            let sums = unsafe { fold_row(rows, fold) };
            let result = across(fold, sums);
            let result = if is_mean { result / rows.columns as f32 } else { result };
            // SAFETY: as above.
            unsafe { to.add(row).write(result) };
            rows.advance();
        }
        return;
    }
    for _ in 0..rows.rows {
        // SAFETY: by the contract.
        unsafe { pass_row(rows) };
        rows.advance();
    }
}

impl ChainRows<'_> {
    /// Goes to the next row.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        self.first.advance();
        for call in self.calls.iter_mut() {
            call.other.advance();
            if let Some(kept) = &mut call.kept {
                kept.start = kept.start.wrapping_byte_add(kept.row);
            }
        }
    }
}

impl RowOperand {
    /// Goes to the next row.
    #[inline(always)]
    fn advance(&mut self) {
        self.operand.start = self.operand.start.wrapping_byte_add(self.row);
    }
}

/// The elements of the last vector of a row that begins at `at`.
#[inline(always)]
pub(super) fn present(at: usize, columns: usize) -> __mmask16 {
    ((1_u32 << (columns - at).min(LANES)) - 1) as __mmask16
}

/// One row through all steps.
///
/// # Safety
/// As for [`super::chain_kernel::run`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn pass_row(rows: &ChainRows<'_>) {
    let (first, calls, columns) = (rows.first.operand, &*rows.calls, rows.columns);
    let whole = columns / BLOCK * BLOCK;
    for at in (0..whole).step_by(BLOCK) {
        // SAFETY: by the contract; so below.
        unsafe { values::<TOGETHER, false>(first, calls, at, u16::MAX) };
    }
    for at in (whole..columns).step_by(LANES) {
        // SAFETY: as above.
        unsafe { values::<1, false>(first, calls, at, present(at, columns)) };
    }
}

/// As [`pass_row`]. Returns accumulators of the last value, in the order of [`crate::simd::fold`].
///
/// # Safety
/// As for [`super::chain_kernel::run`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn fold_row(rows: &ChainRows<'_>, fold: Fold) -> __m512 {
    let (first, calls, columns) = (rows.first.operand, &*rows.calls, rows.columns);
    let mut sums = _mm512_set1_ps(fold.identity());
    let whole = columns / BLOCK * BLOCK;
    for at in (0..whole).step_by(BLOCK) {
        // SAFETY: by the contract; so below.
        let [a, b, c, d] = unsafe { values::<TOGETHER, true>(first, calls, at, u16::MAX) };
        sums = match fold {
            Fold::Sum => _mm512_add_ps(sums, _mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d))),
            Fold::Prod => _mm512_mul_ps(sums, _mm512_mul_ps(_mm512_mul_ps(a, b), _mm512_mul_ps(c, d))),
            Fold::Max => larger(sums, larger(larger(a, b), larger(c, d))),
            Fold::Min => smaller(sums, smaller(smaller(a, b), smaller(c, d))),
        };
    }
    for at in (whole..columns).step_by(LANES) {
        let present = present(at, columns);
        // SAFETY: as above.
        let [x] = unsafe { values::<1, true>(first, calls, at, present) };
        let sum = match fold {
            Fold::Sum => _mm512_add_ps(sums, x),
            Fold::Prod => _mm512_mul_ps(sums, x),
            Fold::Max => larger(sums, x),
            Fold::Min => smaller(sums, x),
        };
        sums = _mm512_mask_mov_ps(sums, present, sum);
    }
    sums
}

/// The fold of accumulators, which are halved until one is left, as [`crate::simd::fold`] does.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn across(fold: Fold, sums: __m512) -> f32 {
    let eight = folded(fold, sums, _mm512_shuffle_f32x4::<0b1110>(sums, sums));
    let four = folded(fold, eight, _mm512_shuffle_f32x4::<1>(eight, eight));
    let two = folded(fold, four, _mm512_permute_ps::<0b1110>(four));
    _mm512_cvtss_f32(folded(fold, two, _mm512_permute_ps::<1>(two)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn folded(fold: Fold, x: __m512, y: __m512) -> __m512 {
    match fold {
        Fold::Sum => _mm512_add_ps(x, y),
        Fold::Prod => _mm512_mul_ps(x, y),
        Fold::Max => larger(x, y),
        Fold::Min => smaller(x, y),
    }
}

/// The larger; the first where it is NaN, as [`crate::elements::arithmetic::Arithmetic::larger`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn larger(x: __m512, y: __m512) -> __m512 {
    // The instruction gives the second where one is NaN.
    let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
    _mm512_mask_mov_ps(_mm512_max_ps(x, y), is_nan, x)
}

/// As [`larger`], the smaller.
#[inline]
#[target_feature(enable = "avx512f")]
fn smaller(x: __m512, y: __m512) -> __m512 {
    let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
    _mm512_mask_mov_ps(_mm512_min_ps(x, y), is_nan, x)
}

/// Some vectors from element `at` on, of which the last has the elements that are `present`.
///
/// # Safety
/// As for [`super::chain_kernel::run`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn load<const N: usize>(from: Operand, at: usize, present: __mmask16) -> [__m512; N] {
    let start = from.start.cast::<f32>();
    // SAFETY: by the contract; elements that are not present are not touched.
    unsafe {
        if from.repeated {
            return [_mm512_set1_ps(start.read()); N];
        }
        let mut loaded = [_mm512_setzero_ps(); N];
        for (k, vector) in loaded.iter_mut().enumerate() {
            let from = start.add(at + k * LANES);
            *vector = if N == 1 { _mm512_maskz_loadu_ps(present, from) } else { _mm512_loadu_ps(from) };
        }
        loaded
    }
}

/// Some vectors from element `at` on, after all steps, whose kept results are written. With `FOLDED`, steps
/// are no [`Function::is_by_table`].
///
/// # Safety
/// As for [`super::chain_kernel::run`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn values<const N: usize, const FOLDED: bool>(
    first: Operand,
    calls: &[ChainCall],
    at: usize,
    present: __mmask16,
) -> [__m512; N] {
    // SAFETY: by the contract; so below.
    let mut xs = unsafe { load::<N>(first, at, present) };
    macro_rules! each {
        ($x:ident => $result:expr) => {
            for x in &mut xs {
                let $x = *x;
                *x = $result;
            }
        };
    }
    for call in calls {
        macro_rules! pairs {
            ($x:ident, $y:ident => $result:expr) => {{
                // SAFETY: as above.
                let ys = unsafe { load::<N>(call.other.operand, at, present) };
                for (x, $y) in xs.iter_mut().zip(ys) {
                    let $x = *x;
                    *x = $result;
                }
            }};
        }
        match call.function {
            Function::Add => pairs!(x, y => _mm512_add_ps(x, y)),
            Function::Sub => pairs!(x, y => _mm512_sub_ps(x, y)),
            Function::SubFrom => pairs!(x, y => _mm512_sub_ps(y, x)),
            Function::Mul => pairs!(x, y => _mm512_mul_ps(x, y)),
            Function::Div if call.other.operand.repeated => {
                // SAFETY: as above.
                let y = unsafe { call.other.operand.start.cast::<f32>().read() };
                divide(&mut xs, y, Divisor::new(y));
            }
            Function::Div => pairs!(x, y => _mm512_div_ps(x, y)),
            Function::DivInto => pairs!(x, y => _mm512_div_ps(y, x)),
            Function::Neg => each!(x => _mm512_xor_ps(x, _mm512_set1_ps(-0.0))),
            Function::Abs => each!(x => _mm512_abs_ps(x)),
            Function::Square => each!(x => _mm512_mul_ps(x, x)),
            Function::Sqrt => each!(x => _mm512_sqrt_ps(x)),
            Function::Recip => each!(x => _mm512_div_ps(_mm512_set1_ps(1.0), x)),
            Function::Relu => each!(x => {
                let is_below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, _mm512_setzero_ps());
                _mm512_mask_mov_ps(x, is_below, _mm512_setzero_ps())
            }),
            Function::Exp => each!(x => exp(x)),
            Function::Erf | Function::Gelu if FOLDED => {}
            Function::Erf => each!(x => erf(x)),
            Function::Gelu => each!(x => gelu(x)),
        }
        if let Some(kept) = call.kept {
            // SAFETY: as above.
            unsafe { keep(&xs, kept.start, at, present) };
        }
    }
    xs
}

/// Stores vectors from element `at` on, as [`load`] loads them.
///
/// # Safety
/// As for [`super::chain_kernel::run`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn keep<const N: usize>(xs: &[__m512; N], to: *mut f32, at: usize, present: __mmask16) {
    for (k, &x) in xs.iter().enumerate() {
        let to = to.wrapping_add(at + k * LANES);
        // SAFETY: by the contract.
        unsafe {
            if N == 1 {
                _mm512_mask_storeu_ps(to, present, x);
            } else {
                _mm512_storeu_ps(to, x);
            }
        }
    }
}
