//! Poolings and their gradients are each other's gradients.

use super::{B, Operand, Sink, Tensor};
use crate::checkpoint::SavedTensor;
use burn_backend::TypedCalls;
use burn_backend::{
    Backend, DType, HasSpec, IndexUpdate, PoolArgs, PoolGradArgs, PoolKind, Scalar, Shape, TensorSpec,
};

pub fn pool(args: PoolArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let PoolArgs { kind, x, options } = args;
    let value = match kind {
        PoolKind::Max => Some(sink.value(&x)),
        PoolKind::Avg { .. } => None,
    };
    let target = x.spec.shape.clone();
    sink.add(&x, || B::pool_grad(PoolGradArgs { kind, grad, x: value, target, options }));
}

/// Computes the gradient of a pooling gradient, which is linear in `grad`; the input of max pooling only
/// decides the maximum of each window.
pub fn pool_grad(args: PoolGradArgs<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    let PoolGradArgs { kind, grad: out, x, target: _, options } = args;
    match (kind, x) {
        (PoolKind::Max, Some(x)) => {
            let x = sink.value(&x);
            sink.add(&out, || {
                let (_, winners) = B::max_pool_with_indices(x, options, DType::I64);
                let shape = winners.shape();
                B::reshape(B::gather(flat(grad), 2, flat(winners)), shape)
            });
        }
        (PoolKind::Max, None) => unreachable!("the gradient of a maximum keeps the input"),
        (PoolKind::Avg { .. }, _) => sink.add(&out, || B::pool(PoolArgs { kind, x: grad, options })),
    }
}

pub fn max_pool_with_indices(x: &Operand, winners: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    let winners = sink.restore(winners);
    sink.add(x, || {
        let zeros = TensorSpec::new(flat_shape(&x.spec.shape), grad.dtype());
        let zeros = B::full(zeros, Scalar::Int(0), &B::device(&grad));
        let sum = B::scatter(zeros, 2, flat(winners), flat(grad), IndexUpdate::Add);
        B::reshape(sum, x.spec.shape.clone())
    });
}

fn flat_shape(shape: &Shape) -> Shape {
    Shape::from([shape[0], shape[1], shape[2..].iter().product()])
}

fn flat(x: Tensor) -> Tensor {
    let shape = flat_shape(&x.spec().shape);
    B::reshape(x, shape)
}
