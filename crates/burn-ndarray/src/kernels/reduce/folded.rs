use super::fold::{Blocks, Fold, Runs, accumulate, fold_runs, join};
use super::strips::{StripRows, fold_strips};
use crate::elements::load::Wide;
use crate::simd::dispatch;

/// Bytes of a strip.
pub const STRIP: usize = 512;
/// Bytes of a narrow strip of few rows.
const NARROW: usize = STRIP / 4;

/// The kernels of a type of arithmetic, compiled for the machine.
pub trait Folded: Wide {
    /// The fold of each run.
    ///
    /// # Safety
    /// As many runs as results may be read.
    unsafe fn fold_runs(fold: Fold, runs: Runs<Self>, out: &mut [Self]);
    /// The fold of each column of the rows.
    ///
    /// # Safety
    /// As many elements of each row as there are results may be read.
    unsafe fn fold_strips(fold: Fold, rows: StripRows<'_, Self>, out: &mut [Self]);
    /// Folds rows into accumulators.
    ///
    /// # Safety
    /// The rows may be read and do not overlap with the accumulators.
    unsafe fn accumulate(fold: Fold, blocks: Blocks<'_, Self>);
    /// The fold of the elements of `runs` runs in turns: `count` of each run, which start `apart` elements
    /// from each other. `None` if this machine has no kernel for them.
    ///
    /// # Safety
    /// The elements may be read.
    unsafe fn fold_interleaved(
        fold: Fold,
        start: *const Self,
        apart: usize,
        runs: usize,
        count: usize,
    ) -> Option<Self>;
    /// The fold of all accumulators, which are as many times as long as the result.
    fn join(fold: Fold, accumulators: &[Self], out: &mut [Self]);
}

/// See [`Folded::fold_interleaved`].
///
/// # Safety
/// The elements may be read.
unsafe fn interleaved_f32(
    fold: Fold,
    start: *const f32,
    apart: usize,
    runs: usize,
    count: usize,
) -> Option<f32> {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        use super::interleaved::{Interleaved, RUNS, fold_interleaved};
        use crate::simd::{Level, ROUND, level};
        if RUNS.contains(&runs) && count >= ROUND && level() == Level::V4 {
            // SAFETY: by the contract, and the machine has AVX-512.
            return Some(unsafe { fold_interleaved(fold, Interleaved { start, apart, count }, runs) });
        }
    }
    let _ = (fold, start, apart, runs, count);
    None
}

/// As [`interleaved_f32`], of types that have no kernel.
///
/// # Safety
/// None; it is that of the others.
unsafe fn no_kernel<E>(_: Fold, _: *const E, _: usize, _: usize, _: usize) -> Option<E> {
    None
}

macro_rules! folded {
    ($($ty:ident: $runs_body:ident $runs:ident $strips_body:ident $strips:ident $rows_body:ident $rows:ident
        $join_body:ident $join:ident $interleaved:ident;)*) => {$(
        #[inline(always)]
        fn $runs_body<const FMA: bool>(fold: Fold, runs: Runs<$ty>, out: &mut [$ty]) {
            // SAFETY: by the contract of the only caller.
            unsafe { fold_runs(fold, runs, out) }
        }
        dispatch! { fn $runs(fold: Fold, runs: Runs<$ty>, out: &mut [$ty]) = $runs_body }
        #[inline(always)]
        fn $rows_body<const FMA: bool>(fold: Fold, blocks: Blocks<'_, $ty>) {
            // SAFETY: by the contract of the only caller.
            unsafe { accumulate(fold, blocks) }
        }
        dispatch! { fn $rows(fold: Fold, blocks: Blocks<'_, $ty>) = $rows_body }
        #[inline(always)]
        fn $join_body<const FMA: bool>(fold: Fold, accumulators: &[$ty], out: &mut [$ty]) {
            join(fold, accumulators, out);
        }
        dispatch! { fn $join(fold: Fold, accumulators: &[$ty], out: &mut [$ty]) = $join_body }
        #[inline(always)]
        fn $strips_body<const FMA: bool>(fold: Fold, rows: StripRows<'_, $ty>, out: &mut [$ty]) {
            // SAFETY: by the contract of the only caller.
            unsafe {
                fold_strips::<$ty, { STRIP / size_of::<$ty>() }, { NARROW / size_of::<$ty>() }>(fold, rows, out);
            }
        }
        dispatch! { fn $strips(fold: Fold, rows: StripRows<'_, $ty>, out: &mut [$ty]) = $strips_body }

        impl Folded for $ty {
            unsafe fn fold_runs(fold: Fold, runs: Runs<$ty>, out: &mut [$ty]) {
                $runs(fold, runs, out);
            }
            unsafe fn fold_strips(fold: Fold, rows: StripRows<'_, $ty>, out: &mut [$ty]) {
                $strips(fold, rows, out);
            }
            unsafe fn accumulate(fold: Fold, blocks: Blocks<'_, $ty>) {
                $rows(fold, blocks);
            }
            unsafe fn fold_interleaved(
                fold: Fold,
                start: *const $ty,
                apart: usize,
                runs: usize,
                count: usize,
            ) -> Option<$ty> {
                // SAFETY: by the contract.
                unsafe { $interleaved(fold, start, apart, runs, count) }
            }
            fn join(fold: Fold, accumulators: &[$ty], out: &mut [$ty]) {
                $join(fold, accumulators, out);
            }
        }
    )*};
}
folded! {
    f32: runs_body_f32 runs_f32 strips_body_f32 strips_f32 rows_body_f32 rows_f32
        join_body_f32 join_f32 interleaved_f32;
    i64: runs_body_i64 runs_i64 strips_body_i64 strips_i64 rows_body_i64 rows_i64
        join_body_i64 join_i64 no_kernel;
}
#[cfg(feature = "dtypes")]
folded! {
    f64: runs_body_f64 runs_f64 strips_body_f64 strips_f64 rows_body_f64 rows_f64
        join_body_f64 join_f64 no_kernel;
    u64: runs_body_u64 runs_u64 strips_body_u64 strips_u64 rows_body_u64 rows_u64
        join_body_u64 join_u64 no_kernel;
}
