//! Exports the training to JavaScript, through `wasm-bindgen`.

use crate::Trainer;
use burn::backend::{Autodiff, NdArray};
use wasm_bindgen::prelude::*;

/// Trains on the CPU backend.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Training {
    trainer: Trainer<Autodiff<NdArray>>,
}

#[wasm_bindgen]
impl Training {
    /// Creates a network with weights that are drawn from `seed`.
    #[wasm_bindgen(constructor)]
    pub fn new(seed: u32) -> Self {
        Training { trainer: Trainer::new(seed.into(), &Default::default()) }
    }

    /// Performs one step, and returns the loss before it.
    ///
    /// # Errors
    /// The device failed.
    pub async fn step(&mut self, learning_rate: f64) -> Result<f32, JsError> {
        Ok(self.trainer.step(learning_rate).await?)
    }

    /// Computes the probability of the second spiral for points, two numbers each.
    ///
    /// # Errors
    /// The device failed.
    pub async fn probabilities(&self, points: Vec<f32>) -> Result<Vec<f32>, JsError> {
        Ok(self.trainer.probabilities(points).await?)
    }
}

/// Returns the points of two spirals, two numbers each, those of the first spiral before those of the second.
#[wasm_bindgen]
pub fn spirals(count: usize) -> Vec<f32> {
    crate::spirals(count).0
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
