use super::{Constants, Layer, constant, input};
use crate::calls::Operand;
use crate::generate::documentation::DocLine;
use crate::generate::literal::size;
use quote::quote;

/// Rows of a constant matrix.
pub(super) fn layer(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let (weight, indices) = (constant(&operands[0], constants)?, input(&operands[1])?);
    let [rows, dims] = weight.data.shape[..] else { return None };
    let (row_count, dim_count) = (size(rows), size(dims));
    Some(Layer {
        path: "Embedding",
        init: quote!(EmbeddingConfig::new(#row_count, #dim_count).init(device)),
        imports: vec!["EmbeddingConfig"],
        documentation: DocLine::new(format!("Embedding of {rows} indices in {dims} dimensions.")),
        weight: weight.name.clone(),
        fallback: "embedding",
        parameters: vec![("weight", (*weight.data).clone())],
        input: indices,
    })
}
