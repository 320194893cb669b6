//! Element types as kernels of this crate compute with them, and as LibTorch stores them.

use burn_backend::{Element, bf16, f16};
use tch::Kind;

/// An element type and the type that LibTorch stores it as: itself, or the next wider one.
pub trait Number: Element {
    type Stored: Copy + Send + Sync;
    const KIND: Kind;
    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
}

macro_rules! same {
    ($($($own:ty => $kind:ident),*;)*) => {$($(
        impl Number for $own {
            type Stored = $own;
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn load(stored: $own) -> Self {
                stored
            }
            #[inline(always)]
            fn store(self) -> $own {
                self
            }
        }
    )*)*};
}
same! {
    f64 => Double, f32 => Float, f16 => Half, bf16 => BFloat16;
    i64 => Int64, i32 => Int, i16 => Int16, i8 => Int8, u8 => Uint8, bool => Bool;
}

macro_rules! wider {
    ($($own:ty, $stored:ty, $kind:ident;)*) => {$(
        impl Number for $own {
            type Stored = $stored;
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn load(stored: $stored) -> Self {
                stored as $own
            }
            #[inline(always)]
            fn store(self) -> $stored {
                self as $stored
            }
        }
    )*};
}
// There is no wider type than `u64`: its bits are stored as those of an `i64`.
wider! { u16, i32, Int; u32, i64, Int64; u64, i64, Int64; }

/// An integer type, whose results wrap around.
pub trait Int: Number {
    fn wide(self) -> i128;
    /// The low bits.
    fn wrapped(value: i128) -> Self;
}

macro_rules! int {
    ($($ty:ty)*) => {$(
        impl Int for $ty {
            #[inline(always)]
            fn wide(self) -> i128 {
                self.into()
            }
            #[inline(always)]
            fn wrapped(value: i128) -> Self {
                value as $ty
            }
        }
    )*};
}
int!(i64 i32 i16 i8 u64 u32 u16 u8);

/// Runs an expression with `E` naming the Rust type of a float dtype.
macro_rules! with_float {
    ($dtype:expr, $E:ident => $body:expr) => {
        $crate::element::with_element!(@match $dtype, $E => $body;
            F64 f64, F32 f32, F16 burn_backend::f16, BF16 burn_backend::bf16;
            I64 I32 I16 I8 U64 U32 U16 U8 Bool)
    };
}

/// Runs an expression with `E` naming the Rust type of an int dtype.
macro_rules! with_int {
    ($dtype:expr, $E:ident => $body:expr) => {
        $crate::element::with_element!(@match $dtype, $E => $body;
            I64 i64, I32 i32, I16 i16, I8 i8, U64 u64, U32 u32, U16 u16, U8 u8;
            F64 F32 F16 BF16 Bool)
    };
}

/// Runs an expression with `E` naming the Rust type of a dtype.
macro_rules! with_element {
    (@match $dtype:expr, $E:ident => $body:expr; $($variant:ident $ty:ty),+; $($other:ident)*) => {
        match $dtype {
            $(burn_backend::DType::$variant => {
                type $E = $ty;
                $body
            })+
            $(burn_backend::DType::$other => unreachable!("no operation of these elements"),)*
        }
    };
    ($dtype:expr, $E:ident => $body:expr) => {
        $crate::element::with_element!(@match $dtype, $E => $body;
            F64 f64, F32 f32, F16 burn_backend::f16, BF16 burn_backend::bf16,
            I64 i64, I32 i32, I16 i16, I8 i8, U64 u64, U32 u32, U16 u16, U8 u8, Bool bool;)
    };
}

pub(crate) use {with_element, with_float, with_int};
