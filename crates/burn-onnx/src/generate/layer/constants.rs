//! Constants among the operands of a call.

use crate::calls::Operand;
use crate::graph::Constant;
use crate::value::{Tensor, TensorId};
use std::collections::HashMap;

/// Constants by the tensors that they become.
pub(in crate::generate) type Constants = HashMap<TensorId, Constant>;

/// The constant of an operand.
pub fn constant<'a>(operand: &Operand, constants: &'a Constants) -> Option<&'a Constant> {
    match operand {
        Operand::Tensor(tensor) => {
            constants.get(&tensor.id).filter(|constant| constant.data.dtype.is_float())
        }
        _ => None,
    }
}

/// The constant of an operand that may be missing: none if it is a tensor that is no constant.
pub fn optional<'a>(operand: &Operand, constants: &'a Constants) -> Option<Option<&'a Constant>> {
    match operand {
        Operand::Absent => Some(None),
        other => constant(other, constants).map(Some),
    }
}

pub fn input(operand: &Operand) -> Option<Tensor> {
    operand.tensor().ok().cloned()
}
