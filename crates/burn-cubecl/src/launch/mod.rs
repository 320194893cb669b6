//! Launches: kernels, the tensors that are their arguments, strides, planes, and how units share rows.

pub mod body;
pub mod constant_cache;
pub mod custom_kernel;
pub mod dependent_launch;
pub mod element;
pub mod erased;
pub mod kernel;
pub mod kernel_patch;
pub mod lines;
pub mod plane_units;
pub mod row_groups;
#[cfg(feature = "template")]
pub mod source_kernel;
pub mod strides;
pub mod tensor;
pub mod words;
