use super::geometry::pooled_shape;
use super::{max, mean};
use crate::tensor::NdTensor;
use burn_backend::{PoolArgs, PoolGradArgs, PoolKind};

pub fn pool(args: PoolArgs<NdTensor>) -> NdTensor {
    let PoolArgs { kind, x, options } = args;
    let shape = pooled_shape(x.shape(), &options);
    match kind {
        PoolKind::Max => max::max_pool(x, shape, &options),
        PoolKind::Avg { count_include_pad } => mean::mean_pool(x, shape, &options, count_include_pad),
    }
}

pub fn pool_grad(args: PoolGradArgs<NdTensor>) -> NdTensor {
    let PoolGradArgs { kind, grad, x, target, options } = args;
    match kind {
        PoolKind::Max => max::max_pool_grad(grad, x.expect("max pooling needs its input"), &options),
        PoolKind::Avg { count_include_pad } => {
            mean::mean_pool_grad(grad, target, &options, count_include_pad)
        }
    }
}
