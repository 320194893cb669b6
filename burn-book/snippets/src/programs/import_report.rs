// ANCHOR: program
// cargo add --path ../burn/crates/burn-import

use burn::backend::NdArray;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::record::RecordError;
use burn::weights::Strictness;
use burn_import::LoadArgs;

/// The network of the file, and a new last layer.
#[derive(Module, Debug)]
struct Larger<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    head: Linear<B>,
}

fn main() -> Result<(), RecordError> {
    let device = Default::default();
    let conv = Conv2dConfig::new([2, 2], [2, 2]);
    let model = Larger::<NdArray> {
        conv1: conv.init(&device),
        conv2: conv.clone().with_bias(false).init(&device),
        head: LinearConfig::new(8, 3).init(&device),
    };

    // The extension says which format it is. The weights are below a key of the checkpoint.
    let weights =
        burn_import::open(LoadArgs::new("checkpoint.pt".into()).with_top_level_key("my_state_dict"))?;
    let (_model, report) = weights.load_into(model, Strictness::Lenient)?;
    println!("{report}");
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_importing_weights() {
    crate::page_output::page_prints!("import/README.md", "crates/burn-import/tests/fixtures/checkpoint.pt");
}
