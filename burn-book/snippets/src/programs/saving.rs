// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::record::{CompactRecorder, DefaultFileRecorder, FullPrecisionSettings, RecordError};

fn main() -> Result<(), RecordError> {
    let device = Default::default();
    let trained: Linear<NdArray> = LinearConfig::new(4, 3).init(&device);

    // In full precision: `model.mpk` has every bit.
    let recorder = DefaultFileRecorder::<FullPrecisionSettings>::new();
    trained.clone().save_file("model", &recorder)?;
    let loaded: Linear<NdArray> =
        LinearConfig::new(4, 3).init(&device).load_file("model", &recorder, &device)?;
    println!("equal: {}", loaded.weight.val().into_data() == trained.weight.val().into_data());

    // `CompactRecorder` halves the size, by rounding to 16 bits.
    trained.save_file("small", &CompactRecorder::new())?;
    // Another architecture is an error that lists what differs.
    let error = LinearConfig::new(4, 5)
        .init::<NdArray>(&device)
        .load_file("small", &CompactRecorder::new(), &device)
        .expect_err("it has 5 outputs");
    println!("{}", error.mismatch().expect("the file is whole"));
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_saving_and_loading() {
    crate::page_output::page_prints!("building-blocks/saving.md");
}
