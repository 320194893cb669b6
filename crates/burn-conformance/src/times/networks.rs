//! Convolutions and attention, with and without their gradients.

use super::{normal, report};
use burn_backend::*;

fn options() -> ConvOptions {
    ConvOptions { padding: Dims::repeat(1, 2), ..ConvOptions::new(2) }
}

/// Reports a convolution of 64 images of 64 x 56 x 56 by 64 kernels of 3 x 3, and its two gradients.
pub fn convolution<B: Backend>(prefix: &str, name: &str, dtype: DType, device: &B::Device) {
    let random = |shape: [usize; 4]| normal::<B>(shape, dtype, device);
    both::<B>(prefix, name, device, [random([64, 64, 56, 56]), random([64, 64, 3, 3])]);
}

/// Reports the same with channels last in memory.
pub fn convolution_channels_last<B: Backend>(prefix: &str, name: &str, dtype: DType, device: &B::Device) {
    let random = |[batch, channels, height, width]: [usize; 4]| {
        let x = normal::<B>([batch, height, width, channels], dtype, device);
        B::permute(x, Dims::from([0, 3, 1, 2]))
    };
    let name = format!("channels last {name}");
    both::<B>(prefix, &name, device, [random([64, 64, 56, 56]), random([64, 64, 3, 3])]);
}

fn both<B: Backend>(prefix: &str, name: &str, device: &B::Device, [x, weight]: [B::Tensor; 2]) {
    report::<B>(&format!("{prefix}conv {name}"), device, &|| vec![forward::<B>(&x, &weight)]);
    report::<B>(&format!("{prefix}conv step {name}"), device, &|| {
        let y = forward::<B>(&x, &weight);
        let gradient = |other: &B::Tensor, target: &B::Tensor| ConvGradArgs {
            grad: y.clone(),
            other: other.clone(),
            target: target.shape().clone(),
            options: options(),
        };
        vec![B::conv_transpose(gradient(&weight, &x)), B::conv_weight_grad(gradient(&x, &weight))]
    });
}

fn forward<B: Backend>(x: &B::Tensor, weight: &B::Tensor) -> B::Tensor {
    B::conv(ConvArgs { x: x.clone(), weight: weight.clone(), bias: None, options: options() })
}

/// Reports attention of 8 times 16 heads of 64 between 2048 rows each, and its three gradients.
pub fn attention<B: Backend>(prefix: &str, name: &str, dtype: DType, device: &B::Device) {
    let [query, key, value] = [0; 3].map(|_| normal::<B>([8, 16, 2048, 64], dtype, device));
    let args = AttentionArgs { query, key, value, mask: None, causal: false, scale: 0.125 };
    report::<B>(&format!("{prefix}attention {name}"), device, &|| vec![B::attention(args.clone()).0]);
    report::<B>(&format!("{prefix}attention step {name}"), device, &|| {
        let (output, log_sums) = B::attention(args.clone());
        let AttentionArgs { query, key, value, mask, causal, scale } = args.clone();
        let grad = output.clone();
        let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
        let (query, key, value) = B::attention_grad(args);
        vec![query, key, value]
    });
}
