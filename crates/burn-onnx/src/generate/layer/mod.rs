//! Layers of `burn::nn` in the place of calls whose weights are constants.

mod constants;
mod convolution;
mod description;
mod embedding;
mod linear;
mod normalization;

pub(super) use constants::Constants;
pub(super) use description::Layer;
pub(super) use linear::with_bias;

use crate::builder::Statement;
use constants::{constant, input, optional};

/// The layer that a call is, if its weights are constants.
pub(super) fn of_call(statement: &Statement, constants: &Constants) -> Option<Layer> {
    let Statement::Call { definition, operands, .. } = statement else { return None };
    match definition.name {
        "conv" => convolution::layer(operands, constants),
        "matmul" => linear::layer(operands, constants),
        "batch_norm" => normalization::batch(operands, constants),
        "layer_norm" => normalization::layer(operands, constants),
        "rms_norm" => normalization::rms(operands, constants),
        "group_norm" => normalization::group(operands, constants),
        "embedding" => embedding::layer(operands, constants),
        _ => None,
    }
}
