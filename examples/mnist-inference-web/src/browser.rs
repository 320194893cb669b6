//! Exports the network to JavaScript, through `wasm-bindgen`.

use crate::{Classifier, drawing};
use burn::backend::NdArray;
use wasm_bindgen::prelude::*;

// ANCHOR: mnist
/// Reads digits on the CPU backend.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Mnist {
    classifier: Classifier<NdArray>,
}

#[wasm_bindgen]
impl Mnist {
    /// Creates the network.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Mnist { classifier: Classifier::new(Default::default()) }
    }

    /// Computes the probabilities of the ten digits for each image of 8 x 8 pixels.
    ///
    /// # Errors
    /// The device failed.
    pub async fn inference(&self, images: Vec<f32>) -> Result<Vec<f32>, JsError> {
        Ok(self.classifier.probabilities(images).await?)
    }
}
// ANCHOR_END: mnist

/// Returns the network's input for what is drawn on a canvas, whose pixels are red, green, blue and opacity.
#[wasm_bindgen]
pub fn scale(canvas: &[u8], width: usize) -> Vec<f32> {
    let ink: Vec<u8> = canvas.chunks_exact(4).map(|pixel| pixel[3]).collect();
    drawing::scale(&ink, width)
}

#[wasm_bindgen]
unsafe extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Writes panics to the console of the page, which says no more than `unreachable` otherwise.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}
