//! One function per operation: picks the kernel for the dtype.
//!
//! `NdArray<F, I>` is generic and these are not, so the kernels are compiled here and in no program.

use crate::array::each_dtype;
use crate::random::sample;
use crate::{Array, NdArray, NdTensor, conv, elementwise, index, layout, matmul, reduce};
use burn_backend::*;

/// The array inside, which must hold numbers.
macro_rules! numbers {
    ($tensor:expr, $x:ident, $into:ident => $body:expr) => {
        match $tensor {
            NdTensor::F64($x) => {
                #[allow(unused_variables)]
                let $into = NdTensor::into_f64;
                $body
            }
            NdTensor::F32($x) => {
                #[allow(unused_variables)]
                let $into = NdTensor::into_f32;
                $body
            }
            NdTensor::I64($x) => {
                #[allow(unused_variables)]
                let $into = NdTensor::into_i64;
                $body
            }
            NdTensor::Bool(_) => unreachable!("arithmetic on a bool tensor"),
        }
    };
}

pub fn into_data(x: NdTensor) -> TensorData {
    each_dtype!(x, x => {
        let x = x.into_contiguous();
        TensorData::new(x.buffer(), x.shape().clone())
    })
}

pub fn from_data(data: TensorData) -> NdTensor {
    fn array<E: Element>(data: &TensorData) -> Array<E> {
        Array::new(data.shape.clone(), data.to_vec().expect("dtype was matched"))
    }
    match data.dtype {
        DType::F64 => array::<f64>(&data).into(),
        DType::F32 => array::<f32>(&data).into(),
        DType::I64 => array::<i64>(&data).into(),
        DType::Bool => array::<bool>(&data).into(),
        other => panic!("{other} tensors are not there yet"),
    }
}

pub fn full(spec: TensorSpec, value: Scalar) -> NdTensor {
    match spec.dtype {
        DType::F64 => Array::full(spec.shape, value.to_f64()).into(),
        DType::F32 => Array::full(spec.shape, value.to_f64() as f32).into(),
        DType::I64 => Array::full(spec.shape, value.elem::<i64>()).into(),
        DType::Bool => Array::full(spec.shape, value.elem::<bool>()).into(),
        other => panic!("{other} tensors are not there yet"),
    }
}

pub fn random(spec: TensorSpec, distribution: Distribution) -> NdTensor {
    let values = (0..spec.shape.num_elements()).map(|_| sample(distribution)).collect();
    layout::cast(Array::<f64>::new(spec.shape, values).into(), spec.dtype)
}

pub fn reduce(op: ReduceOp, x: NdTensor, dims: Dims) -> NdTensor {
    if matches!(op, ReduceOp::Any | ReduceOp::All) {
        return crate::plain::run(Operation::Reduce { op, x, dims }).one();
    }
    numbers!(x, x, _into => reduce::reduce(op, x, &dims).into())
}

pub fn reshape(x: NdTensor, shape: Shape) -> NdTensor {
    each_dtype!(x, x => x.reshape(shape).into())
}

pub fn permute(x: NdTensor, axes: Dims) -> NdTensor {
    each_dtype!(x, x => layout::permute(x, &axes).into())
}

pub fn expand(x: NdTensor, shape: Shape) -> NdTensor {
    each_dtype!(x, x => layout::expand(x, shape).into())
}

pub fn slice(x: NdTensor, slices: Vec<Slice>) -> NdTensor {
    each_dtype!(x, x => layout::slice(x, &slices).into())
}

pub fn slice_assign(x: NdTensor, slices: Vec<Slice>, value: NdTensor) -> NdTensor {
    numbers!(x, x, into => layout::slice_assign(x, &slices, into(value)).into())
}

pub fn cat(xs: Vec<NdTensor>, dim: usize) -> NdTensor {
    numbers!(&xs[0], _x, into => layout::cat(xs.into_iter().map(into).collect(), dim).into())
}

pub fn gather(x: NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
    each_dtype!(x, x => index::gather(x, dim, indices.into_i64()).into())
}

pub fn scatter(x: NdTensor, dim: usize, indices: NdTensor, value: NdTensor, update: IndexUpdate) -> NdTensor {
    numbers!(x, x, into => index::scatter(x, dim, indices.into_i64(), into(value), update).into())
}

pub fn matmul(lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    numbers!(lhs, x, into => matmul::matmul(x, into(rhs)).into())
}

pub fn conv(args: ConvArgs<NdTensor>) -> NdTensor {
    let out = output_specs(&Operation::Conv(Box::new(args.by_ref()))).expect("checked by the caller");
    let (x, weight, bias, options) = conv::unpack(args);
    numbers!(x, x, into => conv::conv(x, into(weight), bias.map(into), out.one().shape, &options).into())
}

pub fn conv_transpose(args: ConvGradArgs<NdTensor>) -> NdTensor {
    let (grad, weight, target, options) = conv::unpack_grad(args);
    numbers!(grad, grad, into => conv::conv_transpose(grad, into(weight), target, &options).into())
}

pub fn conv_weight_grad(args: ConvGradArgs<NdTensor>) -> NdTensor {
    let (grad, x, target, options) = conv::unpack_grad(args);
    numbers!(grad, grad, into => conv::conv_weight_grad(grad, into(x), target, &options).into())
}

pub fn softmax(x: NdTensor, dim: usize) -> NdTensor {
    reference::softmax::<NdArray>(x, dim)
}

pub fn compare_scalar(op: CompareOp, lhs: NdTensor, rhs: Scalar) -> NdTensor {
    let rhs = elementwise::scalar_like(&lhs, rhs);
    elementwise::compare(op, lhs, rhs)
}

pub fn log_softmax(x: NdTensor, dim: usize) -> NdTensor {
    reference::log_softmax::<NdArray>(x, dim)
}
