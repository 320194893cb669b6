//! Exports the classifier to JavaScript, through `wasm-bindgen`.

use crate::{BackendName, Classifier};
use burn::backend::NdArray;
use wasm_bindgen::prelude::*;

#[cfg(feature = "candle")]
use burn::backend::Candle;
#[cfg(feature = "wgpu")]
use burn::backend::wgpu::{Wgpu, WgpuDevice};

// ANCHOR: classifier
/// The network on one of the backends.
#[derive(Debug)]
enum Network {
    NdArray(Classifier<NdArray>),
    #[cfg(feature = "candle")]
    Candle(Classifier<Candle>),
    #[cfg(feature = "wgpu")]
    Wgpu(Classifier<Wgpu>),
}

/// Classifies pictures.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ImageClassifier {
    network: Network,
}

#[wasm_bindgen]
impl ImageClassifier {
    /// Loads the network on a backend, named as [`backends`] does.
    ///
    /// # Errors
    /// There is no such backend, its device is not there, or the weights are of something else.
    pub async fn load(weights: Vec<u8>, backend: &str) -> Result<ImageClassifier, JsError> {
        let backend = BackendName::parse(backend)
            .ok_or_else(|| JsError::new(&format!("the page was built without the backend `{backend}`")))?;
        let network = match backend {
            BackendName::NdArray => Network::NdArray(Classifier::load(weights, Default::default())?),
            #[cfg(feature = "candle")]
            BackendName::Candle => Network::Candle(Classifier::load(weights, Default::default())?),
            #[cfg(feature = "wgpu")]
            BackendName::Wgpu => {
                let device = WgpuDevice::default();
                // Browsers open devices in the background only.
                device.open_async().await?;
                Network::Wgpu(Classifier::load(weights, device)?)
            }
        };
        Ok(ImageClassifier { network })
    }

    /// Computes the probabilities of the 1,000 classes for the pixels of a square canvas.
    ///
    /// # Errors
    /// The device failed.
    pub async fn inference(&self, canvas: &[u8]) -> Result<Vec<f32>, JsError> {
        let probabilities = match &self.network {
            Network::NdArray(network) => network.probabilities(canvas).await,
            #[cfg(feature = "candle")]
            Network::Candle(network) => network.probabilities(canvas).await,
            #[cfg(feature = "wgpu")]
            Network::Wgpu(network) => network.probabilities(canvas).await,
        };
        Ok(probabilities?)
    }
}
// ANCHOR_END: classifier

/// Returns the backends that the page was built with.
#[wasm_bindgen]
pub fn backends() -> Vec<String> {
    BackendName::ALL.iter().map(|backend| backend.as_str().to_string()).collect()
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
