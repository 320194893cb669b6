use crate::elements::strided::{self, One, StridedOperand};
use crate::kernels::binary::broadcast_shape;
use crate::kernels::copy::with_width;
use crate::simd::{Run, select};
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, Scalar, TensorSpec};

/// `on` where the mask is true, `off` elsewhere.
pub fn mask_where(mask: NdTensor, mut on: NdTensor, mut off: NdTensor) -> NdTensor {
    let dtype = on.spec().dtype;
    let kernel = |run: &Run<3>| kernel(dtype, run);
    let values = broadcast_shape(on.shape(), off.shape()).unwrap_or_else(|| on.shape().clone());
    let shape = broadcast_shape(mask.shape(), &values).unwrap_or(values);
    if off.is_writable() && *off.shape() == shape {
        strided::run(
            &mut off,
            [StridedOperand::Tensor(&mask), StridedOperand::Tensor(&on), StridedOperand::Out],
            1,
            &kernel,
        );
        return off;
    }
    if on.is_writable() && *on.shape() == shape {
        strided::run(
            &mut on,
            [StridedOperand::Tensor(&mask), StridedOperand::Out, StridedOperand::Tensor(&off)],
            1,
            &kernel,
        );
        return on;
    }
    let mut out = NdTensor::new(TensorSpec { shape, dtype });
    strided::run(
        &mut out,
        [StridedOperand::Tensor(&mask), StridedOperand::Tensor(&on), StridedOperand::Tensor(&off)],
        1,
        &kernel,
    );
    out
}

/// `value` where the mask is true, `x` elsewhere.
pub fn mask_fill(mut x: NdTensor, mask: NdTensor, value: Scalar) -> NdTensor {
    let dtype = x.spec().dtype;
    let kernel = |run: &Run<3>| kernel(dtype, run);
    let one = One::new(value, dtype);
    let shape = broadcast_shape(mask.shape(), x.shape()).unwrap_or_else(|| x.shape().clone());
    if x.is_writable() && *x.shape() == shape {
        strided::run(
            &mut x,
            [StridedOperand::Tensor(&mask), StridedOperand::One(&one), StridedOperand::Out],
            1,
            &kernel,
        );
        return x;
    }
    let mut out = NdTensor::new(TensorSpec { shape, dtype });
    strided::run(
        &mut out,
        [StridedOperand::Tensor(&mask), StridedOperand::One(&one), StridedOperand::Tensor(&x)],
        1,
        &kernel,
    );
    out
}

/// Elements of the second operand where the first is true, of the third elsewhere.
pub fn kernel(dtype: DType, run: &Run<3>) {
    with_width!(dtype.size(), E => select::<E>(run));
}
