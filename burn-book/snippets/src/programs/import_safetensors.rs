// ANCHOR: program
// cargo add --path ../burn/crates/burn-import

use burn::backend::NdArray;
use burn::nn::{Linear, LinearConfig};
use burn::record::RecordError;
use burn::weights::Strictness;
use burn_import::safetensors;
use std::path::Path;

fn main() -> Result<(), RecordError> {
    let device = Default::default();
    let path = Path::new("linear.safetensors");
    let linear: Linear<NdArray> = LinearConfig::new(4, 3).init(&device);
    safetensors::save(&linear, path)?;

    let weights = safetensors::open(path)?;
    for tensor in weights.tensors() {
        println!("{}: {:?}", tensor.name(), tensor.shape());
    }
    let (again, report) =
        weights.load_into(LinearConfig::new(4, 3).init::<NdArray>(&device), Strictness::Strict)?;
    println!("{report}");
    println!("equal: {}", again.weight.val().into_data() == linear.weight.val().into_data());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_importing_safetensors() {
    crate::page_output::page_prints!("import/safetensors.md");
}
