//! A trained classifier, from the folder of its run.

use crate::batch::TextBatcher;
use crate::model::{TextClassifier, TextClassifierConfig};
use crate::tokenizer::SubwordTokenizer;
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::activation::softmax;
use std::error::Error;
use std::path::Path;

/// The file of a [`RunConfig`].
pub const CONFIG_FILE: &str = "config.json";
/// The file of the tokenizer.
pub const TOKENIZER_FILE: &str = "tokenizer.json";
/// The file of the trained model, without its extension.
pub const MODEL_FILE: &str = "model";

/// Settings of a training run that loading its model needs.
#[derive(Config, Debug)]
pub struct RunConfig {
    /// Sizes of the model.
    pub model: TextClassifierConfig,
    /// Names of the classes.
    pub classes: Vec<String>,
}

/// A trained model with its tokenizer and the names of its classes.
#[derive(Clone, Debug)]
pub struct Classifier<B: Backend> {
    model: TextClassifier<B>,
    batcher: TextBatcher<B>,
    classes: Vec<String>,
}

/// The class of a text and how sure the model is.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    pub class: String,
    /// The probability of the class, of 0 to 1.
    pub probability: f64,
}

impl<B: Backend> Classifier<B> {
    /// Loads what a run left in `artifacts`.
    ///
    /// # Errors
    /// If a file is missing or is not of such a run.
    pub fn load(artifacts: &Path, device: &B::Device) -> Result<Self, Box<dyn Error>> {
        let config = RunConfig::load(artifacts.join(CONFIG_FILE))?;
        let path = artifacts.join(TOKENIZER_FILE);
        let tokenizer =
            SubwordTokenizer::load(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let model = config.model.init::<B>(device);
        let model = model.load_file(artifacts.join(MODEL_FILE), &CompactRecorder::new(), device)?;
        let batcher = TextBatcher { tokenizer, longest: config.model.longest, device: device.clone() };
        Ok(Self { model, batcher, classes: config.classes })
    }

    /// Classifies texts, each with its title, in one batch.
    pub fn classify(&self, texts: &[(&str, &str)]) -> Vec<Prediction> {
        if texts.is_empty() {
            return Vec::new();
        }
        let batch = self.batcher.pad(texts);
        let probabilities = softmax(self.model.forward(batch.tensor, batch.mask), 1);
        let (best, class) = probabilities.max_dim_with_indices(1);
        let class = class.into_data().to_f64();
        let predictions = best.into_data().to_f64().into_iter().zip(class);
        predictions
            .map(|(probability, class)| Prediction {
                class: self.classes[class as usize].clone(),
                probability,
            })
            .collect()
    }
}
