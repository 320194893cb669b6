//! Settings that all recurrent layers print.

use super::GateController;
use crate::Dropout;
use burn_core::module::Content;
use burn_core::tensor::Backend;

/// Adds the sizes of a gate of the first layer.
pub fn add_sizes<B: Backend>(content: Content, gate: &GateController<B>) -> Content {
    let [d_input, d_hidden] = gate.input_transform.weight.dims();
    let content = content.add("d_input", &d_input).add("d_hidden", &d_hidden);
    content.add("bias", &gate.input_transform.bias.is_some())
}

/// Adds the settings of a stack of layers, which are printed last.
pub fn add_stack(content: Content, layers: usize, dropout: &Dropout, batch_first: bool) -> Option<Content> {
    let content = content.add("num_layers", &layers).add("dropout", &dropout.prob);
    content.add("batch_first", &batch_first).optional()
}
