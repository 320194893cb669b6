use super::{Constants, Layer, constant, input, optional};
use crate::calls::Operand;
use crate::generate::numbers::float;

fn epsilon(operand: &Operand) -> Option<String> {
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
    Some(Layer {
        path: "BatchNorm",
        init: format!("BatchNormConfig::new({channels}).with_epsilon({}).init(device)", epsilon(eps)?),
        imports: vec!["BatchNormConfig"],
        documentation: format!("Batch normalization of {channels} channels."),
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
    let size = weight.data.num_elements();
    let mut parameters = vec![("gamma", (*weight.data).clone())];
    let mut init = format!("LayerNormConfig::new({size}).with_epsilon({})", epsilon(eps)?);
    match bias {
        Some(bias) => parameters.push(("beta", (*bias.data).clone())),
        None => init += ".with_bias(false)",
    }
    Some(Layer {
        path: "LayerNorm",
        init: init + ".init(device)",
        imports: vec!["LayerNormConfig"],
        documentation: format!("Layer normalization of {size} features."),
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
    let size = weight.data.num_elements();
    Some(Layer {
        path: "RmsNorm",
        init: format!("RmsNormConfig::new({size}).with_epsilon({}).init(device)", epsilon(eps)?),
        imports: vec!["RmsNormConfig"],
        documentation: format!("Root mean square normalization of {size} features."),
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
    Some(Layer {
        path: "GroupNorm",
        init: format!(
            "GroupNormConfig::new({groups}, {channels}).with_epsilon({}).init(device)",
            epsilon(eps)?
        ),
        imports: vec!["GroupNormConfig"],
        documentation: format!("Group normalization of {channels} channels in {groups} groups."),
        weight: weight.name.clone(),
        fallback: "group_norm",
        parameters: vec![("gamma", (*weight.data).clone()), ("beta", (*bias.data).clone())],
        input: input(x)?,
    })
}
