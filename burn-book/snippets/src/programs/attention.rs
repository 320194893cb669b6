// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::prelude::*;

fn main() {
    let device = Default::default();
    // Eight query heads share two heads of keys and values.
    let config = MultiHeadAttentionConfig::new(64, 8).with_n_key_value_heads(Some(2));
    let layer: MultiHeadAttention<NdArray> = config.init(&device);

    let x = Tensor::<NdArray, 3>::ones([2, 3, 64], &device); // [batch, sequence length, d_model]
    // The last token of the first sequence is padding.
    let padding = Tensor::<NdArray, 2, Bool>::from_data([[false, false, true], [false; 3]], &device);
    let output = layer.forward(MhaInput::self_attn(x).mask_pad(padding).causal());
    println!("{:?}", output.context.dims());
}
// ANCHOR_END: program

#[test]
fn x_701_attention() {
    crate::page_output::page_prints!("attention.md");
}
