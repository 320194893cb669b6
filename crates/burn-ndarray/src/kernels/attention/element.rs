//! Kernels on tiles of scores, compiled for each instruction set.

use super::product::{Product, Rows, product};
use super::vector::with_vectors;
use crate::elements::number::Number;
use crate::kernels::math::Float;
use crate::simd::dispatch;
use core::slice;

/// Elements that one loop iteration processes.
const TOGETHER: usize = 16;

/// Running state of the online softmax of one row.
#[derive(Clone, Copy, Debug)]
pub struct Softened<E> {
    /// Largest score so far.
    pub max: E,
    /// Sum of `e^(score - max)` so far.
    pub sum: E,
    /// Factor that rescales earlier sums after the latest tile.
    pub factor: E,
}

impl<E: Float + Number> Softened<E> {
    /// State before the first score.
    pub const NONE: Self =
        Softened { max: <E as Number>::LOWEST, sum: <E as Number>::ZERO, factor: <E as Float>::ONE };
}

/// Rows of a tile, and their length, a multiple of [`PAD`](super::PAD).
#[derive(Clone, Copy, Debug)]
pub struct Tile<E> {
    pub rows: Rows<*mut E>,
    pub len: usize,
}

impl<E> Tile<E> {
    /// # Safety
    /// The row may be read and written, by nothing else meanwhile.
    #[inline(always)]
    pub unsafe fn row<'a>(self, row: usize) -> &'a mut [E] {
        // SAFETY: by the contract.
        unsafe { slice::from_raw_parts_mut(self.rows.start.add(row * self.rows.step), self.len) }
    }
}

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
fn total<E: Float + Number>(mut sums: [E; TOGETHER]) -> E {
    let mut width = TOGETHER / 2;
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

macro_rules! elements {
    ($($ty:ty: $wide:ident, $widest:ident, $product:ident, $soften_body:ident, $soften:ident, $slope_body:ident, $slope:ident;)*) => {$(
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
                $soften(scores, state);
            }
            unsafe fn slope(scores: Tile<Self>, slopes: Tile<Self>, known: &[(Self, Self)]) {
                $slope(scores, slopes, known);
            }
        }
    )*};
}
elements! {
    f32: __m256, __m512, product_f32, soften_body_f32, soften_f32, slope_body_f32, slope_f32;
    f64: __m256d, __m512d, product_f64, soften_body_f64, soften_f64, slope_body_f64, slope_f64;
}
