//! Chains with a loop of their own, with AVX-512: those of softmax and of normalisations, as programs write
//! them. In it, nothing chooses among functions.

use super::chain_avx512::{BLOCK, LANES, TOGETHER, across, larger, present};
use super::chain_call::{ChainCall, ChainRows, Function, RowFold};
use crate::kernels::math::divide_sixteen::{Divisor, divide};
use crate::kernels::math::exp_sixteen::exp;
use crate::kernels::reduce::Fold;
use crate::simd::prefetch;
use core::arch::x86_64::*;
use core::ptr;

/// Most steps of such a chain.
const STEPS: usize = 4;

/// Computes the rows if their chain is one of these.
///
/// # Safety
/// As for [`super::chain_kernel::run`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub unsafe fn run(rows: &mut ChainRows<'_>) -> bool {
    if rows.first.operand.repeated {
        return false;
    }
    macro_rules! run {
        ($chain:ident, $fold:expr) => {{
            // SAFETY: by the contract, and the steps are those of the chain.
            unsafe { run_rows::<$chain, $fold>(rows) };
            true
        }};
    }
    match rows.fold.map(|fold| fold.fold) {
        None if Normalized::is(rows.calls) => run!(Normalized, NONE),
        None if Scaled::is(rows.calls) => run!(Scaled, NONE),
        None if Divided::is(rows.calls) => run!(Divided, NONE),
        Some(Fold::Sum) if Nothing::is(rows.calls) => run!(Nothing, SUM),
        Some(Fold::Max) if Nothing::is(rows.calls) => run!(Nothing, MAX),
        Some(Fold::Sum) if Squares::is(rows.calls) => run!(Squares, SUM),
        Some(Fold::Sum) if Exponentials::is(rows.calls) => run!(Exponentials, SUM),
        None | Some(Fold::Sum | Fold::Prod | Fold::Max | Fold::Min) => false,
    }
}

/// Reductions, as constants.
const NONE: u8 = 0;
const SUM: u8 = 1;
const MAX: u8 = 2;

/// Addresses of a step in one row.
#[derive(Clone, Copy)]
struct RowStep {
    other: *const f32,
    /// Null if the result is not kept.
    kept: *mut f32,
}

/// Steps of one row.
struct Row {
    first: *const f32,
    steps: [RowStep; STEPS],
    divisor: (f32, Option<Divisor>),
}

/// A chain of steps that are known to the compiler.
trait KnownChain {
    /// The step that divides by a number of each row.
    const DIVISION: Option<usize>;
    /// Whether the memory is asked for the rows of the next tile meanwhile. The first chain of a tile, a
    /// reduction, would wait for them; this one reads the same rows from the first cache, and computes more.
    const FETCHES_NEXT: bool;

    fn is(calls: &[ChainCall]) -> bool;

    /// Some vectors from element `at` on, after all steps.
    ///
    /// # Safety
    /// As for [`super::chain_kernel::run`].
    unsafe fn values<const N: usize>(row: &Row, at: usize, present: __mmask16) -> [__m512; N];
}

/// Chains: for each step its function and whether its other operand is one number for a row.
macro_rules! chains {
    ($($(#[$doc:meta])* $name:ident $division:expr, $fetches_next:literal => $($index:literal $function:ident $repeated:literal),*;)*) => {$(
        $(#[$doc])*
        struct $name;

        impl KnownChain for $name {
            const DIVISION: Option<usize> = $division;
            const FETCHES_NEXT: bool = $fetches_next;

            fn is(calls: &[ChainCall]) -> bool {
                let steps: &[(Function, bool)] = &[$((Function::$function, $repeated)),*];
                let is_alike = |(call, &(function, repeated)): (&ChainCall, &(Function, bool))| {
                    let is_alone = function == Function::Square || function == Function::Exp;
                    call.function == function && (is_alone || call.other.operand.repeated == repeated)
                };
                calls.len() == steps.len() && calls.iter().zip(steps).all(is_alike)
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
            unsafe fn values<const N: usize>(row: &Row, at: usize, present: __mmask16) -> [__m512; N] {
                // SAFETY: by the contract.
                #[allow(unused_mut)]
                let mut xs = unsafe { load::<N>(row.first, at, present) };
                $(
                    // SAFETY: as above.
                    unsafe { step::<N>(&mut xs, Function::$function, $repeated, (row, $index), at, present) };
                )*
                xs
            }
        }
    )*};
}
chains! {
    /// The elements themselves.
    Nothing None, false => ;
    /// `(x - mean)^2`
    Squares None, false => 0 Sub true, 1 Square true;
    /// `exp(x - max)`
    Exponentials None, false => 0 Sub true, 1 Exp true;
    /// `x / sum`
    Divided Some(0), false => 0 Div true;
    /// `(x - mean) / deviation * weight + bias`
    Normalized Some(1), true => 0 Sub true, 1 Div true, 2 Mul false, 3 Add false;
    /// `x / deviation * weight + bias`
    Scaled Some(0), false => 0 Div true, 1 Mul false, 2 Add false;
}

/// All rows, with a reduction.
///
/// # Safety
/// As for [`super::chain_kernel::run`]; the steps are those of the chain.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn run_rows<C: KnownChain, const FOLD: u8>(rows: &mut ChainRows<'_>) {
    for index in 0..rows.rows {
        let row = row::<C>(rows);
        let mut sums = match FOLD {
            MAX => _mm512_set1_ps(Fold::Max.identity()),
            _ => _mm512_set1_ps(Fold::Sum.identity()),
        };
        let whole = rows.columns / BLOCK * BLOCK;
        let next = row.first.wrapping_byte_add(rows.rows.wrapping_mul(rows.first.row));
        for at in (0..whole).step_by(BLOCK) {
            if C::FETCHES_NEXT {
                (at..at + BLOCK).step_by(LANES).for_each(|at| prefetch(next.wrapping_add(at).cast()));
            }
            // SAFETY: by the contract; so below.
            let [a, b, c, d] = unsafe { C::values::<TOGETHER>(&row, at, u16::MAX) };
            match FOLD {
                SUM => sums = _mm512_add_ps(sums, _mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d))),
                MAX => sums = larger(sums, larger(larger(a, b), larger(c, d))),
                _ => {}
            }
        }
        for at in (whole..rows.columns).step_by(LANES) {
            let present = present(at, rows.columns);
            // SAFETY: as above.
            let [x] = unsafe { C::values::<1>(&row, at, present) };
            match FOLD {
                SUM => sums = _mm512_mask_add_ps(sums, present, sums, x),
                MAX => sums = _mm512_mask_mov_ps(sums, present, larger(sums, x)),
                _ => {}
            }
        }
        if let Some(RowFold { is_mean, to, .. }) = rows.fold {
            let result = across(if FOLD == MAX { Fold::Max } else { Fold::Sum }, sums);
            let result = if is_mean { result / rows.columns as f32 } else { result };
            // SAFETY: as above.
            unsafe { to.add(index).write(result) };
        }
        rows.advance();
    }
}

/// The addresses of the next row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn row<C: KnownChain>(rows: &ChainRows<'_>) -> Row {
    let mut steps = [RowStep { other: ptr::null(), kept: ptr::null_mut() }; STEPS];
    for (step, call) in steps.iter_mut().zip(rows.calls.iter()) {
        let kept = call.kept.map_or(ptr::null_mut(), |kept| kept.start);
        *step = RowStep { other: call.other.operand.start.cast(), kept };
    }
    let divisor = match C::DIVISION {
        // SAFETY: the operand of a division is there.
        Some(step) => unsafe { steps[step].other.read() },
        None => 1.0,
    };
    let divisor = (divisor, C::DIVISION.and_then(|_| Divisor::new(divisor)));
    Row { first: rows.first.operand.start.cast(), steps, divisor }
}

/// Some vectors from element `at` on.
///
/// # Safety
/// Those that are `present` may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn load<const N: usize>(from: *const f32, at: usize, present: __mmask16) -> [__m512; N] {
    let mut loaded = [_mm512_setzero_ps(); N];
    for (k, vector) in loaded.iter_mut().enumerate() {
        // SAFETY: by the contract.
        unsafe {
            let from = from.add(at + k * LANES);
            *vector = if N == 1 { _mm512_maskz_loadu_ps(present, from) } else { _mm512_loadu_ps(from) };
        }
    }
    loaded
}

/// One step of some vectors, whose arguments but for addresses are constants.
///
/// # Safety
/// As for [`super::chain_kernel::run`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn step<const N: usize>(
    xs: &mut [__m512; N],
    function: Function,
    repeated: bool,
    (row, index): (&Row, usize),
    at: usize,
    present: __mmask16,
) {
    let RowStep { other, kept } = row.steps[index];
    // SAFETY: by the contract.
    let others = || unsafe {
        if repeated { [_mm512_set1_ps(other.read()); N] } else { load::<N>(other, at, present) }
    };
    match function {
        Function::Add => xs.iter_mut().zip(others()).for_each(|(x, y)| *x = _mm512_add_ps(*x, y)),
        Function::Sub => xs.iter_mut().zip(others()).for_each(|(x, y)| *x = _mm512_sub_ps(*x, y)),
        Function::Mul => xs.iter_mut().zip(others()).for_each(|(x, y)| *x = _mm512_mul_ps(*x, y)),
        Function::Div => divide(xs, row.divisor.0, row.divisor.1),
        Function::Square => xs.iter_mut().for_each(|x| *x = _mm512_mul_ps(*x, *x)),
        Function::Exp => xs.iter_mut().for_each(|x| *x = exp(*x)),
        Function::SubFrom
        | Function::DivInto
        | Function::Neg
        | Function::Abs
        | Function::Sqrt
        | Function::Recip
        | Function::Relu
        | Function::Erf
        | Function::Gelu => unreachable!("no step of a known chain"),
    }
    if !kept.is_null() {
        for (k, &x) in xs.iter().enumerate() {
            // SAFETY: by the contract.
            unsafe {
                let to = kept.add(at + k * LANES);
                if N == 1 { _mm512_mask_storeu_ps(to, present, x) } else { _mm512_storeu_ps(to, x) }
            }
        }
    }
}
