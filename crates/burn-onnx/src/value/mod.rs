//! Values between nodes: tensors on a device, and numbers of the host.

mod arithmetic;
mod evaluate;
mod expr;
mod function;
mod host;
mod tensor;
mod tensor_id;

pub use expr::Expr;
pub use function::Function;
pub use host::Host;
pub use tensor::{Spec, Tensor};
pub use tensor_id::TensorId;

use crate::error::{Outcome, fail};
use crate::graph::Constant;
use burn_ir::DType;
use std::sync::Arc;

/// Value between nodes.
#[derive(Clone, Debug)]
pub enum OnnxValue {
    /// A tensor on a device.
    Tensor(Tensor),
    /// Values of the model, on the host until a call needs them.
    Constant(Constant),
    /// Numbers of the host, such as a shape: known ones, or expressions of sizes.
    Host(Host),
    /// A list of values.
    Sequence(Arc<Vec<OnnxValue>>),
    /// A value that may be missing.
    Optional(Option<Arc<OnnxValue>>),
}

impl OnnxValue {
    /// Returns the kind of value for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            OnnxValue::Tensor(_) => "a tensor",
            OnnxValue::Constant(_) => "a constant",
            OnnxValue::Host(_) => "numbers of the host",
            OnnxValue::Sequence(_) => "a sequence",
            OnnxValue::Optional(_) => "an optional",
        }
    }

    /// Returns the element type of a tensor, a constant or host numbers.
    ///
    /// # Errors
    /// When the value is a sequence or an optional.
    pub fn dtype(&self) -> Outcome<DType> {
        Ok(match self {
            OnnxValue::Tensor(tensor) => tensor.dtype(),
            OnnxValue::Constant(constant) => constant.data.dtype,
            OnnxValue::Host(host) => host.dtype,
            OnnxValue::Sequence(_) | OnnxValue::Optional(_) => {
                fail!("expected a tensor, found {}", self.kind())
            }
        })
    }

    /// Returns the size of each dimension, in the rank that ONNX counts.
    ///
    /// # Errors
    /// When the value is a sequence or an optional.
    pub fn dims(&self) -> Outcome<Vec<Expr>> {
        let known = |dims: &[usize]| dims.iter().map(|&dim| Expr::from(dim)).collect();
        Ok(match self {
            OnnxValue::Tensor(tensor) => tensor.dims().to_vec(),
            OnnxValue::Constant(constant) => known(&constant.data.shape),
            OnnxValue::Host(host) => known(&host.dims),
            OnnxValue::Sequence(_) | OnnxValue::Optional(_) => {
                fail!("expected a tensor, found {}", self.kind())
            }
        })
    }

    /// Bytes of the elements that are known; values of sequences together.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            OnnxValue::Tensor(tensor) => crate::budget::bytes_of(&tensor.spec).unwrap_or(0),
            OnnxValue::Constant(constant) => constant.data.as_bytes().len() as u64,
            OnnxValue::Host(host) => (host.elements.len() * size_of::<Expr>()) as u64,
            OnnxValue::Sequence(values) => values.iter().map(OnnxValue::bytes).fold(0, u64::saturating_add),
            OnnxValue::Optional(value) => value.as_ref().map_or(0, |value| value.bytes()),
        }
    }

    /// Bytes of the numbers and lists on the host, without tensors and constants.
    pub(crate) fn host_bytes(&self) -> u64 {
        match self {
            OnnxValue::Tensor(_) | OnnxValue::Constant(_) => 0,
            OnnxValue::Host(host) => (host.elements.len() * size_of::<Expr>()) as u64,
            OnnxValue::Sequence(values) => {
                let list = (values.len() * size_of::<OnnxValue>()) as u64;
                values.iter().map(OnnxValue::host_bytes).fold(list, u64::saturating_add)
            }
            OnnxValue::Optional(value) => value.as_ref().map_or(0, |value| value.host_bytes()),
        }
    }

    /// Returns the number of dimensions that ONNX counts: 0 for a scalar.
    ///
    /// # Errors
    /// When the value is a sequence or an optional.
    pub fn rank(&self) -> Outcome<usize> {
        self.dims().map(|dims| dims.len())
    }
}

impl From<Tensor> for OnnxValue {
    fn from(tensor: Tensor) -> Self {
        OnnxValue::Tensor(tensor)
    }
}

impl From<Host> for OnnxValue {
    fn from(host: Host) -> Self {
        OnnxValue::Host(host)
    }
}
