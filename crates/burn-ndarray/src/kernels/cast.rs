use crate::elements::dtype::{self, Kernel};
use crate::elements::strided::{self, StridedOperand};
use crate::kernels::math::{single_to_brain, single_to_half};
use crate::simd::{Run, dispatch, map};
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, TensorSpec, bf16, f16};

/// Converts elements: floats to integers truncate toward zero, saturate, and NaN becomes 0; integers to
/// narrower integers keep the low bits; anything but zero is true.
pub fn cast(x: NdTensor, dtype: DType) -> NdTensor {
    let from = x.spec().dtype;
    if from == dtype {
        return x;
    }
    let mut out = NdTensor::new(TensorSpec { shape: x.shape().clone(), dtype });
    strided::run(&mut out, [StridedOperand::Tensor(&x)], 1, &|run| kernel(from, dtype, run));
    out
}

/// As [`cast`], of a contiguous tensor to the elements of `out` from number `first` on.
pub fn cast_to_part(out: &mut NdTensor, first: usize, x: &NdTensor) {
    let (from, to) = (x.spec().dtype, out.spec().dtype);
    strided::run_part(out, first, x, &|run| kernel(from, to, run));
}

/// Converts elements of one dtype to another.
pub fn kernel(from: DType, to: DType, run: &Run<1>) {
    dtype::run_to(from, To(to), run);
}

#[derive(Clone, Copy)]
struct To(DType);

macro_rules! casts {
    ($($ty:ident: $body:ident, $name:ident, $f16:expr, $bf16:expr;)*) => {
        $(#[inline(always)]
        fn $body<const FMA: bool>(to: DType, run: &Run<1>) {
            match to {
                DType::F64 => map(run, |x: $ty| x as f64),
                DType::F32 => map(run, |x: $ty| x as f32),
                DType::F16 => map(run, $f16),
                DType::BF16 => map(run, $bf16),
                DType::I64 => map(run, |x: $ty| x as i64),
                DType::I32 => map(run, |x: $ty| x as i32),
                DType::I16 => map(run, |x: $ty| x as i16),
                DType::I8 => map(run, |x: $ty| x as i8),
                DType::U64 => map(run, |x: $ty| x as u64),
                DType::U32 => map(run, |x: $ty| x as u32),
                DType::U16 => map(run, |x: $ty| x as u16),
                DType::U8 => map(run, |x: $ty| x as u8),
                DType::Bool => map(run, |x: $ty| u8::from(x != $ty::default())),
            }
        }
        dispatch! { fn $name(to: DType, run: &Run<1>) = $body })*

        impl Kernel<1> for To {
            $(fn $ty(self, run: &Run<1>) {
                $name(self.0, run);
            })*
        }
    };
}

casts! {
    f64: body_f64, cast_f64, f16::from_f64, bf16::from_f64;
    f32: body_f32, cast_f32, |x: f32| single_to_half(x), |x: f32| single_to_brain(x);
    i64: body_i64, cast_i64, |x: i64| f16::from_f64(x as f64), |x: i64| bf16::from_f64(x as f64);
    u64: body_u64, cast_u64, |x: u64| f16::from_f64(x as f64), |x: u64| bf16::from_f64(x as f64);
}
