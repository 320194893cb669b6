//! Parameters without files or an operating system.

use burn::backend::NdArray;
use burn::backend::ndarray::NdArrayDevice;
use burn::module::Module;
use burn::nn::{Initializer, Linear, LinearConfig};
use burn::record::{BinBytesRecorder, FullPrecisionSettings, RecordError, Recorder};

/// A layer of zeros that was given the parameters of `layer` through bytes.
///
/// # Errors
/// When the bytes are not those of a layer.
pub fn copied(layer: &Linear<NdArray>) -> Result<Linear<NdArray>, RecordError> {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes = Recorder::<NdArray>::record(&recorder, layer.clone().into_record(), ())?;
    let [d_input, d_output] = layer.weight.val().dims();
    let zeros = LinearConfig::new(d_input, d_output).with_initializer(Initializer::Zeros);
    let record = recorder.load(bytes, &NdArrayDevice::Cpu)?;
    Ok(zeros.init(&NdArrayDevice::Cpu).load_record(record))
}
