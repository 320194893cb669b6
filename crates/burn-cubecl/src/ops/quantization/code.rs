//! Quantized values in kernels.

use crate::launch::tensor::CubeTensor;
use crate::launch::words::{launch_words, word};
use burn_backend::{DType, Float8, HasSpec, QuantizationScheme, QuantizationType, Shape};
use cubecl::prelude::*;

/// Number format of quantized values, known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    pub value: QuantizationType,
    pub has_zero: bool,
}

impl Code {
    pub fn new(scheme: QuantizationScheme) -> Self {
        Code { value: scheme.value, has_zero: scheme.is_affine() }
    }

    pub fn bits(self) -> u32 {
        self.value.bits() as u32
    }

    pub fn lanes(self) -> u32 {
        self.value.per_word() as u32
    }

    pub fn is_float(self) -> bool {
        self.value.float8().is_some()
    }

    fn format(self) -> Float8 {
        self.value.float8().unwrap_or(Float8::E4M3)
    }

    pub fn fraction(self) -> u32 {
        self.format().fraction_bits()
    }

    pub fn bias(self) -> u32 {
        self.format().bias() as u32
    }

    /// The code of infinity, or of the first NaN.
    pub fn beyond(self) -> u32 {
        u32::from(self.format().largest().1) + 1
    }

    pub fn has_infinity(self) -> bool {
        self.format() == Float8::E5M2
    }
}

/// Whether kernels compute these scales: on no device that we know with elements of `f64`.
pub fn is_single(scale: &CubeTensor) -> bool {
    matches!(scale.dtype(), DType::F32 | DType::F16 | DType::BF16)
}

launch_words! {
    /// Quantized elements, and which of them share a scale.
    pub struct GroupWords {
        /// Words of packed elements.
        pub packed: u32,
        pub count: u32,
        /// Neighbouring elements of a group, and the groups that alternate.
        pub step: u32,
        pub groups: u32,
    }
}

/// Returns the words and groups of a tensor of this shape.
pub fn grid(scheme: QuantizationScheme, shape: &Shape) -> GroupWords {
    let (step, groups) = scheme.grid(shape);
    GroupWords {
        packed: word(scheme.words(shape)),
        count: word(shape.num_elements()),
        step: word(step),
        groups: word(groups),
    }
}

/// Number `lane` of a word, without a sign.
#[cube]
pub fn bits_of(word: u32, #[comptime] lane: u32, #[comptime] code: Code) -> u32 {
    (word >> comptime!(lane * code.bits())) & comptime!((1u32 << code.bits()) - 1)
}

/// Number `lane` of a word, an integer with its sign.
#[cube]
pub fn integer_of(word: i32, #[comptime] lane: u32, #[comptime] code: Code) -> i32 {
    // To the top, and back with the sign.
    (word << comptime!((32 - code.bits() * (lane + 1)) as i32)) >> comptime!((32 - code.bits()) as i32)
}

/// The float with this code.
#[cube]
pub fn float_of(bits: u32, #[comptime] code: Code) -> f32 {
    let size = bits & 127u32;
    let fraction = comptime!(code.fraction());
    let exponent = size >> fraction;
    let low = size & comptime!((1u32 << code.fraction()) - 1);
    let normal = f32::reinterpret(
        ((exponent + comptime!(127 - code.bias())) << 23u32) | (low << comptime!(23 - code.fraction())),
    );
    let smallest = f32::reinterpret(comptime!((127 + 1 - code.bias() - code.fraction()) << 23));
    let number = select(exponent == 0u32, f32::cast_from(low) * smallest, normal);
    let beyond = if comptime!(code.has_infinity()) {
        select(size == comptime!(code.beyond()), crate::ops::math::infinity(), crate::ops::math::nan())
    } else {
        crate::ops::math::nan()
    };
    let number = select(size >= comptime!(code.beyond()), beyond, number);
    f32::reinterpret(u32::reinterpret(number) | ((bits & 128u32) << 24u32))
}

/// Number `lane` of a word less its zero point, as a float.
#[cube]
pub fn difference(word: i32, zero: i32, #[comptime] lane: u32, #[comptime] code: Code) -> f32 {
    if comptime!(code.is_float()) {
        float_of(bits_of(u32::reinterpret(word), lane, code), code)
    } else if comptime!(code.has_zero) {
        f32::cast_from(integer_of(word, lane, code) - zero)
    } else {
        f32::cast_from(integer_of(word, lane, code))
    }
}

/// The zero point of a group, or 0 where there are none.
#[cube]
pub fn zero_of(zero: &Array<i32>, group: usize, #[comptime] code: Code) -> i32 {
    let mut middle = 0i32;
    if comptime!(code.has_zero) {
        middle = zero[group];
    }
    middle
}
