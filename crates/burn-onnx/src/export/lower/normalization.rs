//! Layer norm.

use super::lowering::Lowering;
use crate::error::Outcome;
use crate::export::graph_writer::{float, int, scalar_data, tensor};
use burn_capture::Value;
use burn_ir::{LayerNormArgs, Scalar};

pub(super) fn layer_norm(to: &mut Lowering<'_>, args: &LayerNormArgs<Value>) -> Outcome<String> {
    let (name, dtype, last) = (to.name(args.x), to.dtype(args.x), to.rank(args.x) - 1);
    let attributes = vec![int("axis", -1), float("epsilon", args.epsilon)];
    let weight = match args.weight {
        Some(weight) => to.name(weight),
        None => {
            let size = to.dim(args.x, last);
            let size = to.size_value(&size, &[args.x])?;
            let one = tensor("value", &scalar_data(Scalar::Int(1), dtype, &[1]));
            to.op_with("ConstantOfShape", &[&size], vec![one])
        }
    };
    Ok(match args.bias {
        Some(bias) => {
            let bias = to.name(bias);
            to.op_with("LayerNormalization", &[&name, &weight, &bias], attributes)
        }
        None => to.op_with("LayerNormalization", &[&name, &weight], attributes),
    })
}
