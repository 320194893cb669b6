use crate::generate::documentation::DocLine;
use crate::value::{Expr, Tensor};
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
    /// Operations on the result of a convolution that are part of its call.
    pub epilogue: Vec<EpilogueCall>,
}

/// A method of `ConvEpilogue`.
#[derive(Clone, Debug)]
pub(in crate::generate) enum EpilogueCall {
    Residual(Tensor),
    Relu,
    Clamp(Expr, Expr),
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

    /// Returns the tensors that the call takes, in the order of the text.
    pub fn taken(&self) -> impl Iterator<Item = &Tensor> {
        let residuals = self.epilogue.iter().filter_map(|call| match call {
            EpilogueCall::Residual(residual) => Some(residual),
            EpilogueCall::Relu | EpilogueCall::Clamp(..) => None,
        });
        std::iter::once(&self.input).chain(residuals)
    }

    /// Calls `visit` with every number of the call.
    pub fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        for call in &self.epilogue {
            match call {
                EpilogueCall::Clamp(min, max) => [min, max].into_iter().for_each(&mut *visit),
                EpilogueCall::Residual(_) | EpilogueCall::Relu => {}
            }
        }
    }

    /// Returns the layer's record.
    pub fn record(&self) -> Node {
        let fields = self.parameters.iter();
        Node::Map(fields.map(|(name, data)| ((*name).into(), Node::Tensor(data.clone()))).collect())
    }
}
