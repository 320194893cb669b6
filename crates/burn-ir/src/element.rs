use crate::{DType, Scalar};
use core::fmt::{Debug, Display};
use half::{bf16, f16};

/// A Rust type that can be an element of a tensor.
pub trait Element:
    Copy
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + Debug
    + Display
    + bytemuck::NoUninit
    + bytemuck::CheckedBitPattern
    + 'static
{
    const DTYPE: DType;

    /// Converts as a cast does: floats to integers truncate toward zero, saturate, and NaN becomes 0;
    /// integers to narrower integers keep the low bits; anything but zero is `true`.
    fn from_scalar(value: Scalar) -> Self;
    fn to_scalar(self) -> Scalar;

    fn from_f64(value: f64) -> Self {
        Self::from_scalar(Scalar::Float(value))
    }
    fn to_f64(self) -> f64 {
        self.to_scalar().to_f64()
    }
    /// Returns the dtype of tensors of these elements, [`Element::DTYPE`].
    fn dtype() -> DType {
        Self::DTYPE
    }
}

impl Scalar {
    /// Converts to an element, as [`Element::from_scalar`].
    pub fn elem<E: Element>(self) -> E {
        E::from_scalar(self)
    }
}

impl<E: Element> From<E> for Scalar {
    fn from(value: E) -> Self {
        value.to_scalar()
    }
}

/// An element of a float tensor.
pub trait FloatElement: Element {
    /// Returns the Rust name of the type, as in generated kernels.
    fn type_name() -> &'static str {
        Self::DTYPE.name()
    }
}
/// An element of an int tensor.
pub trait IntElement: Element {
    /// Returns the Rust name of the type, as in generated kernels.
    fn type_name() -> &'static str {
        Self::DTYPE.name()
    }
}

macro_rules! float {
    ($($ty:ty, $dtype:ident, $from:expr, $to:expr;)*) => {$(
        impl Element for $ty {
            const DTYPE: DType = DType::$dtype;
            fn from_scalar(value: Scalar) -> Self {
                $from(value.to_f64())
            }
            fn to_scalar(self) -> Scalar {
                Scalar::Float($to(self))
            }
        }
        impl FloatElement for $ty {}
    )*};
}

float! {
    f64, F64, |x: f64| x, |x: f64| x;
    f32, F32, |x: f64| x as f32, |x: f32| f64::from(x);
    f16, F16, f16::from_f64, f16::to_f64;
    bf16, BF16, bf16::from_f64, bf16::to_f64;
}

macro_rules! int {
    ($($ty:ty, $dtype:ident, $variant:ident($wide:ty);)*) => {$(
        impl Element for $ty {
            const DTYPE: DType = DType::$dtype;
            fn from_scalar(value: Scalar) -> Self {
                match value {
                    Scalar::Float(x) => x as $ty,
                    Scalar::Int(x) => x as $ty,
                    Scalar::UInt(x) => x as $ty,
                    Scalar::Bool(x) => <$ty>::from(x),
                }
            }
            fn to_scalar(self) -> Scalar {
                Scalar::$variant(<$wide>::from(self))
            }
        }
        impl IntElement for $ty {}
    )*};
}

int! {
    i64, I64, Int(i64);
    i32, I32, Int(i64);
    i16, I16, Int(i64);
    i8, I8, Int(i64);
    u64, U64, UInt(u64);
    u32, U32, UInt(u64);
    u16, U16, UInt(u64);
    u8, U8, UInt(u64);
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    fn from_scalar(value: Scalar) -> Self {
        match value {
            Scalar::Float(x) => x != 0.0,
            Scalar::Int(x) => x != 0,
            Scalar::UInt(x) => x != 0,
            Scalar::Bool(x) => x,
        }
    }
    fn to_scalar(self) -> Scalar {
        Scalar::Bool(self)
    }
}

/// Conversion between numbers by the rules of [`Element::from_scalar`].
///
/// ```
/// use burn::tensor::ElementConversion;
/// assert_eq!(2.9_f32.elem::<i64>(), 2);
/// assert_eq!(f64::from_elem(3_u8), 3.0);
/// ```
pub trait ElementConversion: Sized {
    /// Converts `self` to an `E`.
    fn elem<E: Element>(self) -> E;
    /// Converts `value` to `Self`.
    fn from_elem<E: Element>(value: E) -> Self;
}

impl<T: Element> ElementConversion for T {
    fn elem<E: Element>(self) -> E {
        E::from_scalar(self.to_scalar())
    }
    fn from_elem<E: Element>(value: E) -> Self {
        T::from_scalar(value.to_scalar())
    }
}
