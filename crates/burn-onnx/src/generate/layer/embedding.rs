use super::{Constants, Layer, constant, input};
use crate::calls::Operand;

/// Rows of a constant matrix.
pub(super) fn layer(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let (weight, indices) = (constant(&operands[0], constants)?, input(&operands[1])?);
    let [rows, size] = weight.data.shape[..] else { return None };
    Some(Layer {
        path: "Embedding",
        init: format!("EmbeddingConfig::new({rows}, {size}).init(device)"),
        imports: vec!["EmbeddingConfig"],
        documentation: format!("Embedding of {rows} indices in {size} dimensions."),
        weight: weight.name.clone(),
        fallback: "embedding",
        parameters: vec![("weight", (*weight.data).clone())],
        input: indices,
    })
}
