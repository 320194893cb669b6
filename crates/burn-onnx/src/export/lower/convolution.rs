//! Convolutions and transposed convolutions.

use super::lowering::Lowering;
use crate::error::{Outcome, fail};
use crate::export::graph_writer::{int, ints};
use crate::export::size_expr::{Number, constant};
use crate::proto::AttributeProto;
use burn_capture::Value;
use burn_ir::{ConvArgs, ConvGradArgs, ConvOptions};

fn attributes(to: &Lowering<'_>, weight: Value, options: &ConvOptions) -> Vec<AttributeProto> {
    let kernel = to.shape(weight)[2..].to_vec();
    // Padding of all beginnings, then of all ends.
    let padding = options.padding_before().iter().chain(options.padding_after()).copied();
    vec![
        ints("kernel_shape", kernel),
        ints("strides", options.stride.iter().copied()),
        ints("pads", padding),
        ints("dilations", options.dilation.iter().copied()),
        int("group", options.groups as i64),
    ]
}

pub(super) fn conv(to: &mut Lowering<'_>, args: &ConvArgs<Value>) -> Outcome<String> {
    let (x, weight) = (to.name(args.x), to.name(args.weight));
    let attributes = attributes(to, args.weight, &args.options);
    Ok(match args.bias {
        Some(bias) => {
            let bias = to.name(bias);
            to.op_with("Conv", &[&x, &weight, &bias], attributes)
        }
        None => to.op_with("Conv", &[&x, &weight], attributes),
    })
}

pub(super) fn transposed(to: &mut Lowering<'_>, args: &ConvGradArgs<Value>) -> Outcome<String> {
    let ConvGradArgs { grad, other, options, target: _ } = args;
    let (x, weight) = (to.name(*grad), to.name(*other));
    let target: Vec<Number> = to.numbers()[2..].to_vec();
    let mut output_padding = Vec::with_capacity(target.len());
    for (spatial, target) in target.iter().enumerate() {
        let (stride, dilation) = (options.stride[spatial] as i64, options.dilation[spatial] as i64);
        let reach = dilation * (to.shape(*other)[2 + spatial] as i64 - 1) + 1;
        let input = to.dim(*grad, 2 + spatial);
        let zeros = (options.padding_before()[spatial] + options.padding_after()[spatial]) as i64;
        let smallest = |size: i64| (size - 1) * stride + reach - zeros;
        let padding: Number =
            target.iter().zip(input).map(|(target, size)| target - smallest(size)).collect();
        match constant(&padding) {
            Some(padding) if padding >= 0 => output_padding.push(padding as usize),
            Some(_) | None => fail!(
                "the output size of spatial dimension {spatial} is not that of the input with a fixed output padding"
            ),
        }
    }
    let mut attributes = attributes(to, *other, options);
    attributes.push(ints("output_padding", output_padding));
    Ok(to.op_with("ConvTranspose", &[&x, &weight], attributes))
}
