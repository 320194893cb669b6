//! Kernel of a chain of elementwise steps, with AVX-512: four vectors at a time go through all of them.

use crate::simd::Operand;

/// Most steps of a chain.
pub const MOST: usize = 16;

/// Function of the value `x`; `y` is the other operand.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    Add,
    /// `x - y`
    Sub,
    /// `y - x`
    SubFrom,
    Mul,
    /// `x / y`
    Div,
    /// `y / x`
    DivInto,
    Neg,
    Abs,
    Square,
    Sqrt,
    Recip,
    Relu,
    Exp,
    Erf,
    Gelu,
}

/// One step: functions of one operand do not read the other one.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub function: Function,
    pub other: Operand,
}

/// Whether this machine has the instructions.
pub fn is_available() -> bool {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    return crate::simd::level() == crate::simd::Level::V4;
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    return false;
}

/// Writes what the calls make of `len` elements. The results have the bits of the same steps one by one.
///
/// # Safety
/// [`is_available`] said so. All operands are `f32`: `len` of them may be read, or one of a repeated operand,
/// and `out` may be written; an operand that is not repeated is `out` or does not overlap with it.
pub unsafe fn run(first: Operand, calls: &[Call], out: *mut f32, len: usize) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    // SAFETY: by the contract.
    unsafe {
        avx512::run(first, calls, out, len);
    }
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    unreachable!("no chain of {len} elements from {first:?} to {out:?}: {calls:?}");
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx512 {
    use super::{Call, Function};
    use crate::kernels::math::erf_table::sixteen::{erf, gelu};
    use crate::kernels::math::exp_sixteen::exp;
    use crate::simd::Operand;
    use core::arch::x86_64::*;

    const LANES: usize = 16;
    /// Vectors that go through all steps together.
    const TOGETHER: usize = 4;

    /// # Safety
    /// As for [`super::run`].
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    pub unsafe fn run(first: Operand, calls: &[Call], out: *mut f32, len: usize) {
        let whole = len / (TOGETHER * LANES) * (TOGETHER * LANES);
        // SAFETY: by the contract.
        unsafe {
            for at in (0..whole).step_by(TOGETHER * LANES) {
                let results = values::<TOGETHER>(first, calls, at, u16::MAX);
                for (k, result) in results.into_iter().enumerate() {
                    _mm512_storeu_ps(out.add(at + k * LANES), result);
                }
            }
            for at in (whole..len).step_by(LANES) {
                let present = ((1_u32 << (len - at).min(LANES)) - 1) as __mmask16;
                let [result] = values::<1>(first, calls, at, present);
                _mm512_mask_storeu_ps(out.add(at), present, result);
            }
        }
    }

    /// Some vectors from element `at` on, of which the last has the elements that are `present`.
    ///
    /// # Safety
    /// As for [`super::run`].
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

    /// # Safety
    /// As for [`super::run`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    unsafe fn values<const N: usize>(
        first: Operand,
        calls: &[Call],
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
                    let ys = unsafe { load::<N>(call.other, at, present) };
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
                Function::Erf => each!(x => erf(x)),
                Function::Gelu => each!(x => gelu(x)),
            }
        }
        xs
    }
}
