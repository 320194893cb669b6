use burn_backend::Element;

/// An integer type, whose results wrap around.
pub trait Int: Element {
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

/// Implements a trait of element types, which has `Stored`, `load` and `store`, for types that are stored as
/// themselves, and for types that are stored as others, from which `as` makes them.
#[macro_export]
macro_rules! stored {
    ($name:ident: $($own:ty $(as $stored:ty)?,)*) => {$(
        $crate::stored!(@one $name, $own, ($($stored,)? $own));
    )*};
    (@one $name:ident, $own:ty, ($stored:ty $(, $rest:ty)?)) => {
        impl $name for $own {
            type Stored = $stored;
            #[inline(always)]
            fn load(stored: $stored) -> Self {
                stored as $own
            }
            #[inline(always)]
            fn store(self) -> $stored {
                self as $stored
            }
        }
    };
}

/// Runs an expression with `E` naming the Rust type of a float dtype.
#[macro_export]
macro_rules! with_float {
    ($dtype:expr, $E:ident => $body:expr) => {
        $crate::with_element!(@match $dtype, $E => $body;
            F64 f64, F32 f32, F16 burn_backend::f16, BF16 burn_backend::bf16;
            I64 I32 I16 I8 U64 U32 U16 U8 Bool)
    };
}

/// Runs an expression with `E` naming the Rust type of an int dtype.
#[macro_export]
macro_rules! with_int {
    ($dtype:expr, $E:ident => $body:expr) => {
        $crate::with_element!(@match $dtype, $E => $body;
            I64 i64, I32 i32, I16 i16, I8 i8, U64 u64, U32 u32, U16 u16, U8 u8;
            F64 F32 F16 BF16 Bool)
    };
}

/// Runs an expression with `E` naming the Rust type of a dtype.
#[macro_export]
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
        $crate::with_element!(@match $dtype, $E => $body;
            F64 f64, F32 f32, F16 burn_backend::f16, BF16 burn_backend::bf16,
            I64 i64, I32 i32, I16 i16, I8 i8, U64 u64, U32 u32, U16 u16, U8 u8, Bool bool;)
    };
}
