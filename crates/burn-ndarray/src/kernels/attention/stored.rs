//! Keys and values in the precision in which they are stored: loops that widen them in registers.

use super::element::{Element, total};
use super::product::StridedRows;
use crate::elements::number::Number;
use crate::kernels::math::{brain_to_single, half_to_single};
use crate::simd::{dispatch, prefetch};
use burn_backend::{bf16, f16};
use core::slice;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;

/// Elements that one loop iteration processes.
const LANES: usize = 16;
/// Rows that are read together: each element of a query, or of a sum, is loaded once for them.
const TOGETHER: usize = 4;
/// Rows after those that are read that the caches fetch meanwhile: about as many as memory takes to answer.
const AHEAD: usize = 2 * TOGETHER;
/// Bytes of a cache line.
const LINE: usize = 64;

/// Operands of one kernel: `rows` queries, and `keys` rows of `size` stored elements.
#[derive(Clone, Copy, Debug)]
pub struct Pass<S, E> {
    pub rows: usize,
    pub keys: usize,
    pub size: usize,
    /// Rows of keys, or of values.
    pub stored: StridedRows<*const S>,
    /// Queries, or sums of values; rows of `size` elements.
    pub dense: StridedRows<*mut E>,
    /// Scores, or weights; rows of `keys` elements.
    pub scores: StridedRows<*mut E>,
}

/// Element type of keys and values.
pub trait Stored: Copy {
    /// Element that attention is computed with.
    type Wide: Element;

    fn widen(self) -> Self::Wide;

    /// Widens neighbours at once.
    #[inline(always)]
    fn widen_all<const FMA: bool>(x: &[Self; LANES]) -> [Self::Wide; LANES] {
        x.map(Self::widen)
    }

    /// `x factor + sum`.
    fn times_plus<const FMA: bool>(x: Self::Wide, factor: Self::Wide, sum: Self::Wide) -> Self::Wide;

    /// Writes the products of all queries with all keys to the scores.
    ///
    /// # Safety
    /// The rows of stored elements and queries may be read, those of scores written, by nothing else
    /// meanwhile.
    unsafe fn score(of: Pass<Self, Self::Wide>);

    /// Adds all values, each times its weight, to the sums.
    ///
    /// # Safety
    /// The rows of stored elements and weights may be read, those of sums written, by nothing else meanwhile.
    unsafe fn weigh(of: Pass<Self, Self::Wide>);
}

impl<S: Stored> Pass<S, S::Wide> {
    /// Rows of stored elements from `first` on; those after the last one are the last one.
    ///
    /// # Safety
    /// As for [`Stored::score`].
    #[inline(always)]
    unsafe fn together<'a>(&self, first: usize) -> [&'a [S]; TOGETHER] {
        core::array::from_fn(|k| {
            let row = self.stored.after((first + k).min(self.keys - 1));
            // SAFETY: by the contract.
            unsafe { slice::from_raw_parts(row.start, self.size) }
        })
    }

    /// Fetches a share of the rows [`AHEAD`] of `first`: that of one of the rows which meet each of them.
    #[inline(always)]
    fn fetch(&self, first: usize, row: usize) {
        for k in (row..TOGETHER).step_by(self.rows) {
            let ahead = first + AHEAD + k;
            if ahead < self.keys {
                let start = self.stored.start.wrapping_add(ahead * self.stored.step).cast::<u8>();
                (0..self.size * size_of::<S>()).step_by(LINE).for_each(|at| prefetch(start.wrapping_add(at)));
            }
        }
    }

    /// # Safety
    /// As for [`Stored::score`].
    #[inline(always)]
    unsafe fn dense_row<'a>(&self, row: usize) -> &'a mut [S::Wide] {
        // SAFETY: by the contract.
        unsafe { slice::from_raw_parts_mut(self.dense.start.add(row * self.dense.step), self.size) }
    }

    /// Scores of a row for the keys from `first` on, at most [`TOGETHER`].
    ///
    /// # Safety
    /// As for [`Stored::score`].
    #[inline(always)]
    unsafe fn scores_of<'a>(&self, row: usize, first: usize) -> &'a mut [S::Wide] {
        let count = TOGETHER.min(self.keys - first);
        // SAFETY: by the contract.
        unsafe { slice::from_raw_parts_mut(self.scores.start.add(row * self.scores.step + first), count) }
    }
}

/// # Safety
/// See [`Stored::score`].
#[inline(always)]
unsafe fn score<S: Stored, const FMA: bool>(of: Pass<S, S::Wide>) {
    let zero = <S::Wide as Number>::ZERO;
    for first in (0..of.keys).step_by(TOGETHER) {
        // SAFETY: by the contract.
        let keys = unsafe { of.together(first) };
        let parts = keys.map(|key| key.as_chunks::<LANES>().0);
        for row in 0..of.rows {
            of.fetch(first, row);
            // SAFETY: by the contract; the two rows are of different memory.
            let (query, scores) = unsafe { (of.dense_row(row), of.scores_of(row, first)) };
            let (xs, rest) = query.as_chunks::<LANES>();
            let parts = parts.map(|part| &part[..xs.len()]);
            let mut sums = [[zero; LANES]; TOGETHER];
            for (at, x) in xs.iter().enumerate() {
                for k in 0..TOGETHER {
                    let key = S::widen_all::<FMA>(&parts[k][at]);
                    for lane in 0..LANES {
                        sums[k][lane] = S::times_plus::<FMA>(key[lane], x[lane], sums[k][lane]);
                    }
                }
            }
            let tails = keys.map(|key| &key[xs.len() * LANES..]);
            for ((score, sums), tail) in scores.iter_mut().zip(sums).zip(tails) {
                let tail = rest.iter().zip(tail);
                let tail = tail.fold(zero, |sum, (&x, &y)| S::times_plus::<FMA>(y.widen(), x, sum));
                *score = total(sums) + tail;
            }
        }
    }
}

/// # Safety
/// See [`Stored::weigh`].
#[inline(always)]
unsafe fn weigh<S: Stored, const FMA: bool>(of: Pass<S, S::Wide>) {
    for first in (0..of.keys).step_by(TOGETHER) {
        // SAFETY: by the contract.
        let values = unsafe { of.together(first) };
        for row in 0..of.rows {
            of.fetch(first, row);
            // SAFETY: by the contract; the two rows are of different memory.
            let (sums, weights) = unsafe { (of.dense_row(row), of.scores_of(row, first)) };
            match <[S::Wide; TOGETHER]>::try_from(&*weights) {
                Ok(weights) => add_rows::<S, TOGETHER, FMA>(sums, weights, values),
                Err(_few) => {
                    for (&weight, value) in weights.iter().zip(values) {
                        add_rows::<S, 1, FMA>(sums, [weight], [value]);
                    }
                }
            }
        }
    }
}

/// `sums += weights[0] values[0] + weights[1] values[1] + ..`.
#[inline(always)]
fn add_rows<S: Stored, const N: usize, const FMA: bool>(
    sums: &mut [S::Wide],
    weights: [S::Wide; N],
    values: [&[S]; N],
) {
    let (parts, rest) = sums.as_chunks_mut::<LANES>();
    let count = parts.len();
    let own = values.map(|value| &value.as_chunks::<LANES>().0[..count]);
    for (at, sums) in parts.iter_mut().enumerate() {
        // A copy stays in registers; sums in memory are added to one by one.
        let mut total = *sums;
        for k in 0..N {
            let value = S::widen_all::<FMA>(&own[k][at]);
            for lane in 0..LANES {
                total[lane] = S::times_plus::<FMA>(value[lane], weights[k], total[lane]);
            }
        }
        *sums = total;
    }
    let tails = values.map(|value| &value[count * LANES..]);
    for (at, sum) in rest.iter_mut().enumerate() {
        for k in 0..N {
            *sum = S::times_plus::<FMA>(tails[k][at].widen(), weights[k], *sum);
        }
    }
}

macro_rules! stored {
    ($($ty:ty as $wide:ty: $widen:expr $(, all $all:ident)?; $score_body:ident, $score:ident, $weigh_body:ident, $weigh:ident;)*) => {$(
        #[inline(always)]
        fn $score_body<const FMA: bool>(of: Pass<$ty, $wide>) {
            // SAFETY: by the contract of `Stored::score`, the only caller.
            unsafe { score::<$ty, FMA>(of) }
        }
        dispatch! { fn $score(of: Pass<$ty, $wide>) = $score_body }
        #[inline(always)]
        fn $weigh_body<const FMA: bool>(of: Pass<$ty, $wide>) {
            // SAFETY: by the contract of `Stored::weigh`, the only caller.
            unsafe { weigh::<$ty, FMA>(of) }
        }
        dispatch! { fn $weigh(of: Pass<$ty, $wide>) = $weigh_body }

        impl Stored for $ty {
            type Wide = $wide;

            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }
            $(#[inline(always)]
            fn widen_all<const FMA: bool>(x: &[Self; LANES]) -> [$wide; LANES] {
                $all::<FMA>(x)
            })?
            #[inline(always)]
            fn times_plus<const FMA: bool>(x: $wide, factor: $wide, sum: $wide) -> $wide {
                if FMA { x.mul_add(factor, sum) } else { x * factor + sum }
            }
            unsafe fn score(of: Pass<Self, $wide>) {
                $score(of);
            }
            unsafe fn weigh(of: Pass<Self, $wide>) {
                $weigh(of);
            }
        }
    )*};
}
stored! {
    f32 as f32: core::convert::identity; score_f32_body, score_f32, weigh_f32_body, weigh_f32;
    f64 as f64: core::convert::identity; score_f64_body, score_f64, weigh_f64_body, weigh_f64;
    f16 as f32: widen_half, all widen_halves; score_f16_body, score_f16, weigh_f16_body, weigh_f16;
    bf16 as f32: |x: bf16| brain_to_single(x.to_bits()); score_bf16_body, score_bf16, weigh_bf16_body, weigh_bf16;
}

#[inline(always)]
fn widen_half(x: f16) -> f32 {
    half_to_single(x.to_bits())
}

/// x86 has an instruction for halves wherever it has one for multiplication and addition.
#[inline(always)]
fn widen_halves<const FMA: bool>(x: &[f16; LANES]) -> [f32; LANES] {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if FMA {
        use core::arch::x86_64::*;
        let mut wide = [0.0; LANES];
        for (to, from) in wide.as_chunks_mut::<8>().0.iter_mut().zip(x.as_chunks::<8>().0) {
            // SAFETY: `dispatch` has found F16C; both sides are eight elements.
            unsafe {
                _mm256_storeu_ps(to.as_mut_ptr(), _mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast())))
            };
        }
        return wide;
    }
    x.map(widen_half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn widen_body<const FMA: bool>(x: &[f16; LANES], to: &mut [f32; LANES]) {
        *to = widen_halves::<FMA>(x);
    }
    dispatch! { fn widen(x: &[f16; LANES], to: &mut [f32; LANES]) = widen_body }

    #[test]
    fn neighbours_are_widened_like_single_halves() {
        for first in (0..=u16::MAX).step_by(LANES) {
            let halves = core::array::from_fn(|lane| f16::from_bits(first + lane as u16));
            let mut found = [0.0; LANES];
            widen(&halves, &mut found);
            for (found, half) in found.into_iter().zip(halves) {
                // By the crate of the type, which has no part in the kernels.
                let expected = half.to_f32();
                let is_equal = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
                assert!(is_equal, "{half:?}: {found}");
            }
        }
    }
}
