use crate::generate::documentation::DocLine;
use crate::value::Tensor;
use burn_core::record::Node;
use burn_ir::TensorData;
use proc_macro2::TokenStream;

/// A layer that a call becomes.
#[derive(Clone, Debug)]
pub(in crate::generate) struct Layer {
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
