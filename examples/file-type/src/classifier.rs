use crate::features;
use crate::model::Model;
use burn::tensor::{Backend, DType, Int, Tensor, TensorData};

/// Names of the types, in the order of the outputs.
static LABELS: &str = include_str!(concat!(env!("OUT_DIR"), "/labels.txt"));

/// Type of a file as the network sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Name of the type, such as `rust` or `pdf`.
    pub label: &'static str,
    /// Probability from 0 to 1.
    pub probability: f32,
}

/// Network that classifies file types.
#[derive(Debug)]
pub struct Classifier<B: Backend> {
    model: Model<B>,
    device: B::Device,
}

impl<B: Backend> Classifier<B> {
    /// Makes the network with the weights that the build script wrote.
    pub fn new(device: &B::Device) -> Self {
        let file = concat!(env!("OUT_DIR"), "/model");
        Classifier { model: Model::from_file(file, device), device: device.clone() }
    }

    /// Returns the most probable type of each content.
    pub fn classify(&self, contents: &[Vec<u8>]) -> Vec<Guess> {
        if contents.is_empty() {
            return Vec::new();
        }
        let bytes: Vec<i32> = contents.iter().flat_map(|content| features(content)).collect();
        let bytes = TensorData::new(bytes, [contents.len(), 2048]);
        let bytes = Tensor::<B, 2, Int>::from_data(bytes, (&self.device, DType::I32));
        let (probabilities, places) = self.model.forward(bytes).max_dim_with_indices(1);
        let (probabilities, places) = (probabilities.into_data(), places.into_data());
        let labels: Vec<&str> = LABELS.lines().collect();
        let guesses = places.iter::<u32>().zip(probabilities.iter::<f32>());
        guesses.map(|(place, probability)| Guess { label: labels[place as usize], probability }).collect()
    }
}
