use crate::Error;
use burn::tensor::{Backend, Tensor, TensorData};
use burn_onnx::{Graph, RunValue};
use std::path::Path;

/// Samples of a chunk: 32 ms at 16 kHz.
pub const CHUNK: usize = 512;

/// Samples before a chunk that the model sees too.
const CONTEXT: usize = 64;

/// Silero VAD (2021): the probability of speech, for each 32 ms of audio of 16 kHz.
#[derive(Debug)]
pub struct VoiceDetector<B: Backend> {
    graph: Graph,
    device: B::Device,
    /// State of the recurrent layers, `[2, 1, 128]`.
    state: Tensor<B, 3>,
    context: Vec<f32>,
}

impl<B: Backend> VoiceDetector<B> {
    /// Loads the model.
    ///
    /// # Errors
    /// The file is not there, or is no ONNX model.
    pub fn load(file: &Path, device: &B::Device) -> Result<Self, Error> {
        let state = Tensor::zeros([2, 1, 128], device);
        Ok(VoiceDetector {
            graph: Graph::load(file)?,
            device: device.clone(),
            state,
            context: vec![0.0; CONTEXT],
        })
    }

    /// Computes the probability of speech in the next chunk of [`CHUNK`] samples.
    ///
    /// # Errors
    /// The chunk has another length, or the model cannot be run.
    pub fn probability(&mut self, chunk: &[f32]) -> Result<f32, Error> {
        if chunk.len() != CHUNK {
            return Err(format!("a chunk has {CHUNK} samples, got {}", chunk.len()).into());
        }
        let samples = [&self.context[..], chunk].concat();
        self.context.copy_from_slice(&chunk[CHUNK - CONTEXT..]);
        let inputs = self.graph.inputs().map(|info| match info.name.as_str() {
            "input" => Ok(RunValue::Data(TensorData::new(samples.clone(), [1, CONTEXT + CHUNK]))),
            "state" => Ok(RunValue::from(self.state.clone())),
            "sr" => Ok(RunValue::Data(TensorData::new(vec![16_000_i64], [0; 0]))),
            other => Err(format!("the model has an input `{other}`, which is not known")),
        });
        let outputs = self.graph.run::<B>(inputs.collect::<Result<_, _>>()?, &self.device)?;
        let [RunValue::Tensor(speech), RunValue::Tensor(state)] = <[RunValue<B>; 2]>::try_from(outputs)
            .map_err(|outputs| format!("the model has {} outputs, expected 2", outputs.len()))?
        else {
            return Err("the model gives no tensors".into());
        };
        self.state = Tensor::from_handle(state);
        let speech = Tensor::<B, 2>::from_handle(speech).into_data();
        speech.iter::<f32>().next().ok_or_else(|| "the model gives no probability".into())
    }

    /// Returns the state of the recurrent layers, `[2, 1, 128]`.
    pub fn state(&self) -> &Tensor<B, 3> {
        &self.state
    }
}
