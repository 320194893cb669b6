//! Poolings over windows.

use super::lowering::Lowering;
use super::taps;
use crate::error::Outcome;
use crate::export::graph_writer::{int, ints};
use crate::export::size_expr::constant;
use crate::proto::AttributeProto;
use burn_capture::Value;
use burn_ir::{DType, PoolArgs, PoolKind, PoolOptions};

fn attributes(options: &PoolOptions) -> Vec<AttributeProto> {
    let padding = options.padding.iter().chain(options.padding.iter()).copied();
    vec![
        ints("kernel_shape", options.kernel.iter().copied()),
        ints("strides", options.stride.iter().copied()),
        ints("pads", padding),
        ints("dilations", options.dilation.iter().copied()),
    ]
}

pub(super) fn pool(to: &mut Lowering<'_>, args: &PoolArgs<Value>) -> String {
    let name = to.name(args.x);
    let mut attributes = attributes(&args.options);
    match args.kind {
        PoolKind::Max => to.op_with("MaxPool", &[&name], attributes),
        PoolKind::Avg { count_include_pad } => {
            attributes.push(int("count_include_pad", count_include_pad.into()));
            to.op_with("AveragePool", &[&name], attributes)
        }
    }
}

/// Largest elements and their indices. ONNX counts indices through the whole tensor, here they are counted
/// through a channel.
pub(super) fn with_indices(
    to: &mut Lowering<'_>,
    x: Value,
    options: &PoolOptions,
    index: DType,
) -> Outcome<Vec<String>> {
    let name = to.name(x);
    let names = to.writer.node_of("MaxPool", &[&name], attributes(options), 2);
    let plane =
        to.shapes(x).iter().map(|shape| shape[2..].iter().product::<usize>() as i64).collect::<Vec<_>>();
    let plane = to.size_value(&plane, &[x])?;
    let place = to.op("Mod", [&names[1], &plane]);
    Ok(vec![names[0].clone(), to.cast_from(place, DType::I64, index)])
}

pub(super) fn adaptive(to: &mut Lowering<'_>, x: Value) -> Outcome<String> {
    let name = to.name(x);
    let mut sizes = Vec::new();
    for number in to.numbers() {
        sizes
            .push(constant(number).ok_or("its output size depends on the size of a dynamic dimension")?
                as usize);
    }
    if sizes.iter().all(|&size| size == 1) {
        return Ok(to.op("GlobalAveragePool", [&name]));
    }
    let mut inputs = Vec::new();
    for spatial in 0..sizes.len() {
        inputs.push(to.need_fixed_dim(x, 2 + spatial)?);
    }
    if inputs.iter().zip(&sizes).all(|(input, size)| input.is_multiple_of(*size)) {
        let windows: Vec<usize> = inputs.iter().zip(&sizes).map(|(input, size)| input / size).collect();
        let attributes = vec![ints("kernel_shape", windows.clone()), ints("strides", windows)];
        return Ok(to.op_with("AveragePool", &[&name], attributes));
    }
    let mut result = name;
    for (spatial, (&input, &size)) in inputs.iter().zip(&sizes).enumerate() {
        let window = |at: usize| (at * input / size, ((at + 1) * input).div_ceil(size));
        let weight = |from: usize, into: usize| match window(into) {
            (start, end) if (start..end).contains(&from) => 1.0 / (end - start) as f64,
            _ => 0.0,
        };
        result = taps::multiply(to, &result, x, 2 + spatial, input, size, weight);
    }
    Ok(result)
}
