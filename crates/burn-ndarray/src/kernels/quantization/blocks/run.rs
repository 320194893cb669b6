//! The kernel of a format on the vector unit of the machine.

use super::activations::{ActivationRow, Activations};
use super::format::{Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0};
use super::portable::Portable;
use super::row_kernel::{blocks, super_blocks};
use super::unit::Unit;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use super::x86::{Avx2, Vnni};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::simd::{Level, level};
use crate::threads::parallel::Shared;
use burn_backend::BlockFormat;
use core::ops::Range;

/// Product of rows of activations with the rows of a matrix.
#[derive(Debug)]
pub struct Problem<'a> {
    pub format: BlockFormat,
    /// Rows of blocks, and the bytes of one.
    pub weights: &'a [u8],
    pub row_bytes: usize,
    pub x: &'a Activations,
    /// Rows of activations.
    pub rows: usize,
    /// Rows of the matrix, the columns of the result.
    pub columns: usize,
    /// Result, `[rows, columns]`.
    pub out: Shared<f32>,
}

/// Instruction sets that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    Portable,
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Avx2,
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Vnni,
}

impl UnitKind {
    /// Returns the units of this machine, the fastest last.
    pub fn available() -> impl Iterator<Item = UnitKind> {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        let vector = {
            let has_bytes = level() == Level::V4 && std::arch::is_x86_feature_detected!("avx512vnni");
            [(level() != Level::Baseline).then_some(UnitKind::Avx2), has_bytes.then_some(UnitKind::Vnni)]
        };
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        let vector: [Option<UnitKind>; 0] = [];
        core::iter::once(UnitKind::Portable).chain(vector.into_iter().flatten())
    }

    /// Returns the fastest unit of this machine.
    pub fn best() -> Self {
        UnitKind::available().last().unwrap_or(UnitKind::Portable)
    }

    /// Writes some columns of the result, which nothing else touches.
    ///
    /// # Safety
    /// The machine has the unit, and the result has room for all rows and columns.
    pub unsafe fn run(self, problem: &Problem<'_>, columns: Range<usize>) {
        match self {
            // SAFETY: by the contract.
            UnitKind::Portable => unsafe { run_format::<Portable>(problem, columns) },
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: by the contract.
            UnitKind::Avx2 => unsafe { avx2(problem, columns) },
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: by the contract.
            UnitKind::Vnni => unsafe { vnni(problem, columns) },
        }
    }
}

/// # Safety
/// As for [`UnitKind::run`].
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2(problem: &Problem<'_>, columns: Range<usize>) {
    // SAFETY: by the contract.
    unsafe { run_format::<Avx2>(problem, columns) }
}

/// # Safety
/// As for [`UnitKind::run`].
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn vnni(problem: &Problem<'_>, columns: Range<usize>) {
    // SAFETY: by the contract.
    unsafe { run_format::<Vnni>(problem, columns) }
}

/// # Safety
/// As for [`UnitKind::run`].
#[inline(always)]
unsafe fn run_format<U: Unit>(problem: &Problem<'_>, columns: Range<usize>) {
    macro_rules! run {
        ($kernel:ident $format:ident $bytes:literal) => {
            for column in columns {
                let row = &problem.weights[column * problem.row_bytes..][..problem.row_bytes];
                let mut at = 0;
                // SAFETY: by the contract, and rows are below the number of rows.
                unsafe {
                    while const { U::ROWS >= 4 } && problem.rows - at >= 4 {
                        write(problem, at, column, $kernel::<U, $format, $bytes, 4>(row, rows(problem, at)));
                        at += 4;
                    }
                    while const { U::ROWS >= 2 } && problem.rows - at >= 2 {
                        write(problem, at, column, $kernel::<U, $format, $bytes, 2>(row, rows(problem, at)));
                        at += 2;
                    }
                    while problem.rows > at {
                        write(problem, at, column, $kernel::<U, $format, $bytes, 1>(row, rows(problem, at)));
                        at += 1;
                    }
                }
            }
        };
    }
    match problem.format {
        BlockFormat::Q4_0 => run!(blocks Q4_0 18),
        BlockFormat::Q4_1 => run!(blocks Q4_1 20),
        BlockFormat::Q5_0 => run!(blocks Q5_0 22),
        BlockFormat::Q5_1 => run!(blocks Q5_1 24),
        BlockFormat::Q8_0 => run!(blocks Q8_0 34),
        BlockFormat::Q2K => run!(super_blocks Q2K 84),
        BlockFormat::Q3K => run!(super_blocks Q3K 110),
        BlockFormat::Q4K => run!(super_blocks Q4K 144),
        BlockFormat::Q5K => run!(super_blocks Q5K 176),
        BlockFormat::Q6K => run!(super_blocks Q6K 210),
    }
}

#[inline(always)]
fn rows<'a, const ROWS: usize>(problem: &Problem<'a>, from: usize) -> [ActivationRow<'a>; ROWS] {
    core::array::from_fn(|row| problem.x.row(from + row))
}

/// # Safety
/// The rows and the column exist, and nothing else touches them.
#[inline(always)]
unsafe fn write<const ROWS: usize>(problem: &Problem<'_>, from: usize, column: usize, sums: [f32; ROWS]) {
    for (row, sum) in sums.into_iter().enumerate() {
        // SAFETY: by the contract.
        unsafe { problem.out.get().add((from + row) * problem.columns + column).write(sum) };
    }
}
