// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::conv::Conv2dConfig;
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;

type B = NdArray;

fn main() {
    let device = Default::default();
    // The inner sizes of a matrix product differ: 32 features into a layer for 64.
    let layer: Linear<B> = LinearConfig::new(64, 10).init(&device);
    let x = Tensor::<B, 2>::ones([8, 32], &device);
    println!("{}", layer.try_forward(x).expect_err("32 is not 64"));

    // Print the output shape of a convolution, and give the next layer these sizes.
    let conv = Conv2dConfig::new([3, 16], [3, 3]).with_stride([2, 2]).init::<B>(&device);
    let y = conv.forward(Tensor::ones([8, 3, 32, 32], &device));
    println!("{:?}", y.dims());
    let features: Tensor<B, 2> = y.flatten(1, 3);
    println!("{:?}", features.dims());

    // Shapes broadcast among tensors of one rank: give a bias the rank of the matrix first.
    let bias = Tensor::<B, 1>::ones([10], &device);
    let sum = Tensor::<B, 2>::zeros([8, 10], &device) + bias.unsqueeze();
    println!("{:?}", sum.dims());
}
// ANCHOR_END: program

#[test]
fn x_701_shapes_do_not_fit() {
    crate::page_output::page_prints!("troubleshooting/shapes.md");
}
