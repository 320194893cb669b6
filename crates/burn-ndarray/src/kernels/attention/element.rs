//! Kernels on tiles of scores, compiled for each instruction set.

use super::product::{Product, product};
use super::score_tile::{Softened, Tile};
use super::vector::with_vectors;
use crate::elements::number::Number;
use crate::kernels::math::Float;
use crate::simd::dispatch;

/// Elements that one loop iteration processes.
const TOGETHER: usize = 16;

/// An element that attention is computed with.
pub trait Element: Float + Number {
    /// # Safety
    /// See [`product`].
    unsafe fn product(of: Product<Self>);
    /// Scores become `e^(score - max)`, a row for each of `state`.
    ///
    /// # Safety
    /// The tile may be read and written.
    unsafe fn soften(scores: Tile<Self>, state: &mut [Softened<Self>]);
    /// Scores become weights `w = e^(score - log)`, and their gradients `w (slope - level)` stand in the
    /// place of the slopes; logarithm and level of each row are given.
    ///
    /// # Safety
    /// The tiles may be read and written.
    unsafe fn slope(scores: Tile<Self>, slopes: Tile<Self>, known: &[(Self, Self)]);
}

/// The sum of all lanes.
#[inline(always)]
pub(super) fn total<E: Float, const LANES: usize>(mut sums: [E; LANES]) -> E {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] = sums[lane] + sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// # Safety
/// See [`Element::soften`].
#[inline(always)]
unsafe fn soften<E: Float + Number, const FMA: bool>(scores: Tile<E>, state: &mut [Softened<E>]) {
    for (at, known) in state.iter_mut().enumerate() {
        // SAFETY: by the contract.
        let row = unsafe { scores.row(at) };
        let mut lanes = [known.max; TOGETHER];
        for part in row.chunks_exact(TOGETHER) {
            for lane in 0..TOGETHER {
                lanes[lane] = if part[lane] > lanes[lane] { part[lane] } else { lanes[lane] };
            }
        }
        let max = lanes.into_iter().fold(known.max, |max, x| if x > max { x } else { max });
        // All scores of the row are masked: base 0 makes every exponential zero.
        let base = if max == <E as Number>::LOWEST { <E as Number>::ZERO } else { max };
        let mut sums = [<E as Number>::ZERO; TOGETHER];
        for part in row.chunks_exact_mut(TOGETHER) {
            for lane in 0..TOGETHER {
                part[lane] = (part[lane] - base).exp::<FMA>();
                sums[lane] = sums[lane] + part[lane];
            }
        }
        let factor = (known.max - base).exp::<FMA>();
        *known = Softened { max, sum: known.sum * factor + total(sums), factor };
    }
}

/// # Safety
/// See [`Element::slope`].
#[inline(always)]
unsafe fn slope<E: Float + Number, const FMA: bool>(scores: Tile<E>, slopes: Tile<E>, known: &[(E, E)]) {
    for (at, &(log, level)) in known.iter().enumerate() {
        // SAFETY: by the contract; they are two tiles.
        let (scores, slopes) = unsafe { (scores.row(at), slopes.row(at)) };
        let pairs = scores.chunks_exact_mut(TOGETHER).zip(slopes.chunks_exact_mut(TOGETHER));
        for (scores, slopes) in pairs {
            for lane in 0..TOGETHER {
                scores[lane] = (scores[lane] - log).exp::<FMA>();
                slopes[lane] = scores[lane] * (slopes[lane] - level);
            }
        }
    }
}

/// As [`Element::soften`], if this machine has AVX-512; says whether.
///
/// # Safety
/// As for [`Element::soften`].
unsafe fn soften_sixteen(scores: Tile<f32>, state: &mut [Softened<f32>]) -> bool {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if crate::simd::level() == crate::simd::Level::V4 {
        // SAFETY: by the contract, and the machine has AVX-512.
        unsafe { super::soften_sixteen::soften(scores, state) };
        return true;
    }
    let _ = (scores, state);
    false
}

/// As [`soften_sixteen`], of a type that has no such kernel.
///
/// # Safety
/// Nothing is read.
unsafe fn no_sixteen<E>(_: Tile<E>, _: &mut [Softened<E>]) -> bool {
    false
}

macro_rules! elements {
    ($($ty:ty: $wide:ident, $widest:ident, $product:ident, $soften_body:ident, $soften:ident, $soften_sixteen:ident, $slope_body:ident, $slope:ident;)*) => {$(
        with_vectors! {
            /// # Safety
            /// See [`product`].
            fn $product(of: Product<$ty>) = product of $ty, $wide, $widest
        }
        #[inline(always)]
        fn $soften_body<const FMA: bool>(scores: Tile<$ty>, state: &mut [Softened<$ty>]) {
            // SAFETY: by the contract of `Element::soften`, the only caller.
            unsafe { soften::<$ty, FMA>(scores, state) }
        }
        dispatch! { fn $soften(scores: Tile<$ty>, state: &mut [Softened<$ty>]) = $soften_body }
        #[inline(always)]
        fn $slope_body<const FMA: bool>(scores: Tile<$ty>, slopes: Tile<$ty>, known: &[($ty, $ty)]) {
            // SAFETY: by the contract of `Element::slope`, the only caller.
            unsafe { slope::<$ty, FMA>(scores, slopes, known) }
        }
        dispatch! { fn $slope(scores: Tile<$ty>, slopes: Tile<$ty>, known: &[($ty, $ty)]) = $slope_body }

        impl Element for $ty {
            unsafe fn product(of: Product<Self>) {
                // SAFETY: by the contract.
                unsafe { $product(of) }
            }
            unsafe fn soften(scores: Tile<Self>, state: &mut [Softened<Self>]) {
                // SAFETY: by the contract.
                if !unsafe { $soften_sixteen(scores, state) } {
                    $soften(scores, state);
                }
            }
            unsafe fn slope(scores: Tile<Self>, slopes: Tile<Self>, known: &[(Self, Self)]) {
                $slope(scores, slopes, known);
            }
        }
    )*};
}
elements! {
    f32: __m256, __m512, product_f32, soften_body_f32, soften_f32, soften_sixteen, slope_body_f32, slope_f32;
    f64: __m256d, __m512d, product_f64, soften_body_f64, soften_f64, no_sixteen, slope_body_f64, slope_f64;
}

#[cfg(test)]
mod tests {
    use super::super::product::StridedRows;
    use super::*;
    use crate::kernels::fused::chain_kernel;
    use std::vec::Vec;

    #[test]
    fn softmax_has_the_bits_of_other_machines() {
        let (rows, len) = (5, 48);
        let score = |i: usize| match i / len {
            0 => f32::NEG_INFINITY,
            1 if i.is_multiple_of(7) => f32::NEG_INFINITY,
            row => ((i * 37 % 101) as f32 - 50.0) * row as f32,
        };
        let scores: Vec<f32> = (0..rows * len).map(score).collect();
        let known = |row: usize| Softened { max: row as f32 * 9.0 - 20.0, sum: 1.5, factor: 1.0 };
        let [mut left, mut right] = [scores.clone(), scores];
        let [mut first, mut second] = [0, 1].map(|_| {
            (0..rows).map(|row| if row == 0 { Softened::NONE } else { known(row) }).collect::<Vec<_>>()
        });
        let tile =
            |scores: &mut Vec<f32>| Tile { rows: StridedRows { start: scores.as_mut_ptr(), step: len }, len };
        // SAFETY: the tiles lie within the lists.
        unsafe {
            if !soften_sixteen(tile(&mut left), &mut first) {
                assert!(!chain_kernel::is_available(), "this machine has AVX-512");
                return;
            }
            soften::<f32, true>(tile(&mut right), &mut second);
        }
        assert!(left.iter().zip(&right).all(|(x, y)| x.to_bits() == y.to_bits()));
        for (x, y) in first.iter().zip(&second) {
            let bits = |of: &Softened<f32>| [of.max, of.sum, of.factor].map(f32::to_bits);
            assert_eq!(bits(x), bits(y));
        }
    }
}
