use crate::elements::dtype::{self, Kernel};
use crate::elements::strided::{self, One, StridedOperand};
use crate::kernels::binary::broadcast_shape;
use crate::simd::{Run, dispatch, zip};
use crate::tensor::NdTensor;
use burn_backend::{CompareOp, DType, HasSpec, Scalar, TensorSpec};
use bytemuck::Pod;

pub fn compare(op: CompareOp, lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    let shape = broadcast_shape(lhs.shape(), rhs.shape()).unwrap_or_else(|| lhs.shape().clone());
    let mut out = NdTensor::new(TensorSpec { shape, dtype: DType::Bool });
    let dtype = lhs.spec().dtype;
    let kernel = |run: &Run<2>| kernel(op, dtype, run);
    strided::run(&mut out, [StridedOperand::Tensor(&lhs), StridedOperand::Tensor(&rhs)], 1, &kernel);
    out
}

pub fn compare_scalar(op: CompareOp, lhs: NdTensor, rhs: Scalar) -> NdTensor {
    let dtype = lhs.spec().dtype;
    let mut out = NdTensor::new(TensorSpec { shape: lhs.shape().clone(), dtype: DType::Bool });
    let one = One::new(rhs, dtype);
    let kernel = |run: &Run<2>| kernel(op, dtype, run);
    strided::run(&mut out, [StridedOperand::Tensor(&lhs), StridedOperand::One(&one)], 1, &kernel);
    out
}

/// Compares elements of `dtype`.
pub fn kernel(op: CompareOp, dtype: DType, run: &Run<2>) {
    dtype::run_to(dtype, op, run);
}

#[inline(always)]
fn generic<E: Pod + PartialOrd>(op: CompareOp, run: &Run<2>) {
    match op {
        CompareOp::Equal => zip(run, |x: E, y: E| u8::from(x == y)),
        CompareOp::NotEqual => zip(run, |x: E, y: E| u8::from(x != y)),
        CompareOp::Less => zip(run, |x: E, y: E| u8::from(x < y)),
        CompareOp::LessEqual => zip(run, |x: E, y: E| u8::from(x <= y)),
        CompareOp::Greater => zip(run, |x: E, y: E| u8::from(x > y)),
        CompareOp::GreaterEqual => zip(run, |x: E, y: E| u8::from(x >= y)),
    }
}

#[inline(always)]
fn body_f64<const FMA: bool>(op: CompareOp, run: &Run<2>) {
    generic::<f64>(op, run);
}
#[inline(always)]
fn body_f32<const FMA: bool>(op: CompareOp, run: &Run<2>) {
    generic::<f32>(op, run);
}
#[inline(always)]
fn body_i64<const FMA: bool>(op: CompareOp, run: &Run<2>) {
    generic::<i64>(op, run);
}
#[inline(always)]
fn body_u64<const FMA: bool>(op: CompareOp, run: &Run<2>) {
    generic::<u64>(op, run);
}
dispatch! { fn compare_f64(op: CompareOp, run: &Run<2>) = body_f64 }
dispatch! { fn compare_f32(op: CompareOp, run: &Run<2>) = body_f32 }
dispatch! { narrow fn compare_i64(op: CompareOp, run: &Run<2>) = body_i64 }
dispatch! { narrow fn compare_u64(op: CompareOp, run: &Run<2>) = body_u64 }

impl Kernel<2> for CompareOp {
    fn f64(self, run: &Run<2>) {
        compare_f64(self, run);
    }
    fn f32(self, run: &Run<2>) {
        compare_f32(self, run);
    }
    fn i64(self, run: &Run<2>) {
        compare_i64(self, run);
    }
    fn u64(self, run: &Run<2>) {
        compare_u64(self, run);
    }
}
