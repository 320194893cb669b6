//! Workloads in candle.

use super::Prepare;
use super::kernels::*;
use super::{models, resnet, transformer};
use candle_nn::ops::{layer_norm, softmax_last_dim};

/// Returns the candle version of the workload of this name, if there is one.
pub(crate) fn work(name: &str) -> Option<Prepare> {
    let work: Prepare = match name {
        "add 16" => || binary(&[16], |x, y| x + y),
        "add 4096" => || binary(&[4096, 4096], |x, y| x + y),
        "matmul 256" => || binary(&[256, 256], |x, y| x.matmul(y)),
        "matmul 1024" => || binary(&[1024, 1024], |x, y| x.matmul(y)),
        "matmul 2048" => || binary(&[2048, 2048], |x, y| x.matmul(y)),
        "matmul batched" => || product(&[64, 128, 64], &[64, 64, 128]),
        "matvec 4096" => || product(&[1, 4096], &[4096, 4096]),
        "layer of 16 rows" => || product(&[16, 1024], &[1024, 1024]),
        "layer of 64 rows" => || product(&[64, 768], &[768, 768]),
        "chain in place" => chain,
        "gelu" => || unary(&[32, 512, 512], gelu),
        "softmax" => || unary(&[4096, 1024], softmax_last_dim),
        "layer norm" => || {
            let (gamma, beta) = (normal(&[768]), normal(&[768]));
            unary(&[4096, 768], move |x| layer_norm(x, &gamma, &beta, 1e-5))
        },
        "sum dim 0" => || unary(&[4096, 4096], |x| x.sum_keepdim(0)),
        "sum dim 1" => || unary(&[4096, 4096], |x| x.sum_keepdim(1)),
        "sum all" => || unary(&[4096, 4096], |x| x.sum_all()),
        "transpose" => || unary(&[4096, 4096], |x| x.t()?.contiguous()),
        "conv 3x3" => || conv(&[8, 64, 56, 56], &[64, 64, 3, 3], 1, 1),
        "conv 3x3 step" => conv_step,
        "conv depthwise" => || conv(&[8, 128, 56, 56], &[128, 1, 3, 3], 1, 128),
        "conv 1x1" => || conv(&[8, 256, 28, 28], &[256, 256, 1, 1], 0, 1),
        "max pool" => || unary(&[8, 64, 112, 112], |x| x.max_pool2d(2)),
        "sort" => || unary(&[512, 4096], |x| Ok(x.sort_last_dim(true)?.0)),
        "gather" => gather,
        "select rows" => select,
        "attention" => attention,
        "mlp step" => || ready(models::mlp_step()),
        "guide step" => || ready(models::guide_step()),
        "guide inference" => || ready(models::guide_inference()),
        "transformer step" => || ready(transformer::step()),
        "transformer inference" => || ready(transformer::inference()),
        "lstm" => || ready(models::lstm_step()),
        "resnet-18" => || ready(resnet::inference()),
        _ => return None,
    };
    Some(work)
}

fn ready(call: candle_core::Result<Box<dyn FnMut()>>) -> Box<dyn FnMut()> {
    call.expect("parameters fit into memory")
}
