//! Checks of sizes that all configs of recurrent layers share.

use super::GateController;
use crate::size_limits::{check_layer_count, check_weight};
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::module::Initializer;
use burn_core::tensor::Backend;

/// Sizes of a recurrent layer, by the name of its config.
pub struct Sizes<'a> {
    pub config: &'static str,
    pub d_input: usize,
    pub d_hidden: usize,
    pub num_layers: usize,
    pub dropout: f64,
    pub bias: bool,
    pub initializer: &'a Initializer,
    /// Directions whose hidden states the next layer reads.
    pub directions: usize,
}

impl Sizes<'_> {
    /// Refuses sizes that no layer has.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of(self.config);
        let hidden = ("d_hidden", self.d_hidden);
        check_weight(check, &[("d_input", self.d_input), hidden], self.initializer)?;
        // The input of further layers, and the projections of up to four gates as one matrix.
        check.elements(&[("d_hidden", 4 * self.directions), hidden, hidden])?;
        check_layer_count(check, "num_layers", self.num_layers)?;
        check.probability("dropout", self.dropout)
    }

    /// Returns the size of the input of each layer.
    pub fn inputs(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, others) = (self.d_input, self.directions * self.d_hidden);
        (0..self.num_layers).map(move |layer| if layer == 0 { first } else { others })
    }

    /// Creates the weights of a gate of a layer with an input of this size.
    pub fn gate<B: Backend>(&self, d_input: usize, device: &B::Device) -> GateController<B> {
        GateController::new(d_input, self.d_hidden, self.bias, self.initializer.clone(), device)
    }
}
