use super::{Constants, Layer, constant, input, optional};
use crate::calls::Operand;
use crate::generate::documentation::DocLine;
use crate::generate::literal::{size, sizes};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

/// A convolution with a constant kernel.
pub(super) fn layer(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let [x, weight, bias, strides, pads, dilations, groups] = operands else { return None };
    let (x, weight, bias) = (input(x)?, constant(weight, constants)?, optional(bias, constants)?);
    let shape = &weight.data.shape;
    let spatial = shape.len().checked_sub(2)?;
    let (strides, pads, dilations) = (strides.axes().ok()?, pads.axes().ok()?, dilations.axes().ok()?);
    let groups = groups.count().ok()?;
    // Layers have the same padding on both sides.
    if pads.len() != spatial {
        return None;
    }
    let (path, padding) = match spatial {
        1 => ("conv::Conv1d", "PaddingConfig1d"),
        2 => ("conv::Conv2d", "PaddingConfig2d"),
        3 => ("conv::Conv3d", "PaddingConfig3d"),
        _ => return None,
    };
    let config = match spatial {
        1 => "conv::Conv1dConfig",
        2 => "conv::Conv2dConfig",
        _ => "conv::Conv3dConfig",
    };
    let (inputs, outputs) = (shape[1].checked_mul(groups)?, shape[0]);
    if shape.contains(&0) {
        return None;
    }
    let mut imports = vec![config];
    if pads.iter().any(|&pad| pad != 0) {
        imports.push(padding);
    }
    let mut options = options(&strides, (padding, &pads), &dilations, groups);
    let mut parameters = vec![("weight", (*weight.data).clone())];
    match bias {
        Some(bias) => parameters.push(("bias", (*bias.data).clone())),
        None => options.extend(quote!(.with_bias(false))),
    }
    let kernel = if spatial == 1 { shape[2].to_string() } else { format!("{:?}", &shape[2..]) };
    let (config, kernel_size) = (format_ident!("{}", config.rsplit("::").next()?), listed(&shape[2..]));
    let (input_count, output_count) = (size(inputs), size(outputs));
    Some(Layer {
        path,
        init: quote!(#config::new([#input_count, #output_count], #kernel_size) #options.init(device)),
        imports,
        documentation: DocLine::new(format!(
            "Convolution from {inputs} to {outputs} channels, kernel {kernel}."
        )),
        weight: weight.name.clone(),
        fallback: "conv",
        parameters,
        input: x,
    })
}

/// A number for one spatial dimension, an array for more.
fn listed(values: &[usize]) -> TokenStream {
    match values {
        [value] => size(*value).into_token_stream(),
        values => sizes(values),
    }
}

/// Calls of the config's setters, for options that are not the defaults.
fn options(
    strides: &[usize],
    (padding, pads): (&str, &[usize]),
    dilations: &[usize],
    groups: usize,
) -> TokenStream {
    let mut options = TokenStream::new();
    if strides.iter().any(|&stride| stride != 1) {
        let strides = listed(strides);
        options.extend(quote!(.with_stride(#strides)));
    }
    if pads.iter().any(|&pad| pad != 0) {
        let (name, pads) = (format_ident!("{padding}"), pads.iter().map(|&pad| size(pad)));
        options.extend(quote!(.with_padding(#name::Explicit(#(#pads),*))));
    }
    if dilations.iter().any(|&dilation| dilation != 1) {
        let dilations = listed(dilations);
        options.extend(quote!(.with_dilation(#dilations)));
    }
    if groups != 1 {
        let groups = size(groups);
        options.extend(quote!(.with_groups(#groups)));
    }
    options
}
