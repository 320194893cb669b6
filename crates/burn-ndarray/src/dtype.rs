//! From a dtype at run time to a type at compile time.
//!
//! Arithmetic is compiled for four types: `f64`, `f32`, `i64` and `u64`. Elements of the others are converted to
//! one of them, a chunk at a time, and back. Integers that wrap in 64 bits wrap the same in fewer.

use crate::simd::{Run, through, through_to};
use burn_backend::{DType, bf16, f16};
use bytemuck::Pod;

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

/// The dtype that elements of `dtype` are computed in.
pub fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F64 => DType::F64,
        DType::F32 | DType::F16 | DType::BF16 => DType::F32,
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => DType::I64,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => DType::U64,
    }
}

/// Runs an expression with `E` naming one of the four types of arithmetic.
macro_rules! with_wide {
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
            DType::I64 => arm!(i64),
            DType::U64 => arm!(u64),
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

/// Runs a kernel whose results have the type of its operands.
pub fn run<const N: usize>(dtype: DType, kernel: impl Kernel<N>, run: &Run<N>) {
    match dtype {
        DType::F64 => kernel.f64(run),
        DType::F32 => kernel.f32(run),
        DType::I64 => kernel.i64(run),
        DType::U64 => kernel.u64(run),
        DType::F16 => through(run, f16_to_f32, f32_to_f16, |run| kernel.f32(run)),
        DType::BF16 => through(run, each(bf16::to_f32), each(bf16::from_f32), |run| kernel.f32(run)),
        DType::I32 => {
            through(run, each(|x: i32| i64::from(x)), each(|x: i64| x as i32), |run| kernel.i64(run))
        }
        DType::I16 => {
            through(run, each(|x: i16| i64::from(x)), each(|x: i64| x as i16), |run| kernel.i64(run))
        }
        DType::I8 => through(run, each(|x: i8| i64::from(x)), each(|x: i64| x as i8), |run| kernel.i64(run)),
        DType::U32 => {
            through(run, each(|x: u32| u64::from(x)), each(|x: u64| x as u32), |run| kernel.u64(run))
        }
        DType::U16 => {
            through(run, each(|x: u16| u64::from(x)), each(|x: u64| x as u16), |run| kernel.u64(run))
        }
        DType::U8 | DType::Bool => {
            through(run, each(|x: u8| u64::from(x)), each(|x: u64| x as u8), |run| kernel.u64(run));
        }
    }
}

/// Runs a kernel whose results have a type of their own.
pub fn run_to<const N: usize>(dtype: DType, kernel: impl Kernel<N>, run: &Run<N>) {
    match dtype {
        DType::F64 => kernel.f64(run),
        DType::F32 => kernel.f32(run),
        DType::I64 => kernel.i64(run),
        DType::U64 => kernel.u64(run),
        DType::F16 => through_to(run, f16_to_f32, |run| kernel.f32(run)),
        DType::BF16 => through_to(run, each(bf16::to_f32), |run| kernel.f32(run)),
        DType::I32 => through_to(run, each(|x: i32| i64::from(x)), |run| kernel.i64(run)),
        DType::I16 => through_to(run, each(|x: i16| i64::from(x)), |run| kernel.i64(run)),
        DType::I8 => through_to(run, each(|x: i8| i64::from(x)), |run| kernel.i64(run)),
        DType::U32 => through_to(run, each(|x: u32| u64::from(x)), |run| kernel.u64(run)),
        DType::U16 => through_to(run, each(|x: u16| u64::from(x)), |run| kernel.u64(run)),
        DType::U8 | DType::Bool => through_to(run, each(|x: u8| u64::from(x)), |run| kernel.u64(run)),
    }
}

fn each<E: Pod, R: Pod>(f: impl Fn(E) -> R) -> impl Fn(&[E], &mut [R]) {
    move |xs, out| out.iter_mut().zip(xs).for_each(|(out, &x)| *out = f(x))
}

#[cfg(feature = "std")]
fn f16_to_f32(xs: &[f16], out: &mut [f32]) {
    half::slice::HalfFloatSliceExt::convert_to_f32_slice(xs, out);
}

#[cfg(feature = "std")]
fn f32_to_f16(xs: &[f32], out: &mut [f16]) {
    half::slice::HalfFloatSliceExt::convert_from_f32_slice(out, xs);
}

#[cfg(not(feature = "std"))]
fn f16_to_f32(xs: &[f16], out: &mut [f32]) {
    each(f16::to_f32)(xs, out);
}

#[cfg(not(feature = "std"))]
fn f32_to_f16(xs: &[f32], out: &mut [f16]) {
    each(f16::from_f32)(xs, out);
}
