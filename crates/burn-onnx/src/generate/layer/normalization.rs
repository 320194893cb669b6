use super::{Constants, Layer, constant, input, optional};
use crate::calls::Operand;
use crate::generate::documentation::DocLine;
use crate::generate::literal::{float, size};
use proc_macro2::TokenStream;
use quote::quote;

fn epsilon(operand: &Operand) -> Option<TokenStream> {
    operand.number().ok()?.to_f64().map(float)
}

/// Normalization of channels with constant statistics.
pub(super) fn batch(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let [x, mean, variance, weight, bias, eps] = operands else { return None };
    let parts = [weight, bias, mean, variance].map(|operand| constant(operand, constants));
    let [weight, bias, mean, variance] = parts;
    let (weight, bias, mean, variance) = (weight?, bias?, mean?, variance?);
    let channels = weight.data.num_elements();
    let names = ["gamma", "beta", "running_mean", "running_var"];
    let parameters =
        names.into_iter().zip([weight, bias, mean, variance].map(|part| (*part.data).clone())).collect();
    let (count, epsilon) = (size(channels), epsilon(eps)?);
    Some(Layer {
        path: "BatchNorm",
        init: quote!(BatchNormConfig::new(#count).with_epsilon(#epsilon).init(device)),
        imports: vec!["BatchNormConfig"],
        documentation: DocLine::new(format!("Batch normalization of {channels} channels.")),
        weight: weight.name.clone(),
        fallback: "batch_norm",
        parameters,
        input: input(x)?,
    })
}

/// Normalization over the last dimension.
pub(super) fn layer(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let [x, weight, bias, eps] = operands else { return None };
    let (weight, bias) = (constant(weight, constants)?, optional(bias, constants)?);
    let features = weight.data.num_elements();
    let (count, epsilon) = (size(features), epsilon(eps)?);
    let mut parameters = vec![("gamma", (*weight.data).clone())];
    let mut options = TokenStream::new();
    match bias {
        Some(bias) => parameters.push(("beta", (*bias.data).clone())),
        None => options = quote!(.with_bias(false)),
    }
    Some(Layer {
        path: "LayerNorm",
        init: quote!(LayerNormConfig::new(#count).with_epsilon(#epsilon) #options.init(device)),
        imports: vec!["LayerNormConfig"],
        documentation: DocLine::new(format!("Layer normalization of {features} features.")),
        weight: weight.name.clone(),
        fallback: "layer_norm",
        parameters,
        input: input(x)?,
    })
}

/// Division by the root of the mean square over the last dimension.
pub(super) fn rms(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let [x, weight, eps] = operands else { return None };
    let weight = constant(weight, constants)?;
    let features = weight.data.num_elements();
    let (count, epsilon) = (size(features), epsilon(eps)?);
    Some(Layer {
        path: "RmsNorm",
        init: quote!(RmsNormConfig::new(#count).with_epsilon(#epsilon).init(device)),
        imports: vec!["RmsNormConfig"],
        documentation: DocLine::new(format!("Root mean square normalization of {features} features.")),
        weight: weight.name.clone(),
        fallback: "rms_norm",
        parameters: vec![("gamma", (*weight.data).clone())],
        input: input(x)?,
    })
}

/// Normalization of groups of channels.
pub(super) fn group(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let [x, groups, weight, bias, eps] = operands else { return None };
    let (weight, bias) = (constant(weight, constants)?, constant(bias, constants)?);
    let (groups, channels) = (groups.count().ok()?, weight.data.num_elements());
    let (group_count, channel_count, epsilon) = (size(groups), size(channels), epsilon(eps)?);
    Some(Layer {
        path: "GroupNorm",
        init: quote!(GroupNormConfig::new(#group_count, #channel_count).with_epsilon(#epsilon).init(device)),
        imports: vec!["GroupNormConfig"],
        documentation: DocLine::new(format!(
            "Group normalization of {channels} channels in {groups} groups."
        )),
        weight: weight.name.clone(),
        fallback: "group_norm",
        parameters: vec![("gamma", (*weight.data).clone()), ("beta", (*bias.data).clone())],
        input: input(x)?,
    })
}
