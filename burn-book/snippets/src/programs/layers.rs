// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::conv::Conv2dConfig;
use burn::nn::pool::MaxPool2dConfig;
use burn::nn::{BatchNormConfig, Flatten, LinearConfig, PaddingConfig2d, Relu, Sequential};
use burn::prelude::*;

fn main() {
    let device = Default::default();
    let model = Sequential::new((
        Conv2dConfig::new([1, 8], [3, 3]).with_padding(PaddingConfig2d::Same).init::<NdArray>(&device),
        BatchNormConfig::new(8).init(&device),
        Relu,
        MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
        Flatten::new(),
        LinearConfig::new(8 * 14 * 14, 10).init(&device),
    ));
    let logits: Tensor<NdArray, 2> = model.forward(Tensor::<NdArray, 4>::ones([2, 1, 28, 28], &device));
    println!("{:?}, {} parameters", logits.dims(), model.num_params());

    // A config with impossible sizes is an error.
    let error = Conv2dConfig::new([3, 8], [3, 3]).with_groups(2).try_init::<NdArray>(&device);
    println!("{}", error.expect_err("2 groups do not divide 3 channels"));
}
// ANCHOR_END: program

#[test]
fn x_701_layers() {
    crate::page_output::page_prints!("building-blocks/layers.md");
}
