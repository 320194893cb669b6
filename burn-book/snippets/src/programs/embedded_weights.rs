// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::record::{BinBytesRecorder, FullPrecisionSettings, RecordError, Recorder};

type B = NdArray;

/// Loads the model from bytes that are part of the program: it opens no file.
fn load(bytes: &[u8]) -> Result<Linear<B>, RecordError> {
    let device = Default::default();
    let record = BinBytesRecorder::<FullPrecisionSettings>::new().load_slice(bytes, &device)?;
    Ok(LinearConfig::new(4, 3).init(&device).load_record(record))
}

fn main() -> Result<(), RecordError> {
    // On your machine, after training. Write these bytes to a file, and include it by `include_bytes!`.
    let device = Default::default();
    let trained: Linear<B> = LinearConfig::new(4, 3).init(&device);
    let bytes: Vec<u8> = Recorder::<B>::record(
        &BinBytesRecorder::<FullPrecisionSettings>::new(),
        trained.clone().into_record(),
        (),
    )?;

    // On the chip.
    let model = load(&bytes)?;
    let x = Tensor::<B, 2>::ones([1, 4], &device);
    println!("equal: {}", model.forward(x.clone()).into_data() == trained.forward(x).into_data());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_microcontrollers() {
    crate::page_output::page_prints!("microcontrollers.md");
}
