use super::{Constants, Layer, constant, input, optional};
use crate::calls::Operand;

/// A convolution with a constant kernel.
pub(super) fn layer(operands: &[Operand], constants: &Constants) -> Option<Layer> {
    let [x, weight, bias, strides, pads, dilations, groups] = operands else { return None };
    let (x, weight, bias) = (input(x)?, constant(weight, constants)?, optional(bias, constants)?);
    let shape = &weight.data.shape;
    let spatial = shape.len().checked_sub(2)?;
    let (strides, pads, dilations) = (strides.axes().ok()?, pads.axes().ok()?, dilations.axes().ok()?);
    let groups = groups.count().ok()?;
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
    let listed = |sizes: &[usize]| {
        let texts: Vec<String> = sizes.iter().map(usize::to_string).collect();
        if spatial == 1 { texts.concat() } else { format!("[{}]", texts.join(", ")) }
    };
    let (inputs, outputs) = (shape[1] * groups, shape[0]);
    if shape.contains(&0) {
        return None;
    }
    let kernel = listed(&shape[2..]);
    let mut init = format!("{}::new([{inputs}, {outputs}], {kernel})", config.rsplit("::").next()?);
    if strides.iter().any(|&stride| stride != 1) {
        init += &format!(".with_stride({})", listed(&strides));
    }
    let mut imports = vec![config];
    if pads.iter().any(|&pad| pad != 0) {
        let texts: Vec<String> = pads.iter().map(usize::to_string).collect();
        init += &format!(".with_padding({padding}::Explicit({}))", texts.join(", "));
        imports.push(padding);
    }
    if dilations.iter().any(|&dilation| dilation != 1) {
        init += &format!(".with_dilation({})", listed(&dilations));
    }
    if groups != 1 {
        init += &format!(".with_groups({groups})");
    }
    let mut parameters = vec![("weight", (*weight.data).clone())];
    match bias {
        Some(bias) => parameters.push(("bias", (*bias.data).clone())),
        None => init += ".with_bias(false)",
    }
    Some(Layer {
        path,
        init: init + ".init(device)",
        imports,
        documentation: format!("Convolution from {inputs} to {outputs} channels, kernel {kernel}."),
        weight: weight.name.clone(),
        fallback: "conv",
        parameters,
        input: x,
    })
}
