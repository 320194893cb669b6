//! The backend without its type parameters, which no kernel knows: compiled here, and in no program.

use crate::leaf::Leaf;
use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::{FusionObject, fusion_object_of};

#[inline(never)]
pub fn object() -> &'static dyn BackendObject {
    object_of::<Leaf>()
}

#[inline(never)]
pub fn fusion_object() -> &'static dyn FusionObject {
    fusion_object_of::<Leaf>()
}
