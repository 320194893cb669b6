//! Numbers that are not finite, and where they come from.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, CompareOp, Dims, HasSpec, ReduceOp, Scalar, TypedCalls, UnaryOp, block_on};

/// Watch on a step whose inputs are finite, and whose results must be finite.
#[derive(Debug)]
pub struct Watch {
    call: String,
    place: String,
}

impl Watch {
    pub fn new(call: String, place: String) -> Self {
        Watch { call, place }
    }

    /// Panics when a gradient is not finite.
    pub fn check(&self, gradient: &DynamicTensor) {
        if let Some(what) = first_anomaly(gradient) {
            let Watch { call, place } = self;
            panic!("anomaly: the gradient of {call} is {what}, from finite numbers ({place})");
        }
    }
}

/// The first NaN or infinity, in words.
pub fn first_anomaly(x: &DynamicTensor) -> Option<String> {
    if !x.dtype().is_float() || is_finite(x) {
        return None;
    }
    let shape = x.shape();
    let values = block_on(Dynamic::into_data(x.clone())).ok()?.ok()?.to_f64();
    let at = values.iter().position(|value| !value.is_finite())?;
    let index: Vec<usize> =
        shape.strides().iter().zip(shape.iter()).map(|(stride, size)| at / stride % size).collect();
    Some(format!("{} at {index:?}", values[at]))
}

/// Computed where the tensor is: one element is read.
fn is_finite(x: &DynamicTensor) -> bool {
    let size = Dynamic::unary(UnaryOp::Abs, x.clone());
    let finite = Dynamic::compare_scalar(CompareOp::Less, size, Scalar::Float(f64::INFINITY));
    let dims: Dims = (0..x.spec().shape.rank()).collect();
    let all = Dynamic::reduce(ReduceOp::All, finite, dims);
    match block_on(Dynamic::into_data(all)) {
        Ok(Ok(data)) => data.to_f64() == [1.0],
        // Data that cannot be read counts as finite: its own error is reported elsewhere.
        Ok(Err(_)) | Err(_) => true,
    }
}
