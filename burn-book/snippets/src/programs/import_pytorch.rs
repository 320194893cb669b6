// ANCHOR: program
// cargo add --path ../burn/crates/burn-import

use burn::backend::NdArray;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::prelude::*;
use burn::record::{FullPrecisionSettings, RecordError, Recorder};
use burn_import::pytorch::{LoadArgs, PyTorchFileRecorder};

#[derive(Module, Debug)]
struct Net<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
}

fn main() -> Result<(), RecordError> {
    let device = Default::default();
    // The PyTorch program had both layers in a module `conv`.
    let args = LoadArgs::new("convs.pt".into()).with_key_remap("conv\\.(.*)", "$1");
    let record: NetRecord<NdArray> =
        PyTorchFileRecorder::<FullPrecisionSettings>::default().load(args, &device)?;

    let config = Conv2dConfig::new([2, 2], [2, 2]);
    let net = Net { conv1: config.init(&device), conv2: config.with_bias(false).init(&device) };
    let net = net.load_record(record);
    println!("{net}");
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_importing_from_pytorch() {
    crate::page_output::page_prints!("import/pytorch.md", "crates/burn-import/tests/fixtures/convs.pt");
}
