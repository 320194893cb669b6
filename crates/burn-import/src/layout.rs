use crate::PyTorchLayers;
use burn_core::weights::Weights;
use std::sync::Arc;

/// Whose names and layouts the weights of a file have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Names and layouts of PyTorch, which are translated.
    #[default]
    PyTorch,
    /// Names and layouts of Burn, as
    /// [`safetensors::SafetensorsFileRecorder`](crate::safetensors::SafetensorsFileRecorder) writes them.
    Burn,
}

impl Layout {
    pub(crate) fn translate(self, weights: Weights) -> Weights {
        match self {
            Layout::PyTorch => weights.with_adapter(Arc::new(PyTorchLayers)),
            Layout::Burn => weights,
        }
    }
}
