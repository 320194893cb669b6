//! Numbers of few bits, and what they stand for.

use crate::{Float8, Shape};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Number format of quantized values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum QuantizationType {
    /// An integer from -128 to 127; from -127 where the scheme is symmetric, and so on below.
    QInt8,
    /// An integer from -8 to 7.
    QInt4,
    /// An integer from -2 to 1.
    QInt2,
    /// See [`Float8::E4M3`]. Symmetric only.
    QFloat8E4M3,
    /// See [`Float8::E5M2`]. Symmetric only.
    QFloat8E5M2,
}

/// Granularity of the scales: the elements that share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum QuantizationLevel {
    /// All of them.
    Tensor,
    /// Elements with the same index of this dimension share a scale.
    Channel(usize),
    /// Blocks of this many elements along the last dimension, whose size is a multiple of it.
    Block(usize),
}

/// Symmetry of a scheme: without or with zero points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum QuantizationMode {
    /// Symmetric: the integer 0 represents zero.
    Symmetric,
    /// Affine: a zero point for each scale, an integer in the range of the type, represents zero.
    Affine,
}

/// Quantization scheme: number format, granularity and symmetry.
///
/// With `q` the number, `x = (q - zero) scale`, and `q = clamp(round(x / scale) + zero)` with halves rounded
/// to the even one, where NaN becomes the zero point. Numbers of type `QFloat8..` are those of
/// [`Float8::encode`], where NaN stays NaN. Half precision computes in `f32`, and every device gives the same
/// bits.
///
/// ```
/// use burn_ir::{QuantizationScheme, QuantizationType, Shape};
///
/// let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt4).per_block(32);
/// let shape = Shape::new([10, 64]);
/// // 640 numbers of four bits are 80 words; two blocks in each row of 64.
/// assert_eq!((scheme.words(&shape), scheme.scales(&shape)), (80, 20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QuantizationScheme {
    pub value: QuantizationType,
    pub level: QuantizationLevel,
    pub mode: QuantizationMode,
}

impl QuantizationType {
    pub const ALL: [QuantizationType; 5] = {
        use QuantizationType::*;
        [QInt8, QInt4, QInt2, QFloat8E4M3, QFloat8E5M2]
    };

    /// Returns the number of bits of a value: a divisor of 32.
    pub const fn bits(self) -> usize {
        match self {
            QuantizationType::QInt8 | QuantizationType::QFloat8E4M3 | QuantizationType::QFloat8E5M2 => 8,
            QuantizationType::QInt4 => 4,
            QuantizationType::QInt2 => 2,
        }
    }

    /// Returns the number of values in a word of 32 bits.
    pub const fn per_word(self) -> usize {
        32 / self.bits()
    }

    /// Returns the float8 format, unless the values are integers.
    pub const fn float8(self) -> Option<Float8> {
        match self {
            QuantizationType::QFloat8E4M3 => Some(Float8::E4M3),
            QuantizationType::QFloat8E5M2 => Some(Float8::E5M2),
            QuantizationType::QInt8 | QuantizationType::QInt4 | QuantizationType::QInt2 => None,
        }
    }

    /// Returns the name: `"QInt8"`.
    pub const fn name(self) -> &'static str {
        match self {
            QuantizationType::QInt8 => "QInt8",
            QuantizationType::QInt4 => "QInt4",
            QuantizationType::QInt2 => "QInt2",
            QuantizationType::QFloat8E4M3 => "QFloat8E4M3",
            QuantizationType::QFloat8E5M2 => "QFloat8E5M2",
        }
    }
}

impl QuantizationScheme {
    /// Creates a scheme with one scale and one zero point.
    #[expect(non_snake_case, reason = "it reads as a kind of scheme")]
    pub const fn PerTensorAffine(value: QuantizationType) -> Self {
        QuantizationScheme { value, level: QuantizationLevel::Tensor, mode: QuantizationMode::Affine }
    }

    /// Creates a scheme with one scale.
    #[expect(non_snake_case, reason = "it reads as a kind of scheme")]
    pub const fn PerTensorSymmetric(value: QuantizationType) -> Self {
        QuantizationScheme { value, level: QuantizationLevel::Tensor, mode: QuantizationMode::Symmetric }
    }

    /// Sets a scale for each index of `dim`.
    #[must_use]
    pub const fn per_channel(self, dim: usize) -> Self {
        QuantizationScheme { level: QuantizationLevel::Channel(dim), ..self }
    }

    /// Sets a scale for each `size` elements along the last dimension.
    #[must_use]
    pub const fn per_block(self, size: usize) -> Self {
        QuantizationScheme { level: QuantizationLevel::Block(size), ..self }
    }

    pub const fn is_affine(self) -> bool {
        matches!(self.mode, QuantizationMode::Affine)
    }

    /// Returns the smallest and the largest value.
    pub const fn range(self) -> (f64, f64) {
        match self.value.float8() {
            Some(format) => (-format.largest().0 as f64, format.largest().0 as f64),
            None => {
                let half = 1_i64 << (self.value.bits() - 1);
                let low = if self.is_affine() { half } else { half - 1 };
                (-low as f64, (half - 1) as f64)
            }
        }
    }

    /// Returns the number of 32-bit words of a packed tensor: its values row-major, the first in the lowest
    /// bits, the last word padded with zeros.
    pub fn words(self, shape: &Shape) -> usize {
        shape.num_elements().div_ceil(self.value.per_word())
    }

    /// Returns the number of scales of a tensor.
    pub fn scales(self, shape: &Shape) -> usize {
        self.grid(shape).1
    }

    /// Returns a step and a count: the scale of element `i`, row-major, is number `i / step % count`. The
    /// level must fit the shape.
    pub fn grid(self, shape: &Shape) -> (usize, usize) {
        match self.level {
            QuantizationLevel::Tensor => (shape.num_elements().max(1), 1),
            QuantizationLevel::Channel(dim) => {
                (shape[dim + 1..].iter().product::<usize>().max(1), shape[dim])
            }
            QuantizationLevel::Block(size) => (size, shape.num_elements() / size),
        }
    }
}

/// Arguments of [`Quantized::Quantize`](crate::Operation::Quantized(crate::Quantized::Quantize)): a float
/// tensor, scales of the same dtype, and zero points (`I32`) where the scheme is affine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct QuantizeArgs<T> {
    pub x: T,
    pub scale: T,
    pub zero: Option<T>,
    pub scheme: QuantizationScheme,
}

/// Quantized tensor: packed values, scales and zero points, each of rank 1, with scheme and shape. Its dtype
/// is that of the scales.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct Packed<T> {
    /// Words of numbers, `I32`.
    pub values: T,
    /// Floats.
    pub scale: T,
    /// Zero points, one `I32` for each scale, where the scheme is affine.
    pub zero: Option<T>,
    pub scheme: QuantizationScheme,
    pub shape: Shape,
}

/// Arguments of a matrix product with quantized weights: `lhs` (`[.., m, k]`, float) times `rhs` (`[k, n]`),
/// of the dtype of `lhs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct QuantizedMatmulArgs<T> {
    pub lhs: T,
    pub rhs: Packed<T>,
}

/// Arguments of a matrix product in integers: `lhs` (`[m, k]`) times `rhs` (`[k, n]`): sums of integers,
/// exactly, which the scales multiply at the end.
///
/// Both are `QInt8`. The left side has one scale or one for each row, the right side one or one for each
/// column, and the sums fit an `i32`: see [`IntegerMatmulArgs::MOST`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct IntegerMatmulArgs<T> {
    pub lhs: Packed<T>,
    pub rhs: Packed<T>,
}

impl<T> IntegerMatmulArgs<T> {
    /// Maximum inner dimension without overflow: 255 times 255 is the largest product of differences from
    /// zero points.
    pub const MOST: usize = i32::MAX as usize / (255 * 255);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme(value: QuantizationType) -> QuantizationScheme {
        QuantizationScheme::PerTensorSymmetric(value)
    }

    #[test]
    fn words_and_ranges_are_those_of_the_types() {
        use QuantizationType::*;
        let shape = Shape::new([3, 11]);
        let found = QuantizationType::ALL.map(|value| (value.bits(), scheme(value).words(&shape)));
        assert_eq!(found, [(8, 9), (4, 5), (2, 3), (8, 9), (8, 9)]);
        assert_eq!(scheme(QInt8).words(&Shape::new([4, 0])), 0);
        let ranges = [QInt8, QInt4, QInt2].map(|value| scheme(value).range());
        assert_eq!(ranges, [(-127.0, 127.0), (-7.0, 7.0), (-1.0, 1.0)]);
        let affine = [QInt8, QInt4, QInt2].map(|value| QuantizationScheme::PerTensorAffine(value).range());
        assert_eq!(affine, [(-128.0, 127.0), (-8.0, 7.0), (-2.0, 1.0)]);
        assert_eq!(scheme(QFloat8E4M3).range(), (-448.0, 448.0));
        assert_eq!(scheme(QFloat8E5M2).range(), (-57344.0, 57344.0));
    }

    #[test]
    fn grid_says_which_scale_an_element_has() {
        let shape = Shape::new([2, 3, 4]);
        let of = |scheme: QuantizationScheme| -> alloc::vec::Vec<usize> {
            let (step, count) = scheme.grid(&shape);
            (0..24).map(|i| i / step % count).collect()
        };
        let base = scheme(QuantizationType::QInt8);
        assert_eq!(of(base), [0; 24]);
        assert_eq!(of(base.per_channel(0)), [[0; 12], [1; 12]].concat());
        let rows = [[0; 4], [1; 4], [2; 4]].concat();
        assert_eq!(of(base.per_channel(1)), [&rows[..], &rows[..]].concat());
        assert_eq!(of(base.per_channel(2)), [0, 1, 2, 3].repeat(6));
        let halves: alloc::vec::Vec<usize> = (0..12).flat_map(|i| [i, i]).collect();
        assert_eq!(of(base.per_block(2)), halves);
        assert_eq!(base.per_channel(1).grid(&Shape::new([2, 3, 0])), (1, 3));
        assert_eq!(base.per_block(2).scales(&Shape::new([0, 4])), 0);
    }
}
