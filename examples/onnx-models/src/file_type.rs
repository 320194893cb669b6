use crate::Error;
use burn::tensor::{Backend, Tensor, TensorData};
use burn_onnx::{Graph, RunValue};
use std::path::Path;

/// Bytes of the start and of the end of a file that the model sees.
const SEEN: usize = 1024;

/// Bytes of the start and of the end in which white space is skipped.
const BLOCK: usize = 4096;

/// Number in the place of bytes that a short file does not have.
const PADDING: i32 = 256;

/// Magika (Fratantonio et al. 2024): types of files from their first and last bytes.
#[derive(Debug)]
pub struct FileTypes {
    graph: Graph,
    labels: Vec<String>,
}

/// A type and how sure the model is.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Name of the type, such as `rust`.
    pub label: String,
    /// Probability of the type.
    pub score: f32,
}

impl FileTypes {
    /// Loads the model in `folder`: `model.onnx`, and `config.min.json` with the names of the types.
    ///
    /// # Errors
    /// A file is not there, or is not that of magika.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let graph = Graph::load(folder.join("model.onnx"))?;
        let config: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("config.min.json"))?)?;
        let labels =
            config["target_labels_space"].as_array().ok_or("config.min.json has no target_labels_space")?;
        let labels = labels.iter().map(|label| label.as_str().unwrap_or_default().to_string()).collect();
        Ok(FileTypes { graph, labels })
    }

    // ANCHOR: scores
    /// Computes the probabilities of all types, `[files, types]`.
    ///
    /// # Errors
    /// The model cannot be run.
    pub fn scores<B: Backend>(&self, files: &[&[u8]], device: &B::Device) -> Result<Tensor<B, 2>, Error> {
        let features: Vec<i32> = files.iter().flat_map(|file| features(file)).collect();
        let input = RunValue::Data(TensorData::new(features, [files.len(), 2 * SEEN]));
        let [output] = <[RunValue<B>; 1]>::try_from(self.graph.run::<B>(vec![input], device)?)
            .map_err(|outputs| format!("the model has {} outputs, expected 1", outputs.len()))?;
        match output {
            RunValue::Tensor(scores) => Ok(Tensor::from_handle(scores)),
            other => Err(format!("expected a tensor, got {other:?}").into()),
        }
    }
    // ANCHOR_END: scores

    /// Says of which type each file is.
    ///
    /// # Errors
    /// As [`FileTypes::scores`].
    pub fn guess<B: Backend>(&self, files: &[&[u8]], device: &B::Device) -> Result<Vec<Guess>, Error> {
        let scores: Vec<f32> = self.scores::<B>(files, device)?.into_data().iter().collect();
        let best = |scores: &[f32]| {
            let (place, &score) = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
            Some(Guess { label: self.labels.get(place)?.clone(), score })
        };
        Ok(scores.chunks(self.labels.len().max(1)).filter_map(best).collect())
    }
}

/// The numbers of a file that the model sees: its first bytes and its last ones, without white space around
/// the whole.
fn features(file: &[u8]) -> impl Iterator<Item = i32> {
    let start = file[..file.len().min(BLOCK)].trim_ascii_start();
    let end = file[file.len().saturating_sub(BLOCK)..].trim_ascii_end();
    let (start, end) = (&start[..start.len().min(SEEN)], &end[end.len().saturating_sub(SEEN)..]);
    let numbers = |bytes: &[u8]| bytes.iter().map(|&byte| i32::from(byte)).collect::<Vec<_>>();
    let padding = |bytes: &[u8]| std::iter::repeat_n(PADDING, SEEN - bytes.len());
    numbers(start).into_iter().chain(padding(start)).chain(padding(end)).chain(numbers(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_file_is_padded_between_its_start_and_its_end() {
        let numbers: Vec<i32> = features(b"  ab \n").collect();
        assert_eq!(numbers.len(), 2 * SEEN);
        assert_eq!(numbers[..5], [97, 98, 32, 10, 256]);
        assert_eq!(numbers[2 * SEEN - 5..], [256, 32, 32, 97, 98]);
    }
}
