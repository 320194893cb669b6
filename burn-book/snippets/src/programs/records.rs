// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Record, RecordError, Recorder};

/// Values that a program keeps beside its parameters.
#[derive(Record, Clone, Debug)]
struct Progress {
    epoch: usize,
    losses: Vec<f64>,
    note: String,
}

fn main() -> Result<(), RecordError> {
    let progress = Progress { epoch: 2, losses: vec![0.9, 0.4], note: "warm-up".into() };
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes: Vec<u8> = Recorder::<NdArray>::record(&recorder, progress, ())?;
    let device: <NdArray as Backend>::Device = Default::default();
    let loaded: Progress = Recorder::<NdArray>::load(&recorder, bytes, &device)?;
    println!("{loaded:?}");
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_records() {
    crate::page_output::page_prints!("building-blocks/record.md");
}
