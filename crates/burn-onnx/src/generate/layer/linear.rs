use super::{Constants, Layer, constant, input};
use crate::calls::Operand;
use crate::generate::documentation::DocLine;
use crate::generate::literal::size;
use crate::graph::Constant;
use burn_ir::TensorData;
use proc_macro2::TokenStream;
use quote::quote;

/// A product with a constant matrix.
pub(super) fn layer(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let (x, weight) = (input(&operands[0])?, constant(&operands[1], constants)?);
    let shape = &weight.data.shape;
    let rank = shape.len();
    if rank < 2 || shape[..rank - 2].iter().any(|&size| size != 1) || shape.contains(&0) {
        return None;
    }
    let (inputs, outputs) = (shape[rank - 2], shape[rank - 1]);
    let data = TensorData::from_bytes(weight.data.as_bytes(), [inputs, outputs], weight.data.dtype).ok()?;
    Some(Layer {
        path: "Linear",
        init: init(inputs, outputs, quote!(.with_bias(false))),
        imports: vec!["LinearConfig"],
        documentation: DocLine::new(format!("Linear layer from {inputs} to {outputs} features.")),
        weight: weight.name.clone(),
        fallback: "linear",
        parameters: vec![("weight", data)],
        input: x,
    })
}

/// The layer with a constant that is added to its output, if that is a bias.
pub(in crate::generate) fn with_bias(layer: &Layer, bias: &Constant) -> Option<Layer> {
    let name = &bias.name;
    let bias = &*bias.data;
    let [(_, weight)] = &layer.parameters[..] else { return None };
    let [inputs, outputs] = weight.shape[..] else { return None };
    if layer.path != "Linear" || bias.dtype != weight.dtype || bias.num_elements() != outputs {
        return None;
    }
    if bias.shape.last() != Some(&outputs) {
        return None;
    }
    let data = TensorData::from_bytes(bias.as_bytes(), [outputs], bias.dtype).ok()?;
    let mut layer = layer.clone();
    // Exporters transpose weights and lose their names, but not those of biases.
    if layer.is_anonymous()
        && let Some(base) = name.strip_suffix(".bias")
    {
        layer.weight = format!("{base}.weight");
    }
    layer.parameters.push(("bias", data));
    layer.init = init(inputs, outputs, TokenStream::new());
    Some(layer)
}

fn init(inputs: usize, outputs: usize, options: TokenStream) -> TokenStream {
    let (inputs, outputs) = (size(inputs), size(outputs));
    quote!(LinearConfig::new(#inputs, #outputs) #options.init(device))
}
