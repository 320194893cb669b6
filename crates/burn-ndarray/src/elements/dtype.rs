//! From a dtype at run time to a type at compile time.
//!
//! Arithmetic is compiled for four types: `f64`, `f32`, `i64` and `u64`. Elements of the others are converted
//! to one of them, a chunk at a time, and back. Integers that wrap in 64 bits wrap the same in fewer.
//!
//! Without the feature `dtypes` there is arithmetic for `f32`, `i64`, `i32` and booleans, and casts and
//! comparisons of every type.

use crate::kernels::math::{brain_to_single, half_to_single, single_to_brain, single_to_half};
use crate::left_out::with_feature;
use crate::simd::{Run, dispatch, through, through_to};
use burn_backend::DType;

/// Runs an expression with `E` naming the Rust type of a dtype; that of a bool is `bool`.
macro_rules! with_element {
    ($dtype:expr, $E:ident => $body:expr) => {{
        use burn_backend::DType;
        macro_rules! arm {
            ($ty:ty) => {{
                type $E = $ty;
                $body
            }};
        }
        match $dtype {
            DType::F64 => arm!(f64),
            DType::F32 => arm!(f32),
            DType::F16 => arm!(burn_backend::f16),
            DType::BF16 => arm!(burn_backend::bf16),
            DType::I64 => arm!(i64),
            DType::I32 => arm!(i32),
            DType::I16 => arm!(i16),
            DType::I8 => arm!(i8),
            DType::U64 => arm!(u64),
            DType::U32 => arm!(u32),
            DType::U16 => arm!(u16),
            DType::U8 => arm!(u8),
            DType::Bool => arm!(bool),
        }
    }};
}
pub(crate) use with_element;

/// Runs an expression of an operation with `E` naming the type in which elements of a dtype are stored; bools
/// are bytes.
macro_rules! with_stored {
    ($op:literal, $dtype:expr, $E:ident => $body:expr) => {{
        use burn_backend::DType;
        use $crate::left_out::with_feature;
        macro_rules! arm {
            ($ty:ty) => {{
                type $E = $ty;
                $body
            }};
        }
        match $dtype {
            DType::F64 => with_feature!("dtypes", $op, arm!(f64)),
            DType::F32 => arm!(f32),
            DType::F16 => with_feature!("dtypes", $op, arm!(burn_backend::f16)),
            DType::BF16 => with_feature!("dtypes", $op, arm!(burn_backend::bf16)),
            DType::I64 => arm!(i64),
            DType::I32 => arm!(i32),
            DType::I16 => with_feature!("dtypes", $op, arm!(i16)),
            DType::I8 => with_feature!("dtypes", $op, arm!(i8)),
            DType::U64 => with_feature!("dtypes", $op, arm!(u64)),
            DType::U32 => with_feature!("dtypes", $op, arm!(u32)),
            DType::U16 => with_feature!("dtypes", $op, arm!(u16)),
            DType::U8 | DType::Bool => arm!(u8),
        }
    }};
}
pub(crate) use with_stored;

/// The dtype that elements of `dtype` are computed in.
pub fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F64 => DType::F64,
        DType::F32 | DType::F16 | DType::BF16 => DType::F32,
        DType::I64 | DType::I32 | DType::I16 | DType::I8 | DType::Bool => DType::I64,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 => DType::U64,
    }
}

/// Runs an expression of an operation with `E` naming one of the four types of arithmetic.
macro_rules! with_wide {
    ($op:literal, $dtype:expr, $E:ident => $body:expr) => {{
        use burn_backend::DType;
        use $crate::left_out::with_feature;
        macro_rules! arm {
            ($ty:ty) => {{
                type $E = $ty;
                $body
            }};
        }
        match $dtype {
            DType::F64 => with_feature!("dtypes", $op, arm!(f64)),
            DType::F32 => arm!(f32),
            DType::I64 => arm!(i64),
            DType::U64 => with_feature!("dtypes", $op, arm!(u64)),
            other => unreachable!("{} elements travel through a wider type", other.name()),
        }
    }};
}
pub(crate) use with_wide;

/// An elementwise kernel, for each of the four types of arithmetic.
pub trait Kernel<const N: usize>: Copy + Sync {
    fn f64(self, run: &Run<N>);
    fn f32(self, run: &Run<N>);
    fn i64(self, run: &Run<N>);
    fn u64(self, run: &Run<N>);
}

/// Runs the kernel of an operation whose results have the type of its operands.
pub fn run<const N: usize>(op: &'static str, dtype: DType, kernel: impl Kernel<N>, run: &Run<N>) {
    match dtype {
        DType::F32 => kernel.f32(run),
        DType::I64 => kernel.i64(run),
        DType::I32 => through(run, load_i32, store_i32, |run| kernel.i64(run)),
        DType::Bool => through(run, load_bool, store_bool, |run| kernel.i64(run)),
        DType::F64 => with_feature!("dtypes", op, kernel.f64(run)),
        DType::U64 => with_feature!("dtypes", op, kernel.u64(run)),
        DType::F16 => with_feature!("dtypes", op, through(run, load_f16, store_f16, |run| kernel.f32(run))),
        DType::BF16 => {
            with_feature!("dtypes", op, through(run, load_bf16, store_bf16, |run| kernel.f32(run)))
        }
        DType::I16 => with_feature!("dtypes", op, through(run, load_i16, store_i16, |run| kernel.i64(run))),
        DType::I8 => with_feature!("dtypes", op, through(run, load_i8, store_i8, |run| kernel.i64(run))),
        DType::U32 => with_feature!("dtypes", op, through(run, load_u32, store_u32, |run| kernel.u64(run))),
        DType::U16 => with_feature!("dtypes", op, through(run, load_u16, store_u16, |run| kernel.u64(run))),
        DType::U8 => with_feature!("dtypes", op, through(run, load_u8, store_u8, |run| kernel.u64(run))),
    }
}

/// Runs a kernel whose results have a type of their own.
pub fn run_to<const N: usize>(dtype: DType, kernel: impl Kernel<N>, run: &Run<N>) {
    match dtype {
        DType::F64 => kernel.f64(run),
        DType::F32 => kernel.f32(run),
        DType::I64 => kernel.i64(run),
        DType::U64 => kernel.u64(run),
        DType::F16 => through_to(run, load_f16, |run| kernel.f32(run)),
        DType::BF16 => through_to(run, load_bf16, |run| kernel.f32(run)),
        DType::I32 => through_to(run, load_i32, |run| kernel.i64(run)),
        DType::I16 => through_to(run, load_i16, |run| kernel.i64(run)),
        DType::I8 => through_to(run, load_i8, |run| kernel.i64(run)),
        DType::U32 => through_to(run, load_u32, |run| kernel.u64(run)),
        DType::U16 => through_to(run, load_u16, |run| kernel.u64(run)),
        DType::U8 => through_to(run, load_u8, |run| kernel.u64(run)),
        DType::Bool => through_to(run, load_bool, |run| kernel.i64(run)),
    }
}

macro_rules! conversions {
    ($([$($level:ident)?] $narrow:ty, $wide:ty: $load:ident $load_body:ident $x:ident => $loaded:expr; $store:ident $store_body:ident $y:ident => $stored:expr;)*) => {$(
        #[inline(always)]
        fn $load_body<const FMA: bool>(xs: &[$narrow], out: &mut [$wide]) {
            for (out, &$x) in out.iter_mut().zip(xs) {
                *out = $loaded;
            }
        }
        dispatch! { $($level)? pub fn $load(xs: &[$narrow], out: &mut [$wide]) = $load_body }
        #[inline(always)]
        fn $store_body<const FMA: bool>(xs: &[$wide], out: &mut [$narrow]) {
            for (out, &$y) in out.iter_mut().zip(xs) {
                *out = $stored;
            }
        }
        dispatch! { $($level)? pub fn $store(xs: &[$wide], out: &mut [$narrow]) = $store_body }
    )*};
}
conversions! {
    [] u16, f32: load_f16 load_f16_body x => half_to_single(x); store_f16 store_f16_body y => single_to_half(y);
    [] u16, f32: load_bf16 load_bf16_body x => brain_to_single(x); store_bf16 store_bf16_body y => single_to_brain(y);
    [narrow] i32, i64: load_i32 load_i32_body x => i64::from(x); store_i32 store_i32_body y => y as i32;
    [narrow] i16, i64: load_i16 load_i16_body x => i64::from(x); store_i16 store_i16_body y => y as i16;
    [narrow] i8, i64: load_i8 load_i8_body x => i64::from(x); store_i8 store_i8_body y => y as i8;
    [narrow] u32, u64: load_u32 load_u32_body x => u64::from(x); store_u32 store_u32_body y => y as u32;
    [narrow] u16, u64: load_u16 load_u16_body x => u64::from(x); store_u16 store_u16_body y => y as u16;
    [narrow] u8, i64: load_bool load_bool_body x => i64::from(x); store_bool store_bool_body y => y as u8;
    [narrow] u8, u64: load_u8 load_u8_body x => u64::from(x); store_u8 store_u8_body y => y as u8;
}
