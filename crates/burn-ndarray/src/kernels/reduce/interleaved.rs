//! Folds of two to four runs whose elements take turns, with AVX-512: the columns of a tall transposed
//! matrix. They are brought into order in registers.

use super::fold::Fold;
use crate::elements::arithmetic::Arithmetic;
use crate::elements::number::Number;
use crate::simd::{ACCUMULATORS, ROUND, fold_after};
use core::arch::x86_64::*;

/// Numbers of runs that there are kernels for.
pub const RUNS: core::ops::RangeInclusive<usize> = 2..=4;
/// Most runs.
const MOST: usize = *RUNS.end();

/// Elements that are next to each other in the order of the fold.
type Block = [f32; ACCUMULATORS];

/// Runs of `count` elements that start `apart` elements from each other.
#[derive(Clone, Copy, Debug)]
pub struct Interleaved {
    pub start: *const f32,
    pub apart: usize,
    pub count: usize,
}

/// The fold of the first element of each of `runs` runs, then of the second ones, and so on, in the order of
/// [`crate::simd::fold`].
///
/// # Safety
/// The elements may be read, and the machine has AVX-512.
pub unsafe fn fold_interleaved(fold: Fold, of: Interleaved, runs: usize) -> f32 {
    // SAFETY: by the contract.
    unsafe {
        match runs {
            2 => fold_runs::<2>(fold, of),
            3 => fold_runs::<3>(fold, of),
            _ => fold_runs::<4>(fold, of),
        }
    }
}

/// # Safety
/// As for [`fold_interleaved`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn fold_runs<const N: usize>(fold: Fold, of: Interleaved) -> f32 {
    // SAFETY: by the contract.
    unsafe {
        match fold {
            Fold::Sum => fold_with::<N>(of, f32::ZERO, f32::plus),
            Fold::Prod => fold_with::<N>(of, f32::ONE, f32::times),
            Fold::Max => fold_with::<N>(of, f32::LOWEST, f32::larger),
            Fold::Min => fold_with::<N>(of, f32::HIGHEST, f32::smaller),
        }
    }
}

/// # Safety
/// As for [`fold_interleaved`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn fold_with<const N: usize>(
    of: Interleaved,
    identity: f32,
    f: impl Fn(f32, f32) -> f32 + Copy,
) -> f32 {
    let run = |k: usize| of.start.wrapping_add(k.wrapping_mul(of.apart));
    let whole = of.count / ROUND * ROUND;
    let mut lanes = [identity; ACCUMULATORS];
    for first in (0..whole).step_by(ROUND) {
        // As many rounds as runs.
        let mut blocks = [[[identity; ACCUMULATORS]; N]; ROUND / ACCUMULATORS];
        for (part, blocks) in blocks.iter_mut().enumerate() {
            let mut runs = [[identity; ACCUMULATORS]; N];
            for k in 0..N {
                // SAFETY: by the contract.
                runs[k] = unsafe { run(k).add(first + part * ACCUMULATORS).cast::<Block>().read_unaligned() };
            }
            *blocks = in_order(runs);
        }
        let blocks = blocks.as_flattened();
        for round in 0..N {
            let [a, b, c, d] = [0, 1, 2, 3].map(|block| blocks[4 * round + block]);
            for lane in 0..ACCUMULATORS {
                lanes[lane] = f(lanes[lane], f(f(a[lane], b[lane]), f(c[lane], d[lane])));
            }
        }
    }
    let mut rest = [identity; MOST * ROUND];
    for at in whole..of.count {
        for k in 0..N {
            // SAFETY: by the contract.
            rest[(at - whole) * N + k] = unsafe { run(k).add(at).read() };
        }
    }
    fold_after(lanes, &rest[..(of.count - whole) * N], f)
}

/// Elements of as many runs, in turns.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_order<const N: usize>(runs: [Block; N]) -> [Block; N] {
    let mut blocks = runs;
    for block in 0..N {
        // SAFETY: a block and a list of indices are as long as a register, and so below.
        let mut all = unsafe { _mm512_loadu_ps(runs[0].as_ptr()) };
        for k in 1..N {
            let indices = &Picked::<N>::INDICES[block][k];
            // SAFETY: as above.
            let (indices, run) =
                unsafe { (_mm512_loadu_si512(indices.as_ptr().cast()), _mm512_loadu_ps(runs[k].as_ptr())) };
            all = _mm512_permutex2var_ps(all, indices, run);
        }
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(blocks[block].as_mut_ptr(), all) };
    }
    blocks
}

/// Which elements a block picks of `N` runs.
struct Picked<const N: usize>;

impl<const N: usize> Picked<N> {
    /// By block and by the run that is merged into those before it. Index 16 and above is one of that run;
    /// the first merge also puts elements of run 0 where they belong.
    const INDICES: [[[i32; ACCUMULATORS]; N]; N] = {
        let mut all = [[[0; ACCUMULATORS]; N]; N];
        let mut at = 0;
        while at < N * ACCUMULATORS {
            let (block, lane, run, place) = (at / ACCUMULATORS, at % ACCUMULATORS, at % N, at / N);
            let mut k = 1;
            while k < N {
                let own = (ACCUMULATORS + place) as i32;
                let before = if k == 1 { place } else { lane } as i32;
                all[block][k][lane] = if run == k { own } else { before };
                k += 1;
            }
            at += 1;
        }
        all
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::reduce::fold_run;
    use crate::kernels::reduce::folded::Folded;
    use crate::miri::shrink;
    use crate::simd::{Level, level};
    use std::vec::Vec;

    #[test]
    fn interleaved_runs_fold_like_their_copy() {
        for runs in RUNS {
            for count in [0, 1, 5, 63, 64, 65, 200, shrink(2730, 210)] {
                let apart = count + 3;
                let xs: Vec<f32> =
                    (0..runs * apart).map(|i| ((i * 37 % 101) as f32 / 50.0 - 1.0).cbrt()).collect();
                let copy: Vec<f32> = (0..runs * count).map(|at| xs[at % runs * apart + at / runs]).collect();
                if copy.len() < crate::simd::FEW {
                    continue;
                }
                for fold in [Fold::Sum, Fold::Prod, Fold::Max, Fold::Min] {
                    if level() != Level::V4 {
                        // SAFETY: the list has the elements.
                        let found = unsafe { f32::fold_interleaved(fold, xs.as_ptr(), apart, runs, count) };
                        assert_eq!(found, None, "{fold:?} of {count} x {runs} has no kernel here");
                        continue;
                    }
                    let of = Interleaved { start: xs.as_ptr(), apart, count };
                    // SAFETY: as above, and the machine was asked.
                    let found = unsafe { fold_interleaved(fold, of, runs) };
                    let expected = fold_run(fold, &copy);
                    assert_eq!(found.to_bits(), expected.to_bits(), "{fold:?} of {count} x {runs}");
                }
            }
        }
    }
}
