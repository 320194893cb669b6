//! Elementary functions, each one formula without branches or calls where loops over it should vectorise.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) mod divide_sixteen;
pub(crate) mod double;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) mod erf_table;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) mod exp_sixteen;
mod float;
mod half;
mod single;

pub(crate) use float::Float;
pub(crate) use half::{brain_to_single, half_to_single, single_to_brain, single_to_half};
