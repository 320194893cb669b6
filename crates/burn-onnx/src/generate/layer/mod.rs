//! Layers of `burn::nn` in the place of calls whose weights are constants.

mod convolution;
mod embedding;
mod linear;
mod normalization;

use super::documentation::DocLine;
use crate::builder::Statement;
use crate::calls::Operand;
use crate::graph::Constant;
use crate::value::{Tensor, TensorId};
use burn_core::record::Node;
use burn_ir::TensorData;
use proc_macro2::TokenStream;
use std::collections::HashMap;

/// A layer that a call becomes.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Name of the type in `burn::nn`, with its module if it is in one: `conv::Conv2d`.
    pub path: &'static str,
    /// Expression that makes the layer on `device`.
    pub init: TokenStream,
    /// Names of types of `burn::nn` that `init` needs.
    pub imports: Vec<&'static str>,
    /// A sentence for the field.
    pub documentation: DocLine,
    /// Name of the weight in the model, from which the field gets its name.
    pub weight: String,
    /// A name where the weight has none.
    pub fallback: &'static str,
    /// Parameters by the names of the fields of the layer.
    pub parameters: Vec<(&'static str, TensorData)>,
    /// The tensor that it is applied to.
    pub input: Tensor,
}

impl Layer {
    /// Returns the name of the type without its module.
    pub fn type_name(&self) -> &'static str {
        self.path.rsplit("::").next().unwrap_or(self.path)
    }

    /// Returns whether the weight has only a number of the exporter as its name.
    pub fn is_anonymous(&self) -> bool {
        self.weight.is_empty() || self.weight.starts_with("onnx::")
    }

    /// Returns the layer's record.
    pub fn record(&self) -> Node {
        let fields = self.parameters.iter();
        Node::Map(fields.map(|(name, data)| ((*name).into(), Node::Tensor(data.clone()))).collect())
    }
}

/// Constants by the tensors that they become.
pub(super) type Constants = HashMap<TensorId, Constant>;

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

pub(super) use linear::with_bias;

/// The constant of an operand.
fn constant<'a>(operand: &Operand, constants: &'a Constants) -> Option<&'a Constant> {
    match operand {
        Operand::Tensor(tensor) => {
            constants.get(&tensor.id).filter(|constant| constant.data.dtype.is_float())
        }
        _ => None,
    }
}

/// The constant of an operand that may be missing: none if it is a tensor that is no constant.
fn optional<'a>(operand: &Operand, constants: &'a Constants) -> Option<Option<&'a Constant>> {
    match operand {
        Operand::Absent => Some(None),
        other => constant(other, constants).map(Some),
    }
}

fn input(operand: &Operand) -> Option<Tensor> {
    operand.tensor().ok().cloned()
}
