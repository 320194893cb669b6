// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::{Lstm, LstmConfig};
use burn::prelude::*;

fn main() {
    let device = Default::default();
    let lstm: Lstm<NdArray> = LstmConfig::new(4, 8, true).with_num_layers(2).init(&device);
    let x = Tensor::<NdArray, 3>::ones([3, 5, 4], &device); // [batch, time, d_input]

    // The hidden states of the last layer at each step, and the states of all layers after the last step.
    let (y, state) = lstm.forward(x.clone(), None);
    println!("output {:?}, hidden state {:?}", y.dims(), state.hidden.dims());

    // Sequences of 5, 3 and 1 steps, padded to one length: the output after their ends is 0.
    let (packed, _state) = lstm.forward_packed(x, [5, 3, 1], None);
    println!("after the end of the second: {}", packed.slice(s![1, 3..]).abs().max().into_scalar());
}
// ANCHOR_END: program

#[test]
fn x_701_recurrent_layers() {
    crate::page_output::page_prints!("building-blocks/recurrent.md");
}
