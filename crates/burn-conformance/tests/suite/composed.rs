//! The compositions that leaves without kernels call, on a leaf with strides, half precision and every integer.

use burn_backend::{Around, Backend, Operation, Outputs, around, block_on, reference};
use std::marker::PhantomData;

/// A backend whose kernels are compositions, where there are such.
#[derive(Clone, Copy, Debug, Default)]
pub struct Composed<B>(PhantomData<B>);

fn read<B: Backend>(x: B::Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).expect("a test may wait").expect("the device works").to_f64()
}

impl<B: Backend> Around for Composed<B> {
    type Inner = B;
    const NAME: &'static str = "composed";

    fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
        use Operation::*;
        match op {
            BinaryScalar { op, lhs, rhs } => reference::binary_scalar::<B>(op, lhs, rhs).into(),
            CompareScalar { op, lhs, rhs } => reference::compare_scalar::<B>(op, lhs, rhs).into(),
            Clamp { x, min, max } => reference::clamp::<B>(x, min, max).into(),
            MaskFill { x, mask, value } => reference::mask_fill::<B>(x, mask, value).into(),
            Flip { x, axes } => reference::flip::<B>(x, axes).into(),
            RepeatDim { x, dim, times } => reference::repeat_dim::<B>(x, dim, times).into(),
            ArgReduce { op, x, dim, index } => reference::arg_reduce::<B>(op, x, dim, index).into(),
            Sort { x, dim, descending } => reference::sort::<B>(x, dim, descending).into(),
            TopK { x, k, dim, largest, index } => reference::topk::<B>(x, k, dim, largest, index).into(),
            Select { x, dim, indices } => reference::select::<B>(x, dim, indices).into(),
            SelectAssign { x, dim, indices, value, update } => {
                reference::select_assign::<B>(x, dim, indices, value, update).into()
            }
            Factorize { op, x } => reference::factorize::<B>(op, x, read::<B>).into(),
            Lu { x, index } => reference::lu::<B>(x, index, read::<B>).into(),
            Solve { a, b } => reference::solve::<B>(a, b, read::<B>).into(),
            SolveTriangular { a, b, triangle } => {
                reference::solve_triangular::<B>(a, b, triangle, read::<B>).into()
            }
            Conv(args) => reference::conv::<B>(*args).into(),
            ConvTranspose(args) => reference::conv_transpose::<B>(*args).into(),
            ConvWeightGrad(args) => reference::conv_weight_grad::<B>(*args).into(),
            Pool(args) => reference::pool::<B>(*args).into(),
            PoolGrad(args) => reference::pool_grad::<B>(*args).into(),
            MaxPoolWithIndices { x, options, index } => {
                reference::max_pool_with_indices::<B>(x, *options, index).into()
            }
            AdaptiveAvgPool { x, size } => reference::adaptive_avg_pool::<B>(x, size).into(),
            AdaptiveAvgPoolGrad { grad, target } => {
                reference::adaptive_avg_pool_grad::<B>(grad, target).into()
            }
            Interpolate { x, size, options } => reference::interpolate::<B>(x, &size, &options).into(),
            InterpolateGrad { grad, target, options } => {
                reference::interpolate_grad::<B>(grad, &target, &options).into()
            }
            Fft { op, x, dim } => reference::fft::<B>(op, x, dim).into(),
            Quantize(args) => reference::quantize::<B>(*args).into(),
            Dequantize(x) => reference::dequantize::<B>(*x).into(),
            QuantizedMatmul(args) => reference::quantized_matmul::<B>(*args).into(),
            IntegerMatmul(args) => reference::integer_matmul::<B>(*args).into(),
            Recurrent(args) => reference::recurrent::<B>(*args).into(),
            RecurrentGrad(args) => reference::recurrent_grad::<B>(*args).into(),
            op => B::execute(op),
        }
    }
}

around!(Composed<B>);
