use crate::{Backend, BoolTensor, Device, FloatTensor, IntTensor};
use burn_ir::*;

/// The names of the older API, for callers: `B::float_matmul(..)` wherever `B: Backend`.
///
/// Nobody implements this trait; every backend has it.
pub trait NamedOps<B: Backend> {
    fn float_shape(x: &FloatTensor<B>) -> Shape {
        x.shape()
    }
    fn float_device(x: &FloatTensor<B>) -> Device<B> {
        B::device(x)
    }
    fn float_add(lhs: FloatTensor<B>, rhs: FloatTensor<B>) -> FloatTensor<B> {
        B::binary(BinaryOp::Add, lhs, rhs)
    }
    fn float_mul(lhs: FloatTensor<B>, rhs: FloatTensor<B>) -> FloatTensor<B> {
        B::binary(BinaryOp::Mul, lhs, rhs)
    }
    fn float_matmul(lhs: FloatTensor<B>, rhs: FloatTensor<B>) -> FloatTensor<B> {
        B::matmul(lhs, rhs)
    }
    fn float_transpose(x: FloatTensor<B>) -> FloatTensor<B> {
        crate::ops::transpose::<B>(x)
    }
    fn float_sum_dim(x: FloatTensor<B>, dim: usize) -> FloatTensor<B> {
        B::reduce(ReduceOp::Sum, x, Dims::from(&[dim][..]))
    }
    fn float_reshape(x: FloatTensor<B>, shape: Shape) -> FloatTensor<B> {
        B::reshape(x, shape)
    }
    fn int_add(lhs: IntTensor<B>, rhs: IntTensor<B>) -> IntTensor<B> {
        B::binary(BinaryOp::Add, lhs, rhs)
    }
    fn bool_not(x: BoolTensor<B>) -> BoolTensor<B> {
        B::unary(UnaryOp::Not, x)
    }
    fn relu(x: FloatTensor<B>) -> FloatTensor<B> {
        B::unary(UnaryOp::Relu, x)
    }
    fn relu_backward(output: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
        let zero = B::binary_scalar(BinaryOp::Mul, grad.clone(), Scalar::Float(0.0));
        B::mask_where(B::compare_scalar(CompareOp::Greater, output, Scalar::Float(0.0)), grad, zero)
    }
}

impl<B: Backend> NamedOps<B> for B {}
