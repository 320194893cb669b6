//! The leaf without its type parameters, which no kernel knows: compiled here, and in no program.

use crate::NdArray;
use crate::NdTensor;
use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::{FusionObject, Operation, Outputs, dispatch, fusion_object_of};

#[inline(never)]
#[track_caller]
pub fn execute(op: Operation<NdTensor>) -> Outputs<NdTensor> {
    dispatch::<NdArray>(op)
}

#[inline(never)]
pub fn object() -> &'static dyn BackendObject {
    object_of::<NdArray>()
}

#[inline(never)]
pub fn fusion_object() -> &'static dyn FusionObject {
    fusion_object_of::<NdArray>()
}
