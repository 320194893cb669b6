//! Memory of a convolution beside its operands and its result.

/// Whether there is little of it, as on microcontrollers. Kernels are then neither transformed, which takes
/// four times their memory, nor packed, and a few rows of the input are staged at a time.
pub const IS_SCARCE: bool = cfg!(target_os = "none");
